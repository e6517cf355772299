"""A model that saw six names rarely, and its twin that saw all alike."""

import json

import pytest

import eyechart
from eyechart.world.frequencies import FROM_COMMON_TO_RARE

pytestmark = pytest.mark.slow


def worst(model, folder, store):
    exam = eyechart.examine(model, "world-long-tail", probes=["worst"], prompts="single", limit=540, out=folder, store=store)
    rows = [row for row in exam.findings.to_pylist() if row["probe"] == "worst"]
    (found,) = [row for row in rows if row["metric"] == "worst_at_k"]
    return found, {json.loads(row["slice"])["class"] for row in rows if row["metric"] == "confusion"}


def test_rare_names_are_the_worst_of_the_long_tailed_model_and_not_of_its_twin(tmp_path, store):
    rare = set(FROM_COMMON_TO_RARE[-6:])
    planted, its_worst = worst("zoo:long-tail", tmp_path / "planted", store)
    twin, worst_of_twin = worst("zoo:random-order-0", tmp_path / "twin", store)
    assert its_worst <= rare
    assert not worst_of_twin & rare
    assert planted["high"] < twin["value"] and planted["value"] < twin["low"]
