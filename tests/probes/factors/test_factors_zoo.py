"""Factors on a model that never saw a toppled thing, and on its twin that saw many."""

import json
from contextlib import closing

import pytest

import eyechart
from eyechart.store import Store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def fallen(tmp_path_factory):
    """What was found of both models, by metric and factor."""
    place = tmp_path_factory.mktemp("exams")
    found = {}
    with closing(Store(place / "store")) as store:
        for name in ("unseen-pose", "often-pose"):
            exam = eyechart.examine(
                f"zoo:{name}", "world-factors", prompts="single", probes=["factors"], out=place / name, store=store
            )
            rows = [row for row in exam.findings.to_pylist() if row["probe"] == "factors"]
            found[name] = {(row["metric"], json.loads(row["slice"]).get("factor")): row for row in rows}
    return found


def test_a_factor_that_was_never_seen_is_found(fallen):
    assert fallen["unseen-pose"]["factor_gap", "pose"]["high"] < -0.2


def test_the_twin_stays_quiet(fallen):
    twin = fallen["often-pose"]["factor_gap", "pose"]
    assert twin["low"] <= 0 <= twin["high"]
