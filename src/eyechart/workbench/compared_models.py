"""Two models of the opened runs on the same pictures, by `eyechart.compare`."""

from pathlib import Path
from typing import Any

from eyechart.comparison.compare import pair_all
from eyechart.comparison.pairs import compare_pair
from eyechart.comparison.sides import Side
from eyechart.errors import DataError
from eyechart.findings.run import Run

MOST_SHOWN = 200
MOST_CLASSES = 40


def compared(first: tuple[Run, str], second: tuple[Run, str], dataset: str | None) -> dict[str, Any]:
    """The paired difference of accuracy, by class too, and the pictures that were gained and lost.

    Args:
        first: The run and the model that is the reference.
        second: The run and the other model.
        dataset: The dataset; the first that both have by default.
    """
    sides = [Side(model, model, _folder(run), run) for run, model in (first, second)]
    paired, notices = pair_all(sides)
    labeled = [p for p in paired if len(p.labelled)]
    known = list(dict.fromkeys(p.dataset for p in labeled))
    chosen = next((p for p in labeled if dataset in (None, p.dataset)), None)
    if chosen is None:
        raise DataError(f"the models have no labeled pictures of {dataset} in common; they have {', '.join(known) or 'none'}")
    pair = compare_pair(chosen, (sides[0].name, sides[1].name), 0, 1)
    place = {id: row for row, id in enumerate(chosen.ids)}
    names = chosen.classes

    def picture(id: str) -> dict[str, Any]:
        row = place[id]
        return {
            "id": id,
            "label": names[int(chosen.truth[row])],
            "predicted": [names[int(p)] for p in chosen.predicted[:, row]],
            "confidence": [None if c != c else float(c) for c in chosen.confidence[:, row]],
        }

    classes = sorted(pair.classes.items(), key=lambda item: -abs(item[1].value))[:MOST_CLASSES]
    return {
        "dataset": chosen.dataset,
        "datasets": known,
        "prompts": list(chosen.prompts),
        "top1": _difference(pair.top1),
        "classes": [{"name": name, **_difference(d)} for name, d in classes],
        "gained": [picture(id) for id in pair.gained[:MOST_SHOWN]],
        "lost": [picture(id) for id in pair.lost[:MOST_SHOWN]],
        "flips": {"n": pair.flips.count, "classes": [list(c) for c in pair.flips.classes]},
        "notices": [f"{n.where}: {n.what}" for n in notices],
    }


def _difference(found: Any) -> dict[str, Any]:
    return {
        "first": list(found.first),
        "second": list(found.second),
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "p": found.p,
        "q": found.q,
        "gained": found.gained,
        "lost": found.lost,
        "n": found.n,
    }


def _folder(run: Run) -> Path:
    assert run.folder is not None
    return run.folder
