"""How many pictures a model could use, and how many a dataset has."""

from collections.abc import Sequence

import pyarrow.compute as pc

from eyechart.findings.run import Run
from eyechart.notice import counted


def pictures_text(run: Run, model: str | None, datasets: Sequence[str]) -> str:
    """'9 of 11 pictures' where two were set aside, else '11 pictures'; '' where the run does not say how many there are."""
    total = sum(_total(run, name) for name in datasets)
    usable = total if model is None else usable_pictures(run, model, datasets, total)
    return "" if not total else counted(total, "picture") if usable == total else f"{usable:,} of {counted(total, 'picture')}"


def usable_pictures(run: Run, model: str, datasets: Sequence[str], total: int) -> int:
    """How many pictures the model could use; `total` where the run does not say."""
    rows = run.findings.filter(
        pc.and_(pc.equal(run.findings["metric"], "usable_pictures"), pc.equal(run.findings["model"], model))
    )
    usable = {row["dataset"]: int(row["value"]) for row in rows.select(["dataset", "value"]).to_pylist()}
    return sum(usable[name] for name in datasets) if usable.keys() >= set(datasets) else total


def _total(run: Run, dataset: str) -> int:
    value = run.dataset_facts(dataset).get("n")
    return value if isinstance(value, int) else 0
