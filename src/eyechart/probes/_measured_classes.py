"""Accuracies of classes as zero_shot found them: probes that ask what they mean read them and do not measure again."""

import json
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.probes._classifier import class_titles, known_classes
from eyechart.probes.probe import Given, NotApplicable

Doubles = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Measured:
    """Under one prompt set: `accuracies` of the classes at `places` of the class list, by so many `pictures` of each, copies
    counted once; and their mean, with its interval."""

    places: Counts
    accuracies: Doubles
    pictures: Doubles
    mean: Finding


def measured_classes(given: Given, prompts: str) -> Measured:
    """From the findings of zero_shot, which the probe comes after."""
    rows = given.earlier["zero_shot"].to_pylist() if "zero_shot" in given.earlier else []
    rows = [row | {"slice": json.loads(row["slice"])} for row in rows]
    rows = [row for row in rows if row["slice"].get("prompts") == prompts]
    place = {title: c for c, title in enumerate(class_titles(known_classes(given)))}
    found = {place[row["slice"]["class"]]: row["value"] for row in rows if row["metric"] == "class_accuracy"}
    if len(found) < 2:
        raise NotApplicable("zero_shot has the accuracy of fewer than two classes, so none is the worst of many")
    mean = next(row for row in rows if row["metric"] == "mean_per_class")
    places = np.array(sorted(found))
    return Measured(
        places,
        np.array([found[c] for c in places]),
        _distinct(given)[places],
        Finding("mean_per_class", mean["value"], mean["n"], mean["low"], mean["high"], interval=mean["interval"]),
    )


def _distinct(given: Given) -> Doubles:
    """How many different labelled pictures each class has."""
    truth = given.dataset.label_indices()
    pairs = np.unique(np.column_stack([truth, given.clusters])[truth >= 0], axis=0)
    return np.bincount(pairs[:, 0], minlength=len(known_classes(given))).astype(np.float64)
