"""Models in which a defect was planted, and their twins without it: the verdict warns of the defect, and not of the twin."""

import pytest

import eyechart
from eyechart.verdict.verdict import verdict_of

pytestmark = pytest.mark.slow

CASES = {
    # the defect: dataset, model with it, twin without it, probe, metric, the slice that shows it, and targets
    "rare classes": ("world-long-tail", "long-tail", "random-order-0", "zero_shot", "class_accuracy", {}, {"worst_class": 0.4}),
    "overconfidence": ("world-factors", "overconfident", "default", "calibration", "overconfidence", {}, {}),
    "an unseen pose": ("world-factors", "unseen-pose", "often-pose", "factors", "factor_gap", {"factor": "pose"}, {}),
    "caption order": ("world-scenes", "largest-first-0", "random-order-0", "first_object", "first_object_lead", {}, {}),
}


def warned(model, dataset, probe, metric, where, targets, tmp_path, store):
    """Whether the verdict warns, with a figure of this metric and slice."""
    asked = {"probes": ["zero_shot", probe], "prompts": "single", "targets": targets}
    exam = eyechart.examine(f"zoo:{model}", dataset, **asked, out=tmp_path / model, store=store)
    bad = verdict_of(exam.run, exam.run.models[0]).bad
    return any((f.probe, f.metric) == (probe, metric) and where.items() <= f.where.items() for r in bad for f in r.figures)


@pytest.mark.parametrize("defect", CASES)
def test_a_planted_defect_is_warned_of_and_its_twin_is_not(defect, tmp_path, store):
    dataset, defective, twin, *figure = CASES[defect]
    assert warned(defective, dataset, *figure, tmp_path, store)
    assert not warned(twin, dataset, *figure, tmp_path, store)
