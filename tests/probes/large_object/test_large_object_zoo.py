"""Large objects on the whole way: the model that ships with Eyechart sees the larger of two things first, the more so the larger
it is."""

import json

import pytest
from tests.witness import rows

from eyechart.exam import run
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.store.store import Store

pytestmark = pytest.mark.slow

PLAN = Plan(
    (ModelPlan("demo:"),),
    (DataPlan("world-size-ratios", limit=396), DataPlan("world-objects", limit=180, role="gallery")),
    probes=("large_object",),
)


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    store = Store(folder / "store")
    yield run(PLAN, out=folder / "out", store=store)
    store.close()


def dose(exam, ratio):
    (found,) = [
        r
        for r in rows(exam, "object_share")
        if json.loads(r["slice"]) == {"against": "pictures", "objects": 2, "ratio": ratio, "size_rank": 1}
    ]
    return found


def test_the_larger_is_seen_first_the_more_so_the_larger_it_is(exam):
    assert rows(exam, "large_object_odds_ratio")[0]["low"] > 1.2
    assert dose(exam, 15.0)["low"] > 0.5
    assert dose(exam, 15.0)["value"] > dose(exam, 1.0)["high"]
    assert dose(exam, 1.0)["low"] < 0.5 < dose(exam, 1.0)["high"]


def test_enough_scenes_are_kept(exam):
    assert all(r["low"] > 0.2 for r in rows(exam, "all_objects_retrieved"))


def test_names_are_looked_among_too(exam):
    assert {json.loads(r["slice"])["against"] for r in rows(exam, "all_objects_retrieved")} == {"pictures", "names"}


def test_targets_are_not_asked_about(exam):
    assert {r["dataset"] for r in exam.findings.to_pylist() if r["probe"] == "large_object"} == {"world-size-ratios"}
    assert exam.report().is_file()
