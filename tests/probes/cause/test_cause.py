"""Cause: models that differ in exactly one training fact of their training."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy.stats import ttest_rel
from tests.found import table_of

from eyechart.exam import run
from eyechart.findings.finding import Finding
from eyechart.findings.run import ALL_MODELS, read_run
from eyechart.models.card import ModelCard
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.probes.cause import Settings, _widest, cause
from eyechart.probes.cause.exhibits import _titles
from eyechart.probes.contract import NotApplicable
from eyechart.probes.cross_model import CrossModelInput

HEADLINES = {"first_object": ("first_share", "first_share_kept"), "zero_shot": ("top1",)}


def card(name: str, **training: str) -> ModelCard:
    return ModelCard(name, "onnx", training={"loss": "infonce", **training})


def trained(orders=("random", "largest"), seeds=3) -> dict[str, ModelCard]:
    facts = [(order, seed) for order in orders for seed in range(seeds)]
    return {f"{order}-{seed}": card(f"{order}-{seed}", seed=str(seed), **{"caption order": order}) for order, seed in facts}


def panel(cards, shares, metric="first_share", probe="first_object", slice=None) -> CrossModelInput:
    tables = []
    for name, share in zip(cards, shares, strict=True):
        found = [Finding(metric=metric, value=share, n=100, low=share - 0.05, high=share + 0.05, slice=slice or {})]
        tables.append(table_of(found, model=name, dataset="d", probe=probe, protocol="p", version=1))
    return CrossModelInput("d", cards, pa.concat_tables(tables), HEADLINES, {}, Settings())


def effects(answer) -> dict[str, Finding]:
    return {f.slice["training"]: f for f in answer.findings if f.metric == "training_effect"}


def test_the_effect_is_the_paired_difference_over_seeds():
    control, treated = [0.24, 0.27, 0.25], [0.71, 0.80, 0.74]
    (found,) = effects(cause.ask(panel(trained(), [*control, *treated]))).values()
    reference = ttest_rel(treated, control).confidence_interval(0.95)
    assert found.value == pytest.approx(0.75 - 0.76 / 3)
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high))
    assert (found.n, found.baseline) == (3, "random")
    assert found.slice == {"training": "caption order: largest against random", "of": "first_object.first_share"}


def test_models_that_differ_in_two_facts_are_no_pair():
    cards = trained(seeds=1) | {"odd": card("odd", seed="0", tower="conv", **{"caption order": "smallest"})}
    assert set(effects(cause.ask(panel(cards, [0.2, 0.7, 0.9])))) == {"caption order: largest against random"}


def test_checkpoints_are_no_treatment():
    cards = trained(seeds=1) | {"early": card("early", seed="0", **{"caption order": "largest", "stopped at": "15000"})}
    (found,) = effects(cause.ask(panel(cards, [0.2, 0.7, 0.9]))).values()
    assert found.value == pytest.approx(0.5)


def test_one_pair_has_the_bounds_of_its_two_numbers():
    (found,) = effects(cause.ask(panel(trained(seeds=1), [0.2, 0.7]))).values()
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.4, 0.6))
    assert "one pair" in found.interval


def test_pairs_that_differ_by_the_very_same_leave_no_certainty():
    answer = cause.ask(panel(trained(seeds=2), [0.2, 0.3, 0.2 + 1 / 336, 0.3 + 1 / 336]))
    (found,) = effects(answer).values()
    assert (found.value, found.low, found.high) == pytest.approx((1 / 336, 1 / 336 - 0.1, 1 / 336 + 0.1))
    assert "all pairs differ by the same" in found.interval
    assert all(f.low < 0 < f.high for f in answer.findings if f.metric == "strongest_training_effect")


def test_the_control_is_named_or_the_commonest():
    cards = {"a": card("a", loss="sigmoid"), "b": card("b"), "c": card("c", extra="x", loss="infonce")}
    assert list(effects(cause.ask(panel(cards, [0.5, 0.2, 0.1])))) == ["loss: sigmoid against infonce"]
    chosen = panel(cards, [0.5, 0.2, 0.1])
    named = CrossModelInput(chosen.dataset, cards, chosen.findings, HEADLINES, {}, Settings(controls=("loss=sigmoid",)))
    assert list(effects(cause.ask(named))) == ["loss: infonce against sigmoid"]


def test_a_headline_in_the_same_slice_of_all_models_is_compared():
    (found,) = effects(cause.ask(panel(trained(), [0.2, 0.3, 0.2, 0.6, 0.7, 0.7], slice={"objects": 2}))).values()
    assert found.slice["of"] == "first_object.first_share (objects: 2)"
    assert found.value == pytest.approx(1.3 / 3)


def test_slices_that_are_chosen_for_each_model_are_left_out():
    """Of six models one has another worst class; and of many classes none is the headline."""
    cards = trained()
    chosen = [panel({name: c}, [0.2], slice={"class": "cat" if i else "dog"}) for i, (name, c) in enumerate(cards.items())]
    many = [panel(cards, [0.2] * 6, slice={"class": name}) for name in ("cat", "dog")]
    for parts in (chosen, many):
        with pytest.raises(NotApplicable, match="headline metric"):
            cause.ask(replace(parts[0], cards=cards, findings=pa.concat_tables([p.findings for p in parts])))


def test_only_the_first_prompts_are_compared():
    cards = trained()
    one, other = (
        panel(cards, shares, slice={"prompts": name}) for name, shares in (("a", [0.2] * 3 + [0.5] * 3), ("b", [0.9] * 6))
    )
    (found,) = effects(cause.ask(replace(one, findings=pa.concat_tables([one.findings, other.findings])))).values()
    assert found.value == pytest.approx(0.3)


def test_models_without_facts_are_not_compared():
    with pytest.raises(NotApplicable, match="differ in exactly one training fact"):
        cause.ask(panel({"a": ModelCard("a", "onnx"), "b": ModelCard("b", "onnx")}, [0.1, 0.9]))


def test_no_effect_raises_few_alarms():
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(200):
        (found,) = effects(cause.ask(panel(trained(), rng.normal(0.25, 0.03, 6)))).values()
        alarms += not found.low <= 0 <= found.high
    assert alarms <= 18


@pytest.mark.slow
def test_the_clearest_of_many_effects_raises_few_alarms_too():
    rng = np.random.default_rng(4)
    alarms = 0
    for _ in range(200):
        cards = trained(("random", "largest", "smallest"))
        answer = cause.ask(panel(cards, rng.normal(0.25, 0.03, 9)))
        (found,) = [f for f in answer.findings if f.metric == "strongest_training_effect"]
        alarms += not found.low <= 0 <= found.high
    assert alarms <= 18


def zoo(*names: str, **inputs) -> Plan:
    models = tuple(ModelPlan(f"zoo:{name}") for name in names)
    return Plan(models=models, datasets=(DataPlan("world-objects", limit=36),), prompts=("single",), **inputs)


@pytest.mark.slow
def test_the_order_of_training_captions_is_found_in_the_zoo(tmp_path):
    plan = zoo("random-order-0", "largest-first-0", "smallest-first-0", probes=("first_object", "cause"))
    found = run(plan, out=tmp_path / "run").findings
    mine = found.filter(pc.and_(pc.equal(found["probe"], "cause"), pc.equal(found["metric"], "training_effect"))).to_pylist()
    first = {s["training"]: row for row in mine if (s := json.loads(row["slice"]))["of"] == "first_object.first_object_share"}
    assert first["caption order: largest against random"]["low"] > 0.2
    assert first["caption order: smallest against random"]["value"] < -0.1
    assert {row["model"] for row in mine} == {ALL_MODELS}
    assert len(read_run(tmp_path / "run").models) == 3


@pytest.mark.slow
def test_one_model_is_not_asked_unless_the_plan_says_so(tmp_path):
    quiet = run(zoo("random-order-0", probes=None), out=tmp_path / "a")
    assert "cause" not in quiet.skips["probe"].to_pylist()
    named = run(zoo("random-order-0", probes=("zero_shot", "cause")), out=tmp_path / "b")
    assert named.skips.filter(pc.equal(named.skips["probe"], "cause")).num_rows == 1


def test_a_chart_names_the_slice_only_where_it_must_and_claims_no_more_than_its_pairs():
    alone = cause.ask(panel(trained(), [0.2, 0.2, 0.3, 0.7, 0.8, 0.7], slice={"objects": 2})).exhibits[0]
    assert alone.table.column("metric").to_pylist() == ["first object: first share"]
    assert "over 3 pairs" in alone.sentence and "show an effect of training" in alone.sentence
    one = cause.ask(panel(trained(seeds=1), [0.2, 0.7])).exhibits[0]
    assert "show an effect of training" not in one.sentence and "between training seeds" in one.sentence
    outcomes = ["first_object.first_share (objects: 2)", "first_object.first_share (objects: 3)"]
    assert _titles(outcomes) == ["first object: first share (objects: 2)", "first object: first share (objects: 3)"]


def test_the_number_over_all_rows_comes_before_those_of_slices():
    cards = trained()
    overall, sliced = panel(cards, [0.2] * 3 + [0.5] * 3), panel(cards, [0.9] * 6, slice={"objects": 2})
    for parts in ([overall, sliced], [sliced, overall]):
        (found,) = effects(cause.ask(replace(overall, findings=pa.concat_tables([p.findings for p in parts])))).values()
        assert found.value == pytest.approx(0.3) and found.slice["of"] == "first_object.first_share"


def test_the_strongest_effect_has_the_level_of_all_that_are_compared():
    """One effect: 95%. Of two, the one farther from 0, at √0.95 each (Šidák)."""
    control, treated, other = [0.24, 0.27, 0.25], [0.71, 0.80, 0.74], [0.30, 0.31, 0.33]
    for orders, shares, level in (
        (("random", "largest"), [*control, *treated], 0.95),
        (("random", "largest", "smallest"), [*control, *treated, *other], 0.95**0.5),
    ):
        answer = cause.ask(panel(trained(orders), shares))
        (found,) = [f for f in answer.findings if f.metric == "strongest_training_effect"]
        reference = ttest_rel(treated, control).confidence_interval(level)
        assert (found.low, found.high) == pytest.approx((reference.low, reference.high))


def test_bounds_of_a_pair_need_all_four_ends():
    def found(low, high):
        return Finding(metric="m", value=0.5, n=9, low=low, high=high)

    assert _widest(found(0.1, 0.3), found(0.4, 0.9)) == (pytest.approx(-0.8), pytest.approx(-0.1))
    whole = found(0.1, 0.3)
    for part in (found(None, 0.3), found(0.1, None)):
        assert _widest(part, whole) is None and _widest(whole, part) is None


def test_pairs_without_intervals_that_differ_by_the_same_have_none():
    cards = trained(seeds=2)
    asked = panel(cards, [0.2, 0.3, 0.25, 0.35])
    nothing = pa.nulls(4, pa.float64())
    for name in ("low", "high"):
        place = asked.findings.schema.get_field_index(name)
        asked = replace(asked, findings=asked.findings.set_column(place, name, nothing))
    (found,) = effects(cause.ask(asked)).values()
    assert (found.value, found.low, found.high) == (pytest.approx(0.05), None, None) and found.interval.startswith("none: ")


def test_the_strongest_effect_is_the_one_farthest_from_zero_on_either_side():
    """Effects of 0.05 and of −0.3 on two outcomes, over three pairs each; the interval is that of both together."""
    cards = trained()
    up = panel(cards, [0.20, 0.21, 0.22, 0.25, 0.26, 0.275])
    down = panel(cards, [0.60, 0.61, 0.62, 0.30, 0.31, 0.325], metric="top1", probe="zero_shot")
    answer = cause.ask(replace(up, findings=pa.concat_tables([up.findings, down.findings])))
    (found,) = [f for f in answer.findings if f.metric == "strongest_training_effect"]
    treated, control = [0.30, 0.31, 0.325], [0.60, 0.61, 0.62]
    reference = ttest_rel(treated, control).confidence_interval(0.95**0.5)
    assert found.slice["of"] == "zero_shot.top1" and found.value == pytest.approx(np.subtract(treated, control).mean())
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high))
    assert found.interval.endswith(", all 2 together") and found.n == 3


def test_an_effect_without_an_interval_is_never_the_strongest():
    """Two pairs of top1 differ by the very same, and its numbers have no intervals."""
    cards = trained(seeds=2)
    small = panel(cards, [0.20, 0.21, 0.30, 0.32])
    large = panel(cards, [0.10, 0.20, 0.80, 0.90], metric="top1", probe="zero_shot")
    nothing = pa.nulls(4, pa.float64())
    for name in ("low", "high"):
        place = large.findings.schema.get_field_index(name)
        large = replace(large, findings=large.findings.set_column(place, name, nothing))
    answer = cause.ask(replace(small, findings=pa.concat_tables([small.findings, large.findings])))
    (strongest,) = [f for f in answer.findings if f.metric == "strongest_training_effect"]
    assert strongest.slice["of"] == "first_object.first_share"


def test_bounds_of_alike_pairs_are_the_widest_of_all():
    """Both pairs differ by 0.5; the models of the second have intervals twice as wide."""
    cards = trained(seeds=2)
    asked = panel(cards, [0.2, 0.3, 0.7, 0.8])
    shares, width = np.array([0.2, 0.3, 0.7, 0.8]), np.array([0.05, 0.1, 0.05, 0.1])
    for name, values in (("low", shares - width), ("high", shares + width)):
        place = asked.findings.schema.get_field_index(name)
        asked = replace(asked, findings=asked.findings.set_column(place, name, pa.array(values)))
    (found,) = effects(cause.ask(asked)).values()
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.3, 0.7))
