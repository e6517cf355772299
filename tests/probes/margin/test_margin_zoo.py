"""A model that saw six names rarely, and its twin that saw all alike: whose margins are small?"""

import json

import pytest
from scipy.stats import mannwhitneyu

import eyechart
from eyechart.world.frequencies import FROM_COMMON_TO_RARE

pytestmark = pytest.mark.slow


def margins(model, folder, store):
    exam = eyechart.examine(model, "world-long-tail", probes=["margin"], prompts="single", limit=540, out=folder, store=store)
    rows = [row | {"slice": json.loads(row["slice"])} for row in exam.findings.to_pylist() if row["probe"] == "margin"]
    by_true = [row for row in rows if row["metric"] == "class_margin" and row["slice"]["labels"] == "true"]
    (rank,) = [row for row in rows if row["metric"] == "margin_rank_correlation"]
    return {row["slice"]["class"]: row["value"] for row in by_true}, rank


def p_value(of):
    """Of rare names having smaller margins than the others, by ranks."""
    rare = set(FROM_COMMON_TO_RARE[-6:])
    return mannwhitneyu([of[n] for n in rare], [v for n, v in of.items() if n not in rare], alternative="less").pvalue


def test_rare_names_have_small_margins_in_the_long_tailed_model_and_not_in_its_twin(tmp_path, store):
    planted, rank = margins("zoo:long-tail", tmp_path / "planted", store)
    twin, _ = margins("zoo:random-order-0", tmp_path / "twin", store)
    assert p_value(planted) < 0.05
    assert p_value(twin) > 0.05
    assert rank["low"] > 0
