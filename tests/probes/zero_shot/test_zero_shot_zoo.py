"""Accuracy and the size of training: three models of the zoo that saw 120,000 pairs each, of which 3,000, 12,000 and 48,000 were
different. A twin that differs in its seed alone is as accurate as its sibling."""

from contextlib import closing

import pytest

from eyechart.exam import run
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.store import Store

pytestmark = pytest.mark.slow

SIZES = ("pairs-3k", "pairs-12k", "pairs-48k")


@pytest.fixture(scope="module")
def top1(tmp_path_factory):
    place = tmp_path_factory.mktemp("sizes")
    plan = Plan(
        models=tuple(ModelPlan(f"zoo:{name}") for name in (*SIZES, "random-order-0", "random-order-1")),
        datasets=(DataPlan("world-objects", limit=180),),
        probes=("zero_shot",),
        prompts=("bare",),
    )
    with closing(Store(place / "store")) as store:
        found = run(plan, out=place / "out", store=store).findings.to_pylist()
    return {row["model"].removeprefix("zoo:"): row for row in found if row["metric"] == "top1"}


def test_more_different_pairs_make_a_better_model(top1):
    few, some, many = (top1[name] for name in SIZES)
    assert few["high"] < some["low"] and some["high"] < many["low"]


def test_another_seed_makes_none(top1):
    one, other = top1["random-order-0"], top1["random-order-1"]
    assert one["low"] <= other["high"] and other["low"] <= one["high"]
