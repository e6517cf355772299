"""Probes of one dataset share class vectors and scores; those of another dataset do not keep its memory."""

import pytest

from eyechart.exam import run
from eyechart.metrics.classification.shared_scores import SharedScores
from eyechart.plan import DataPlan, ModelPlan, Plan


@pytest.fixture
def used(monkeypatch):
    """Every classifier that was asked for, with the object that it was asked of; the real ones are built."""
    asked, once = [], SharedScores.once

    def recorded(self, key, make):
        asked.append((self, key))
        return once(self, key, make)

    monkeypatch.setattr(SharedScores, "once", recorded)
    return asked


def test_all_probes_of_a_dataset_share_scores_and_those_of_another_have_their_own(used, tmp_path):
    data = DataPlan("world-objects", limit=36), DataPlan("world-factors", limit=36)
    probes = ("zero_shot", "calibration", "class_count")
    plan = Plan((ModelPlan("demo:"),), data, prompts=("single",), probes=probes)
    exam = run(plan, out=tmp_path / "out", store=tmp_path / "store")
    assert {row["probe"] for row in exam.findings.to_pylist()} >= set(probes)
    assert len(used) >= 5  # several probes on each dataset asked for its classifier
    assert len({id(shared) for shared, _ in used}) == 2
    assert len(set(used)) == 2
