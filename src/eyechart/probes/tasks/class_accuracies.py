"""Class accuracies as the probe zero_shot measured them, for probes that run after it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Counts, Doubles
from eyechart.findings.finding import Finding
from eyechart.probes.contract import NotApplicable, ProbeInput
from eyechart.probes.tasks.classifier import class_titles, known_classes


@dataclass(frozen=True)
class ClassAccuracies:
    """The class accuracies of one classifier.

    classes: Numbers of the classes that have pictures.
    accuracies: The accuracy of each of them.
    pictures: The number of pictures of each; copies and versions of a picture count once.
    mean: The mean per-class accuracy with its interval.
    """

    classes: Counts
    accuracies: Doubles
    pictures: Doubles
    mean: Finding


def class_accuracies(inputs: ProbeInput[Any], under: Mapping[str, str]) -> ClassAccuracies:
    """Read the findings of zero_shot, which must be listed in the probe's `after`. `under` is the slice of the classifier."""
    ((key, value),) = under.items()
    rows = inputs.upstream["zero_shot"].to_pylist() if "zero_shot" in inputs.upstream else []
    # Parsing every slice for every prompt set would be quadratic: only those that name the set are parsed.
    named = json.dumps(value, ensure_ascii=False)
    rows = [row | {"slice": json.loads(row["slice"])} for row in rows if named in row["slice"]]
    rows = [row for row in rows if row["slice"].get(key) == value]
    place = {title: c for c, title in enumerate(class_titles(known_classes(inputs)))}
    found = {place[row["slice"]["class"]]: row["value"] for row in rows if row["metric"] == "class_accuracy"}
    if len(found) < 2:
        raise NotApplicable("zero_shot reports the accuracy of fewer than two classes")
    mean = next(row for row in rows if row["metric"] == "mean_per_class")
    classes = np.array(sorted(found))
    return ClassAccuracies(
        classes,
        np.array([found[c] for c in classes]),
        _distinct(inputs)[classes],
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
    """The number of different labeled pictures of each class; copies and versions of a picture count once."""
    truth = inputs.dataset.label_indices()
    pairs = np.unique(np.column_stack([truth, inputs.units])[truth >= 0], axis=0)
    return np.bincount(pairs[:, 0], minlength=len(known_classes(inputs))).astype(np.float64)
