"""Charts draw the interval of the finding that they show, also where copies or scenes make it wider than Wilson's."""

import numpy as np
import pytest
from tests.probes.answering import answering, class_list

from eyechart.probes.factors import Settings as FactorsSettings
from eyechart.probes.factors import factors
from eyechart.probes.zero_shot import Settings, zero_shot

AB = class_list(["a", "b"])
TRUTH = np.arange(80) % 2
ANSWERS = np.where(np.arange(80) % 16 < 6, 1 - TRUTH, TRUTH)
SCENES = np.arange(80) // 8  # eight copies of each picture


def bounds(answer, metric, exhibit, column):
    """What the findings say and what the chart's table says, by name."""
    findings = {str(f.slice[column]): (f.value, f.low, f.high) for f in answer.findings if f.metric == metric}
    (shown,) = [e for e in answer.exhibits if e.name.startswith(exhibit)]
    rows = shown.table.to_pylist()
    name = shown.table.column_names[0]
    return findings, {row[name]: (row["accuracy"], row["low"], row["high"]) for row in rows}


def test_accuracy_of_every_class():
    answer = zero_shot.ask(answering(ANSWERS, TRUTH, AB, Settings(), clusters=SCENES))
    findings, drawn = bounds(answer, "class_accuracy", "weakest-classes", "class")
    assert drawn == findings
    low, high = next(iter(drawn.values()))[1:]
    assert high - low > 0.3  # ten pictures, not forty


def test_combinations_of_factors():
    columns = {
        "factor.pose": [bool(i % 3) for i in range(80)],
        "factor.light": [bool(i % 5) for i in range(80)],
        "attr.scene": [f"s{scene}" for scene in SCENES],
    }
    inputs = answering(ANSWERS, TRUTH, AB, FactorsSettings(least=5, permutations=20), columns=columns)
    answer = factors.ask(inputs)
    (shown,) = [e for e in answer.exhibits if e.name.startswith("conjunctions")]
    found = {(f.value, f.n): (f.low, f.high) for f in answer.findings if f.metric == "conjunction_accuracy"}
    rows = shown.table.to_pylist()
    assert len(rows) == len(found) > 0
    for row in rows:
        assert (row["low"], row["high"]) == pytest.approx(found[(row["accuracy"], row["pictures"])])


def test_confusions_of_copied_pictures_are_as_uncertain_as_the_pictures_alone():
    """Ten pictures, each copied eight times: the share among the five of class a, by Wilson with n = 5 and not 40."""
    once = zero_shot.ask(answering([1, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1], AB, Settings()))
    copied = zero_shot.ask(
        answering(np.repeat([1, 0, 0, 0, 0, 1], 8), np.repeat([0, 0, 0, 0, 0, 1], 8), AB, Settings(), clusters=np.arange(48) // 8)
    )
    (alone,), (copies,) = ([f for f in answer.findings if f.metric == "confusion"] for answer in (once, copied))
    assert (alone.value, copies.value) == (0.2, 0.2)
    assert (copies.low, copies.high) == pytest.approx((0.03622, 0.62447), abs=1e-5)
    assert (alone.low, alone.high) == pytest.approx((copies.low, copies.high))
