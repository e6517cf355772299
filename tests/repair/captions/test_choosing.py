"""Which way of encoding captions is chosen, where ways differ in gains and costs; and the advice."""

from dataclasses import replace

import numpy as np
import pytest

from eyechart.findings.finding import Finding
from eyechart.probes.matching.trials import KINDS
from eyechart.repair.captions.advice import caption_sentences
from eyechart.repair.captions.changes import short_title, trial_title
from eyechart.repair.captions.choosing import choose, scores
from eyechart.repair.captions.exhibits import change_exhibits, comparison_exhibits
from eyechart.repair.captions.metrics import OF_PURPOSE
from eyechart.repair.captions.repair import OVERALL, CaptionsRepaired
from eyechart.repair.captions.trial_results import TrialResults

N = 400


def shares(purpose: str = "matching", **right: int):
    """Of 400 trials so many right, at places of their own."""
    rng = np.random.default_rng(0)
    hits = {way.replace("_", " "): rng.permutation(N) < count for way, count in right.items()}
    return scores([TrialResults(purpose, "a trial", hits, np.arange(N))], [purpose], np.arange(N))


MATCHING = shares(as_is=240, orders=294, parts=299, both=290)


def test_without_a_second_purpose_the_best_is_taken():
    assert choose(MATCHING) == "parts"


def test_of_ways_that_do_as_well_the_one_that_does_not_ruin_the_other_purpose_is_taken():
    assert choose(MATCHING, [shares("retrieval", as_is=180, orders=240, parts=30, both=120)]) == "orders"


def test_a_way_that_is_better_beyond_chance_is_taken_whatever_it_costs():
    far_better = shares(as_is=240, orders=280, parts=380, both=280)
    assert choose(far_better, [shares("retrieval", as_is=180, orders=240, parts=30, both=120)]) == "parts"


def test_a_gain_at_the_other_purpose_alone_is_no_reason():
    assert choose(shares(as_is=240, orders=241), [shares("retrieval", as_is=180, orders=300)]) == "as is"


def findings(**changes: tuple[float, float]) -> list[Finding]:
    """Of every way the change at matching and at retrieval, each give or take two points."""
    found = []
    for purpose, trial in OVERALL.items():
        metric = OF_PURPOSE[purpose]
        found.append(Finding(metric=metric, value=0.5, n=N, low=0.48, high=0.52, slice={"trial": trial, "captions": "as is"}))
        for way, both in changes.items():
            change, where = both[purpose == "retrieval"], {"trial": trial, "captions": way}
            found.append(Finding(metric=metric, value=0.5 + change, n=N, low=0.48, high=0.52, slice=where))
            found.append(
                Finding(
                    metric=f"{metric}_change",
                    value=change,
                    n=N,
                    low=change - 0.02,
                    high=change + 0.02,
                    slice=where,
                    baseline="as is",
                )
            )
    return found


def repaired(chosen: str, gain: float = 0.1, **changes: tuple[float, float]) -> CaptionsRepaired:
    gains = {
        way: Finding(metric="selection_half_gain", value=gain, n=N, low=gain - 0.02, high=gain + 0.02, baseline="as is")
        for way in changes
    }
    numbers = {purpose: dict.fromkeys(("as is", *changes), (0.5, 0.5)) for purpose in OVERALL}
    asked = dict.fromkeys(KINDS, ("cube and star", "moon and star"))
    return CaptionsRepaired(
        chosen, ("matching",), numbers, dict.fromkeys(OVERALL, (7, 8)), gains, findings(**changes), N, [], asked, []
    )


def test_a_cost_is_said_before_anything_else_and_what_spares_it_beside():
    first, second, *_ = caption_sentences(repaired("parts", parts=(0.12, -0.38), orders=(0.1, 0.0)))
    assert "has a cost: retrieval −38.0 points (−40.0 to −36.0). It gains matching 12.0 points (10.0 to 14.0). In sum" in first
    assert "not significantly better. Use it for matching only, or use the mean over orders" in first
    assert second.startswith("Use the mean over single-object captions")


