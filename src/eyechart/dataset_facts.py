"""What `protocol.json` says of a dataset: where it is from, how it was read, and which classes a comparison is among."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eyechart.data.class_mapping import shared_classes
from eyechart.data.dataset import Dataset
from eyechart.data.file_pictures import printable
from eyechart.plan import Plan
from eyechart.reopening import opened_with
from eyechart.session.keyed_dataset import KeyedDataset


def dataset_facts(keyed: KeyedDataset, plan: Plan, datasets: Sequence[Dataset], folder: Path) -> dict[str, Any]:
    """The facts about one dataset.

    Args:
        keyed: The dataset.
        plan: The plan. `source` is what it names; None for a dataset that the examination made itself.
        datasets: The datasets of the plan, in its order.
        folder: The folder of the results.
    """
    dataset = keyed.dataset
    entry = next((e for e, d in zip(plan.datasets, datasets, strict=True) if d.name == dataset.name), None)
    return {
        "source": None if entry is None else printable(entry.source),
        "opened_with": None if entry is None else opened_with(entry, plan.seed, folder),
        "made": dataset.made,
        "n": len(dataset),
        "labelled": dataset.has("label"),
        "classes": len(dataset.classes) if dataset.classes else 0,
        "class_list": dataset.classes.source if dataset.classes else None,
        "reader": dataset.reader,
        "fingerprint": keyed.fingerprint,
        "fingerprint_without_pictures": keyed.fingerprint_without_pictures,
        "pictures_read": keyed.of_pictures,
        "role": dataset.role,
        "of": dataset.of,
        "benchmark": dataset.benchmark,
        **_compared_classes(dataset, datasets),
    }


def _compared_classes(dataset: Dataset, datasets: Sequence[Dataset]) -> dict[str, Any]:
    """The classes that `shift` decides among, for a shifted dataset with fewer classes than an examined one."""
    if dataset.role != "shift" or dataset.classes is None:
        return {}
    fewer = {}
    for exam in datasets:
        if exam.role == "exam" and exam.classes is not None and dataset.of in (None, exam.name):
            shared = shared_classes(exam.classes, dataset.classes)
            if len(shared) < len(exam.classes):
                fewer[exam.name] = shared
    return {"shared_classes": fewer} if fewer else {}
