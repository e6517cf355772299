import pytest
from tests.found import run_of, table_of

from eyechart.errors import UsageError
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Metric
from eyechart.verdict.targets import judged_metrics, parse_target
from eyechart.verdict.verdict import verdict_of

ECE = Metric(name="ece", title="ECE", higher_is_better=False)
TOP5 = Metric(name="top5", title="top-5 accuracy")
RATE = Metric(name="rate", title="rate", higher_is_better=None)


@pytest.mark.parametrize(("text", "value"), [("top1=0.8", 0.8), ("top1=80%", 0.8), (" top1 = 80 % ".replace(" %", "%"), 0.8)])
def test_targets_are_numbers_or_percentages(text, value):
    assert parse_target(text) == ("top1", pytest.approx(value))


@pytest.mark.parametrize("text", ["top1", "top1=", "=0.8", "top1=high", "top1=nan", "top1=inf", ""])
def test_other_words_are_refused(text):
    with pytest.raises(UsageError, match="write METRIC=NUMBER"):
        parse_target(text)


def test_a_metric_without_limits_gets_one_in_its_better_direction():
    (low,), (high,) = (judged_metrics([("p", m)], {m.name: 0.3}) for m in (TOP5, ECE))
    assert (low.limits.at_least, low.limits.at_most, low.limits.area) == (0.3, None, "other targets")
    assert (high.limits.at_least, high.limits.at_most, high.source) == (None, 0.3, "--target")


def test_names_that_are_unknown_ambiguous_or_without_direction_are_refused():
    known = [("calibration", ECE), ("prompts", ECE), ("zero_shot", TOP5), ("groups", RATE)]
    with pytest.raises(UsageError, match=r"did you mean 'top5'"):
        judged_metrics(known, {"top6": 1})
    with pytest.raises(UsageError, match=r"write one of calibration\.ece, prompts\.ece"):
        judged_metrics(known, {"ece": 0.1})
    with pytest.raises(UsageError, match="neither a higher nor a lower value is better"):
        judged_metrics(known, {"rate": 0.1})
    (judged,) = judged_metrics(known, {"prompts.ece": 0.1})
    assert judged.probe == "prompts"


@pytest.mark.parametrize("value", [80, -80, 1.5])
def test_a_share_above_one_is_refused(value):
    with pytest.raises(UsageError, match="it is a fraction, at most 1"):
        judged_metrics([("zero_shot", TOP5)], {"top5": value})


def test_a_percentage_without_its_sign_is_named():
    with pytest.raises(UsageError, match=r"write top5=80% or top5=0\.8$"):
        judged_metrics([("zero_shot", TOP5)], {"top5": 80})


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_the_ends_of_the_range_can_be_targets(value):
    (judged,) = judged_metrics([("zero_shot", TOP5)], {"top5": value})
    assert judged.target == value


def test_other_units_can_be_above_one():
    (judged,) = judged_metrics([("p", Metric(name="mce", title="mCE", unit="number", higher_is_better=False))], {"mce": 80})
    assert judged.limits.at_most == 80


def found(metric, value, low, high, probe):
    run = run_of(table_of([Finding(metric=metric, value=value, n=200, low=low, high=high)], probe=probe))
    return lambda **targets: verdict_of(run, "m", targets=targets)


def test_a_target_moves_the_outcome_and_its_sentence_and_names_its_source():
    judge = found("ood_fpr95", 0.3, 0.25, 0.35, "ood")
    assert judge().areas["out-of-distribution"] == "bad"
    made = judge(ood_fpr95=0.4)
    (ruling,) = made.good
    assert ruling.sentence == "Less than 40% of out-of-distribution pictures are accepted at 95% TPR."
    assert ruling.figures[0].compared_text == "target at most 40.0% (--target)"
    assert judge().bad[0].figures[0].compared_text == "target at most 20.0% (default)"


def test_a_target_of_two_sides_is_taken_to_both():
    judge = found("overconfidence", -0.08, -0.1, -0.06, "calibration")
    assert judge().areas["calibration"] == "bad" and judge(overconfidence=0.15).areas["calibration"] == "good"


def test_a_target_replaces_a_limit_relative_to_chance():
    table = table_of(
        [
            Finding(metric="worst_at_k", value=0.5, n=40, low=0.4, high=0.6, slice={"k": 1}),
            Finding(metric="worst_at_k_chance", value=0.9, n=400, low=0.8, high=0.95, slice={"k": 1}),
        ],
        probe="worst",
    )
    assert verdict_of(run_of(table), "m").areas["worst classes"] == "bad"
    assert verdict_of(run_of(table), "m", targets={"worst_at_k": 0.3}).areas["worst classes"] == "good"


@pytest.mark.parametrize(("low", "outcome"), [(0.06, "bad"), (0.11, "good")])
def test_a_target_below_chance_is_no_reason_to_call_an_accuracy_good(low, outcome):
    """Mean per-class accuracy with a target of 2%, beside a chance level of 10%."""
    found = [
        Finding(metric="mean_per_class", value=low + 0.02, n=400, low=low, high=low + 0.04),
        Finding(metric="chance", value=0.1, n=400),
    ]
    (ruling,) = [r for r in verdict_of(run_of(table_of(found)), "m", targets={"mean_per_class": 0.02}).rulings if r.figures]
    assert ruling.outcome == outcome