def test_a_way_that_is_better_in_sum_is_not_said_to_be_unproven():
    both = replace(repaired("orders", orders=(0.3, -0.1), both=(0.1, -0.1)), purposes=("matching", "retrieval"))
    assert "In sum it is better on the selection half" in caption_sentences(both)[0]


@pytest.mark.parametrize(("low", "better"), [(0.001, True), (0.0, False), (-0.001, False), (None, False)])
def test_better_in_sum_is_above_zero_at_95_percent(low, better):
    both = replace(repaired("orders", orders=(0.3, -0.1)), purposes=("matching", "retrieval"))
    gains = {"orders": replace(both.gains["orders"], low=low)}
    first = caption_sentences(replace(both, gains=gains))[0]
    assert ("In sum it is better on the selection half" in first) is better
    assert ("In sum it is not significantly better" in first) is not better


def test_where_nothing_spares_the_cost_nothing_else_is_named():
    first, *_ = caption_sentences(repaired("parts", parts=(0.12, -0.38), orders=(0.1, -0.2)))
    assert first.endswith("Use it for matching only.")


def test_a_way_without_a_cost_is_recommended_at_once():
    assert caption_sentences(repaired("orders", orders=(0.1, 0.01), both=(0.1, 0.0)))[0].startswith("Use the mean over orders")


def test_what_was_asked_for_is_measured_and_no_advice():
    assert (
        caption_sentences(repaired("parts", parts=(0.1, 0.0)))[0]
        == "Measured as requested: the mean over single-object captions."
    )
    assert "Keep the original captions" in caption_sentences(repaired("parts", parts=(-0.1, -0.1)))[0]


def test_where_captions_are_left_the_gain_that_was_too_small_is_told_and_the_rest_is_no_change_that_was_made():
    left, *more = caption_sentences(repaired("as is", gain=0.01, orders=(0.0, 0.0)))
    assert "changed matching by 1.0 points (−1.0 to 3.0; not significant)" in left
    assert "Below are its changes on the held-out half" in left and not any("shows none" in text for text in more)


BOTH_PURPOSES = {
    "matching": {"as is": (0.596, 0.598), "orders": (0.737, 0.730)},
    "retrieval": {"as is": (0.647, 0.637), "orders": (0.529, 0.508)},
}


def test_a_cost_is_said_first_where_captions_are_left_too_and_what_to_do_for_each_purpose():
    """Both halves gain at matching and lose at retrieval: nothing disagrees."""
    left = replace(repaired("as is", gain=0.01, orders=(0.13, -0.13)), purposes=("matching", "retrieval"), scores=BOTH_PURPOSES)
    first, second, third, *_ = caption_sentences(left)
    assert "has a cost: retrieval −13.0 points (−15.0 to −11.0). It gains matching 13.0 points (11.0 to 15.0)" in first
    assert "In sum it is not significantly better" in first
    assert second.startswith("Keep the original captions where retrieval matters")
    assert third == "Both halves gain in matching (14.1 points and 13.0 points). If only matching matters, choose for it with" + (
        " --purpose matching."
    )
    assert not any("shows none" in text for text in caption_sentences(left))


def test_a_cost_without_a_gain_is_said_first_as_well():
    first, second, *_ = caption_sentences(repaired("as is", gain=-0.1, orders=(-0.1, 0.0)))
    assert first == "The mean over orders of the objects has a cost: matching −10.0 points (−12.0 to −8.0)."
    assert second.startswith("Keep the original captions. ")


def test_a_gain_that_only_one_half_is_sure_of_is_no_disagreement():
    scores = {purpose: {"as is": (0.5, 0.5), "orders": (0.51, 0.54)} for purpose in OVERALL}
    said = caption_sentences(replace(repaired("as is", gain=0.01, orders=(0.04, 0.0)), scores=scores))
    assert "on the selection half is not significant" in said[1] and not any("shows none" in text for text in said)


