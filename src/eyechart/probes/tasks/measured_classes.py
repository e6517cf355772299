"""Accuracies of classes as zero_shot found them: probes that ask what they mean read them and do not measure again."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Counts, Doubles
from eyechart.findings.finding import Finding
from eyechart.probes.probe import NotApplicable, ProbeInput
from eyechart.probes.tasks.classifier import class_titles, known_classes


@dataclass(frozen=True)
class MeasuredClasses:
    """Under one prompt set: `accuracies` of the classes at `places` of the class list, by so many `pictures` of each, copies
    counted once; and their mean, with its interval."""

    places: Counts
    accuracies: Doubles
    pictures: Doubles
    mean: Finding


def measured_classes(inputs: ProbeInput[Any], prompts: str) -> MeasuredClasses:
    """From the findings of zero_shot, which the probe comes after."""
    rows = inputs.upstream["zero_shot"].to_pylist() if "zero_shot" in inputs.upstream else []
    rows = [row | {"slice": json.loads(row["slice"])} for row in rows]
    rows = [row for row in rows if row["slice"].get("prompts") == prompts]
    place = {title: c for c, title in enumerate(class_titles(known_classes(inputs)))}
    found = {place[row["slice"]["class"]]: row["value"] for row in rows if row["metric"] == "class_accuracy"}
    if len(found) < 2:
        raise NotApplicable("zero_shot has the accuracy of fewer than two classes, so none is the worst of many")
    mean = next(row for row in rows if row["metric"] == "mean_per_class")
    places = np.array(sorted(found))
    return MeasuredClasses(
        places,
        np.array([found[c] for c in places]),
        _distinct(inputs)[places],
        Finding(
            metric="mean_per_class",
            value=mean["value"],
            n=mean["n"],
            low=mean["low"],
            high=mean["high"],
            interval=mean["interval"],
        ),
    )


def _distinct(inputs: ProbeInput[Any]) -> Doubles:
    """How many different labelled pictures each class has."""
    truth = inputs.dataset.label_indices()
    pairs = np.unique(np.column_stack([truth, inputs.clusters])[truth >= 0], axis=0)
    return np.bincount(pairs[:, 0], minlength=len(known_classes(inputs))).astype(np.float64)
