"""Numbers under a prompt set and their differences, by hand on eight pictures."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from eyechart.metrics.intervals.clustered_shares import clustered_share, share_difference
from eyechart.metrics.ranking.intervals import Scored
from eyechart.probes.prompts.differences import (
    Pictures,
    calibrations,
    differences,
    false_positive_rates,
    largest_change,
    set_findings,
    unstable_predictions,
)
from eyechart.probes.tasks.prompt_outcomes import PromptOutcome
from eyechart.prompts.prompt_set import PromptSet

TRUTH = np.array([0, 1, 0, 1, 0, 1, 0, 1])
PICTURES = Pictures(np.arange(8), {"dark": np.arange(8) < 4, "odd": np.arange(8) % 2 == 1, "few": np.arange(8) < 2})


def outcome(name, wrong, nll, ood=None):
    predicted = np.where(np.isin(np.arange(8), wrong), 1 - TRUTH, TRUTH)
    confidence = np.linspace(0.55, 0.95, 8)
    scored = None if ood is None else Scored(np.asarray(ood, float), np.arange(len(ood)) < 4, np.arange(len(ood)))
    return PromptOutcome(
        PromptSet(name, ("{}",), "test"), predicted, predicted == TRUTH, confidence, np.asarray(nll, float), scored
    )


FIRST = outcome("first", [0, 5], [1, 0.5, 0.2, 0.4, 0.1, 0.9, 0.3, 0.6], [4, 3, 2, 5, 1, 2.5, 0])
SECOND = outcome("second", [0, 1, 2], [1, 1.5, 1.2, 0.4, 0.1, 0.2, 0.3, 0.3], [4, 3, 2, 5, 4.5, 2.5, 0])
THIRD = outcome("third", [5], [0.5] * 8)


def found(findings):
    return {(f.metric, f.slice.get("factor")): f for f in findings}


def test_numbers_under_one_set():
    (own,) = calibrations([FIRST], PICTURES.units, bins=5, seed=0, resamples=50)
    (rate,) = false_positive_rates([FIRST], seed=0, resamples=50)
    table = found(set_findings(FIRST, own, rate, PICTURES))
    assert (table["top1", None].value, table["top1", None].n, table["top1", None].slice) == (0.75, 8, {"prompts": "first"})
    nll = table["nll", None]
    half = norm.ppf(0.975) * np.sqrt(((FIRST.nll - 0.5) ** 2).sum() * 8 / 7) / 8
    assert (nll.value, nll.n) == (pytest.approx(0.5), 8)
    assert nll.high - nll.value == pytest.approx(nll.value - nll.low) == pytest.approx(half, rel=0.25)
    auroc = table["ood_auroc", None]
    assert (auroc.value, auroc.n) == (pytest.approx(roc_auc_score(FIRST.ood.inside, FIRST.ood.scores)), 7)
    # Dark and odd have 3 of 4 each, few 1 of 2.
    worst = table["worst_factor_accuracy", "few"]
    assert (worst.value, worst.n) == (0.5, 2)
    without = found(set_findings(FIRST, own, rate, replace(PICTURES, factors={k: PICTURES.factors[k] for k in ("dark", "odd")})))
    assert ("worst_factor_accuracy", "dark") in without
    more = {"few": np.arange(8) < 1, "many": np.isin(np.arange(8), [0, 5])}
    assert found(set_findings(FIRST, own, rate, replace(PICTURES, factors=more)))["worst_factor_accuracy", "many"].n == 2
    bare = found(set_findings(replace(FIRST, ood=None), None, None, replace(PICTURES, factors={})))
    assert set(bare) == {("top1", None)}


def test_differences_are_this_set_minus_the_first():
    own, base = calibrations([SECOND, FIRST], PICTURES.units, bins=5, seed=0, resamples=50)
    rates = false_positive_rates([SECOND, FIRST], seed=0, resamples=50)
    table = found(differences(SECOND, FIRST, (own, base), tuple(rates), PICTURES))
    assert {f.baseline for f in table.values()} == {"first"} and {f.slice["prompts"] for f in table.values()} == {"second"}
    top1 = table["top1_difference", None]
    shares = [clustered_share(o.correct, np.arange(8)) for o in (SECOND, FIRST)]
    assert (top1.value, top1.n) == (pytest.approx(-1 / 8), 8) and (top1.low, top1.high) == pytest.approx(
        tuple(share_difference(*shares))
    )
    changed = table["changed_predictions", None]
    assert (changed.value, changed.n) == (pytest.approx(3 / 8), 8)  # rows 1, 2 and 5
    assert table["nll_difference", None].value == pytest.approx(SECOND.nll.mean() - FIRST.nll.mean())
    assert table["ece_difference", None].value == pytest.approx(own.gaps.ece - base.gaps.ece)
    areas = [roc_auc_score(o.ood.inside, o.ood.scores) for o in (SECOND, FIRST)]
    assert (table["ood_auroc_difference", None].value, table["ood_auroc_difference", None].n) == (
        pytest.approx(areas[0] - areas[1]),
        7,
    )
    assert table["ood_fpr95_difference", None].value == pytest.approx(rates[0].value - rates[1].value)
    assert table["factor_difference", "dark"].value == pytest.approx(1 / 4 - 3 / 4) and table["factor_difference", "dark"].n == 4
    assert table["factor_difference", "odd"].value == pytest.approx(0.0)


def test_without_scores_and_probabilities_only_answers_are_compared():
    plain = replace(SECOND, ood=None)
    table = found(differences(plain, FIRST, (None, None), (None, None), replace(PICTURES, factors={})))
    assert set(table) == {("top1_difference", None), ("changed_predictions", None)}


def test_the_largest_change_is_in_either_direction_at_a_corrected_level():
    largest = largest_change([THIRD, SECOND], FIRST, PICTURES.units)
    assert (largest.value, largest.slice) == (pytest.approx(1 / 8), {"other": "third"})  # of equal changes the first
    worse = outcome("worse", [0, 1, 2, 3], [1] * 8)
    largest = largest_change([THIRD, worse], FIRST, PICTURES.units)
    shares = [clustered_share(o.correct, np.arange(8), level=0.95**0.5) for o in (worse, FIRST)]
    assert (largest.value, largest.slice, largest.baseline) == (pytest.approx(-0.25), {"other": "worse"}, "first")
    assert (largest.low, largest.high) == pytest.approx(tuple(share_difference(*shares)))
    assert largest.interval.endswith("for 2 sets together")
    unstable = unstable_predictions([SECOND, THIRD], FIRST, PICTURES.units)
    assert (unstable.value, unstable.n) == (pytest.approx(4 / 8), 8)  # rows 0, 1, 2 and 5
