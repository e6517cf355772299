"""Several models of the opened runs on the same pictures, by `eyechart.compare`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eyechart.comparison.compare import compare_dataset, pair_all
from eyechart.comparison.in_turn import in_turn
from eyechart.comparison.pairing import PairedPictures
from eyechart.comparison.pairs import ModelPair
from eyechart.comparison.sides import Side
from eyechart.errors import DataError, UsageError
from eyechart.findings.run import Run

MOST_SIDES = 8
MOST_SHOWN = 200


def compared(chosen: Sequence[tuple[Run, str]], dataset: str | None, shown: int = 1) -> dict[str, Any]:
    """The accuracy of every model, its paired difference from the first, and the pictures that one of them gained and lost.

    Args:
        chosen: The run and the name of each model; the first is the reference.
        dataset: The dataset; the first that all have by default.
        shown: The place of the model with the pictures and classes that are shown.
    """
    if not 2 <= len(chosen) <= MOST_SIDES:
        raise UsageError(f"compare 2 to {MOST_SIDES} models")
    if not 1 <= shown < len(chosen):
        raise UsageError("choose one of the compared models")
    sides = [Side(model, model, _folder(run), run) for run, model in chosen]
    paired, notices = pair_all(sides)
    labeled = [p for p in paired if len(p.labelled)]
    known = list(dict.fromkeys(p.dataset for p in labeled))
    pictures = next((p for p in labeled if dataset in (None, p.dataset)), None)
    if pictures is None:
        raise DataError(f"the models have no labeled pictures of {dataset} in common; they have {', '.join(known) or 'none'}")
    found = compare_dataset(
        [str(place) for place in range(len(sides))], sides, pictures
    )  # two runs may have models of the same name
    against_first = {int(pair.second): pair for pair in found.pairs if pair.first == "0"}
    return {
        "dataset": pictures.dataset,
        "datasets": known,
        "prompts": list(pictures.prompts),
        "n": found.n,
        "models": [
            {
                "accuracy": list(found.accuracies[place]),
                "letters": found.letters[place],
                "difference": None if place == 0 else _difference(against_first[place].top1),
            }
            for place in range(len(sides))
        ],
        **_pictures(pictures, against_first[shown], shown),
        "notices": [f"{n.where}: {n.what}" for n in notices],
    }


def _pictures(pictures: PairedPictures, pair: ModelPair, second: int) -> dict[str, Any]:
    """The classes and pictures that differ between the first model and another."""
    place = {id: row for row, id in enumerate(pictures.ids)}
    names = pictures.classes

    def picture(id: str) -> dict[str, Any]:
        row, both = place[id], [0, second]
        return {
            "id": id,
            "label": names[int(pictures.truth[row])],
            "predicted": [names[int(p)] for p in pictures.predicted[both, row]],
            "confidence": [None if c != c else float(c) for c in pictures.confidence[both, row]],
        }

    def shown(ids: Sequence[str]) -> list[dict[str, Any]]:
        return [picture(id) for id in in_turn(ids, lambda id: int(pictures.truth[place[id]]))[:MOST_SHOWN]]

    classes = sorted(pair.classes.items(), key=lambda item: -abs(item[1].value))
    return {
        "shown": second,
        "classes": [{"name": name, **_difference(d)} for name, d in classes],
        "gained": shown(pair.gained),
        "lost": shown(pair.lost),
        "flips": {"n": pair.flips.count, "classes": [list(c) for c in pair.flips.classes]},
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
