"""When a repair says that accuracy is not above chance, and which classes no picture is labeled with."""

import numpy as np
import pytest

from eyechart.data.classes import ClassList, PictureClass
from eyechart.findings.finding import Finding
from eyechart.probes.testing import known_predictions
from eyechart.repair.class_lists import ClassLists
from eyechart.repair.classifier_outcome import ClassifierOutcome
from eyechart.repair.evaluation import HeldOut
from eyechart.repair.notices import quality_notices


def noticed(count, lows, shifts, *, used=None, harmful=()):
    """Eight pictures of each of `count` classes. Each classifier answers with the class that is `shift` places further."""
    names = [f"n{c}" for c in range(count)]
    truth = np.repeat(np.arange(count), 8)
    labels = np.array(names)[truth]
    classes = ClassList("made", tuple(PictureClass(name, name) for name in names))
    flags = np.isin(np.arange(count), harmful)
    lists = ClassLists(classes, classes, flags, flags)
    nothing = np.zeros(len(truth), bool)
    outcomes = tuple(
        ClassifierOutcome(
            (truth + shift) % count, truth == (truth + shift) % count, np.ones(len(truth)), nothing, nothing, None, None
        )
        for shift in shifts
    )
    findings = [
        Finding(metric="mean_per_class", value=0.5, n=8 * count, low=low, high=0.9, slice={"classifier": name})
        for name, low in zip(("before", "after"), lows, strict=True)
    ]
    held_out = HeldOut(labels, {}, np.arange(len(truth)), (), 1, (), 0)
    made = known_predictions([0, 1], [0, 1], ["a", "b"], None)
    given = labels if used is None else np.array(names)[list(used)]
    return [notice.what for notice in quality_notices(made, lists, given, held_out, outcomes, findings)]


@pytest.mark.parametrize(
    ("count", "lows", "shifts", "by_chance"),
    [
        (5, (0.21, 0.21), (0, 0), False),
        (5, (0.2, 0.2), (0, 0), True),  # the lower end is chance itself
        (5, (0.2, 0.21), (0, 0), False),  # one of them is above chance
        (5, (0.21, None), (1, 0), True),
        (5, (0.9, 0.9), (1, 2), True),  # the groups are right, and all of their names are wrong
        (5, (0.9, 0.9), (1, 0), False),
        (4, (0.9, 0.9), (1, 2), False),  # four classes have too few permutations for a test
    ],
)
def test_one_classifier_must_be_above_chance_with_its_own_names(count, lows, shifts, by_chance):
    found = noticed(count, lows, shifts)
    assert len(found) == by_chance
    if by_chance:
        assert found[0].startswith("mean per-class accuracy is not above chance (20.0%)")


def test_classes_without_a_picture_are_named_unless_they_are_harmful():
    assert noticed(5, (0.9, 0.9), (0, 0), used=[0, 1, 4]) == ["no picture is labeled with 2 of 5 classes: n2; n3"]
    assert noticed(5, (0.9, 0.9), (0, 0), used=[0, 1, 4], harmful=[2]) == ["no picture is labeled with 1 of 5 classes: n3"]
    assert noticed(5, (0.9, 0.9), (0, 0), used=[0, 1, 4], harmful=[2, 3]) == []
