"""In which settings two runs differ: class lists, prompts, datasets and probes."""

from collections.abc import Mapping, Sequence
from typing import Any

from eyechart.comparison.sides import Side
from eyechart.findings.run import Run
from eyechart.notice import Notice, shortened

_ABOUT = ("version", "settings", "decoding")


def protocol_notices(sides: Sequence[Side], datasets: Sequence[str]) -> list[Notice]:
    """What differs between the first run and each other one. Models of one run share everything."""
    found: list[Notice] = []
    for side in sides[1:]:
        if side.run is not sides[0].run:
            for dataset in datasets:
                found += _dataset_notices(dataset, sides[0], side)
    return list(dict.fromkeys(found))


def _dataset_notices(dataset: str, first: Side, other: Side) -> list[Notice]:
    notices = []
    one, two = (_about(side.run, dataset) for side in (first, other))
    both_read = one.get("pictures_read", True) and two.get("pictures_read", True)
    compared = "fingerprint" if both_read else "fingerprint_without_pictures"
    if (both_read or (compared in one and compared in two)) and one.get(compared) != two.get(compared):
        where = "pictures, columns or class list" if both_read else "columns or class list"
        what = f"the dataset of {other.name} differs from that of {first.name} ({where})"
        notices.append(Notice(dataset, what, "pictures are paired by id; examine both on the same files to be sure"))
    for probe in [p for p in first.run.probes if p in other.run.probes]:
        was, now = (_protocol(side.run, dataset, probe) for side in (first, other))
        if was is not None and now is not None:
            notices += _protocol_notices(dataset, probe, other.name, was, now)
    return notices


def _protocol_notices(dataset: str, probe: str, name: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> list[Notice]:
    notices = []
    if was.get("classes") != now.get("classes"):
        before, after = (_names(content) for content in (was, now))
        missing, added = [n for n in before if n not in after], [n for n in after if n not in before]
        changes = [f"without {shortened(missing)}"] if missing else []
        changes += [f"with {shortened(added)}"] if added else []
        what = f"the class list of {name} differs: {'; '.join(changes) or 'another order or other synonyms'}"
        notices.append(Notice(dataset, what, "accuracies under different class lists are not comparable"))
    templates, changed = ({p["name"]: p["templates"] for p in content.get("prompts") or ()} for content in (was, now))
    for prompts in sorted(set(templates) & set(changed)):
        if templates[prompts] != changed[prompts]:
            what = f"the prompt set {prompts} of {name} has other templates"
            notices.append(Notice(dataset, what, "give both models the same prompts"))
    different = [key for key in _ABOUT if was.get(key) != now.get(key)]
    if different:
        notices.append(Notice(dataset, f"{probe} of {name} has another {' and '.join(different)}", "use the same plan for both"))
    return notices


def _names(content: Mapping[str, Any]) -> list[str]:
    return [str(c["names"][0]) for c in content.get("classes") or ()]


def _about(run: Run, dataset: str) -> Mapping[str, Any]:
    about = (run.protocol.get("datasets") or {}).get(dataset)
    return about if isinstance(about, Mapping) else {}


def _protocol(run: Run, dataset: str, probe: str) -> Mapping[str, Any] | None:
    """The settings of a probe on a dataset; None where it has no findings."""
    for row in _protocol_rows(run):
        if (row["dataset"], row["probe"]) == (dataset, probe):
            content = (run.protocol.get("protocols") or {}).get(row["protocol"])
            return content if isinstance(content, Mapping) else None
    return None


def _protocol_rows(run: Run) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = (
        run.findings.select(["dataset", "probe", "protocol"]).group_by(["dataset", "probe", "protocol"]).aggregate([]).to_pylist()
    )
    return rows