def test_a_way_that_was_taken_and_gains_nothing_on_held_out_pictures_is_said_to():
    assert caption_sentences(repaired("orders", orders=(0.01, 0.0), both=(0.0, 0.0)))[0].startswith(
        "Nothing improved significantly"
    )


def test_halves_that_disagree_are_said_to():
    assert "but the selection half shows none" in caption_sentences(repaired("as is", gain=0.01, orders=(0.04, 0.0)))[1]


def test_labels_of_charts_are_short_and_differ():
    """A chart of half the page cuts labels after some twenty letters."""
    parts = ("R@1", "R@5", "R@10", "R@1, large named first", "R@1, large named later")
    trials = [*KINDS, *OVERALL.values(), *(f"text → image, {part}" for part in parts), "image → text, R@1"]
    labels = [short_title(trial) for trial in trials]
    assert len({label[:20] for label in labels}) == len(trials) and max(map(len, labels)) <= 20


def test_the_scenarios_are_explained_by_what_was_asked():
    exhibits = {e.name: e for e in comparison_exhibits(repaired("orders", orders=(0.1, 0.0)))}
    rows = exhibits["trials"].table.to_pylist()
    assert rows[1] == {"trial": trial_title("scenario 2"), "true": "cube and star", "false": "moon and star"}
    assert "order reversed" in rows[1]["trial"]


def test_what_was_tried_is_shown_at_both_purposes():
    columns = {e.name: e for e in comparison_exhibits(repaired("orders", orders=(0.1, 0.0)))}["ways"].table.column_names
    assert columns[1:] == [f"{p}, {half}" for half in ("selection half (n = 7)", "held-out half (n = 8)") for p in OVERALL]


@pytest.mark.parametrize("purpose", OVERALL)
def test_a_dataset_that_has_one_purpose_shows_that_alone(purpose):
    whole = repaired("orders", orders=(0.1, 0.0))
    one = replace(whole, findings=[f for f in whole.findings if f.metric.startswith(purpose)])
    assert {e.name.split("-")[0] for e in change_exhibits(one)} == {purpose}


def test_purposes_weigh_the_same_and_kinds_within_them():
    """Matching has two kinds, 30% and 50%; retrieval one, 80%; a kind that does not count is left out: (0.4 + 0.8) / 2."""
    results = [
        TrialResults("matching", "a", {"as is": np.arange(10) < 3}, np.arange(10)),
        TrialResults("matching", "b", {"as is": np.arange(40) < 20}, np.arange(40)),
        TrialResults("matching", "c", {"as is": np.zeros(40, bool)}, np.arange(40), counts=False),
        TrialResults("retrieval", "d", {"as is": np.arange(20) < 16}, np.arange(20)),
    ]
    both, one = (scores(results, purposes, np.arange(40))["as is"] for purposes in (["matching", "retrieval"], ["matching"]))
    assert (both.value, both.whole) == (pytest.approx(0.6), pytest.approx(1.0))
    assert one.value == pytest.approx(0.4)


def test_several_purposes_are_judged_together():
    both = ("matching", "retrieval")
    left = replace(repaired("as is", gain=0.01, orders=(0.0, 0.0)), purposes=both)
    assert "changed matching and retrieval together by 1.0 points" in caption_sentences(left)[0]
    assert " together" not in caption_sentences(replace(left, purposes=("matching",)))[0]


def test_a_way_that_gains_for_one_of_two_purposes_spares_the_cost():
    """The mean over both gains for neither."""
    found = repaired("parts", parts=(0.12, -0.38), both=(0.0, 0.0), orders=(0.1, 0.0))
    first, *_ = caption_sentences(replace(found, purposes=("matching", "retrieval")))
    assert first.endswith(
        "Use it for matching only, or use the mean over orders of the objects, which also gains and has no significant loss."
    )
