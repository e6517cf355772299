"""Checkpoints of one training, told by their cards: what changes is found, what does not is not; other models are left alone."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import linregress
from tests.found import table_of
from tests.probes.answering import only

from eyechart.errors import EyechartError
from eyechart.exam import run
from eyechart.findings.finding import Finding
from eyechart.models.card import ModelCard
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.probes.contract import NotApplicable
from eyechart.probes.cross_model import CrossModelInput
from eyechart.probes.progression import Settings, progression
from eyechart.probes.progression.checkpoints import training_runs
from eyechart.world.zoo import zoo_folder

SAMPLES = (15_000, 30_000, 60_000, 120_000)


def card(name, samples, **training):
    return ModelCard(name, "onnx", samples_seen=samples, training={"seed": "1", "stopped at": str(samples), **training})


def checkpoints(name="run", **training):
    return {f"{name}-at-{n // 1000}k": card(f"{name}-at-{n // 1000}k", n, **training) for n in SAMPLES}


def panel(cards, shares, width=0.02, settings=None):
    tables = []
    for name, share in zip(cards, shares, strict=True):
        bounds = (share - width, share + width)
        found = [
            Finding(metric="first_object_share", value=share, n=480, low=bounds[0], high=bounds[1]),
            Finding(metric="first_object_lead", value=share - 0.2, n=480, low=bounds[0] - 0.2, high=bounds[1] - 0.2),
            Finding(
                metric="first_object_lead",
                value=share - 0.2,
                n=480,
                low=bounds[0] - 0.2,
                high=bounds[1] - 0.2,
                slice={"captions": "bare", "count": 4},
            ),
        ]
        tables.append(table_of(found, model=name, dataset="d", probe="first_object", protocol="p", version=1))
    return CrossModelInput("d", cards, pa.concat_tables(tables), {}, {}, settings or Settings())


def test_growth_by_hand():
    shares = [0.3, 0.4, 0.5, 0.6]
    answer = progression.ask(panel(checkpoints(), shares))
    change = only(answer, "first_object_share_change")
    assert (change.value, change.baseline) == (pytest.approx(0.3), "after 15,000 samples")
    assert (change.low, change.high) == pytest.approx((0.3 - np.hypot(0.02, 0.02), 0.3 + np.hypot(0.02, 0.02)))
    slope = only(answer, "first_object_share_per_doubling")
    assert slope.value == pytest.approx(linregress(np.log2(SAMPLES), shares).slope) and slope.n == 4
    assert [f.slice["samples"] for f in answer.findings if f.metric == "first_object_share"] == list(SAMPLES)
    (exhibit,) = answer.exhibits
    assert "changes by +30.0 points." in exhibit.sentence and exhibit.table.column("samples").to_pylist() == list(SAMPLES)


def test_two_trainings_are_followed_apart_and_other_models_left_alone():
    cards = checkpoints("a", order="random") | checkpoints("b", order="largest") | {"lone": ModelCard("lone", "timm")}
    answer = progression.ask(panel(cards, [0.25] * 4 + [0.3, 0.5, 0.7, 0.8] + [0.9]))
    flat, steep = (
        only(answer, "first_object_share_change", run="a-at-120k"),
        only(answer, "first_object_share_change", run="b-at-120k"),
    )
    assert flat.low <= 0 <= flat.high and steep.low > 0.4
    assert "not significant" in answer.exhibits[0].sentence


def of(name, samples, source="LAION-2B", **facts):
    return ModelCard(name, "open_clip", architecture="ViT-B-32", source=source, samples_seen=samples, loss="InfoNCE", **facts)


def test_separate_trainings_are_never_joined():
    """laion2b_e16 and laion2b_s34b_b79k have one architecture and one source, and were trained apart."""
    assert training_runs({"a": of("ViT-B-32/laion2b_e16", 32), "b": of("ViT-B-32/laion2b_s34b_b79k", 34)}) == []
    assert training_runs({"a": of("ViT-B-32/laion2b_s12b_b42k", 12), "b": of("ViT-B-32/laion2b_s34b_b79k", 34)}) == []
    epochs = {n: of(f"ViT-B-32/laion400m_e{n}", int(n)) for n in ("31", "32")}
    (found,) = training_runs(epochs | {"other": of("ViT-B-32/laion2b_e16", 16)})
    assert (found.models, found.samples) == (("31", "32"), (31, 32))


def test_a_plan_can_say_that_models_are_of_one_run():
    cards = {"x": of("x", 2, run="mine"), "y": of("y", 4, run="mine"), "z": of("z", 8, run="yours")}
    (found,) = training_runs(cards)
    assert (found.models, found.samples) == (("x", "y"), (2, 4))


def test_every_number_of_objects_is_followed():
    answer = progression.ask(panel(checkpoints(), [0.3, 0.4, 0.5, 0.6]))
    of_four = [f for f in answer.findings if f.slice.get("objects") == 4]
    assert {f.metric for f in of_four} == {"first_object_lead", "first_object_lead_change", "first_object_lead_per_doubling"}
    assert only(answer, "first_object_lead_change", run="run-at-120k", objects=4).value == pytest.approx(0.3)


def test_where_nothing_is_to_be_followed_it_says_so():
    with pytest.raises(NotApplicable, match="model cards of one training run"):
        progression.ask(panel({"a": card("a", 5), "b": card("b", 9, seed="2")}, [0.1, 0.2]))
    with pytest.raises(NotApplicable, match="run these probes"):
        progression.ask(panel(checkpoints(), [0.1] * 4, settings=Settings(measures=("zero_shot.top1",))))
    with pytest.raises(ValueError, match="write probe"):
        Settings(measures=("first_object_share",))


def test_a_measure_of_the_users_choice_is_followed():
    settings = Settings(measures=("first_object.all_objects_retrieved",))
    given = panel(checkpoints(), [0.1, 0.2, 0.3, 0.4], settings=settings)
    rows = given.findings.to_pylist()
    renamed = [
        r | {"metric": "all_objects_retrieved"} for r in rows if r["metric"] == "first_object_share" and r["slice"] == "{}"
    ]
    answer = progression.ask(replace(given, findings=pa.Table.from_pylist(renamed, given.findings.schema)))
    (change,) = [f for f in answer.findings if f.metric == "measure_change"]
    assert change.value == pytest.approx(0.3) and change.slice["of"] == "first_object.all_objects_retrieved"


@pytest.mark.slow
def test_noise_alone_raises_few_alarms():
    """Shares of 480 captions each, with the intervals that such shares have."""
    rng, alarms = np.random.default_rng(0), []
    for _ in range(200):
        shares = rng.binomial(480, 0.3, 4) / 480
        change = only(
            progression.ask(panel(checkpoints(), shares, width=1.96 * np.sqrt(0.21 / 480))), "first_object_share_change"
        )
        alarms.append(not change.low <= 0 <= change.high)
    assert not alarms[0]
    assert sum(alarms) <= 18


@pytest.mark.parametrize("order", ["random-order", "largest-first"])
def test_checkpoints_of_the_zoo(order, store, tmp_path):
    names = (f"{order}-1-at-15k", f"{order}-1")
    try:
        for name in names:
            zoo_folder(name)
    except EyechartError as reason:
        pytest.skip(str(reason))
    plan = Plan(
        models=tuple(ModelPlan(f"zoo:{name}") for name in names),
        datasets=(DataPlan("world-objects", limit=2),),
        probes=("first_object", "progression"),
        settings={"first_object": {"counts": [4], "captions": 120, "styles": ["bare"]}},
    )
    exam = run(plan, out=tmp_path / "out", store=store)
    changes = [f for f in exam.findings.to_pylist() if f["metric"] == "first_object_lead_change"]
    assert changes and len({f["value"] for f in changes}) == 1  # of the one count, and overall
    if order == "random-order":  # captions in a random order teach no lead, early or late
        assert changes[0]["low"] <= 0 <= changes[0]["high"]
    else:  # captions that name the largest object first teach it
        assert changes[0]["low"] > 0.3


def test_two_checkpoints_have_a_change_and_no_slope_and_three_have_both():
    for count, metrics in (
        (2, {"first_object_share_change"}),
        (3, {"first_object_share_change", "first_object_share_per_doubling"}),
    ):
        cards = dict(list(checkpoints().items())[:count])
        answer = progression.ask(panel(cards, [0.3, 0.4, 0.5][:count]))
        found = [f for f in answer.findings if f.metric in ("first_object_share_change", "first_object_share_per_doubling")]
        assert {f.metric for f in found} == metrics and {f.n for f in found} == {count}
    (point,) = [f for f in answer.findings if f.metric == "first_object_share" and f.slice.get("samples") == 30_000]
    assert (point.value, point.low, point.high, point.n) == (0.4, pytest.approx(0.38), pytest.approx(0.42), 480)


@pytest.mark.parametrize(
    ("width", "said"), [(0.02, "+30.0 points."), (0.3, "+30.0 points, which is not significant at 95% confidence.")]
)
def test_the_sentence_says_whether_the_change_is_significant(width, said):
    (shown,) = progression.ask(panel(checkpoints(), [0.3, 0.4, 0.5, 0.6], width)).exhibits
    assert shown.sentence == f"From the first checkpoint to the last, the lead of the first object changes by {said}"
    assert shown.table.column("samples").to_pylist() == list(SAMPLES)
    assert set(shown.table.column("objects in the caption").to_pylist()) == {"4"}
