"""Rankings by hand: which pictures are accepted, and the numbers of each kind, against scikit-learn and SciPy."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score
from tests.probes.vectors import given_by_vectors

from eyechart.probes.ood.rankings import ENOUGH, Ranking, accepted_by_score, kind_findings
from eyechart.probes.tasks.ood_rows import OodRows

OTHER = given_by_vectors(np.eye(3)[[0] * 20], np.eye(3), [-1] * 20, None, name="far", role="ood")


def ranking(score, inside, outside, kinds=(), clusters=None):
    groups = []
    for scores in outside:
        n = len(scores)
        numbers = 100 + np.arange(n) if clusters is None else np.asarray(clusters)
        groups.append(OodRows("far", OTHER, np.arange(n), tuple(kinds), numbers))
    return Ranking(score, np.asarray(inside, float), np.arange(len(inside)), groups, [np.asarray(s, float) for s in outside])


INSIDE = np.arange(1, 21) / 20


def test_accepted_pictures_reach_the_threshold_of_95_percent():
    threshold = np.quantile(INSIDE, 0.05)
    one = ranking("mcm", INSIDE, [[threshold, threshold - 1e-9, 0.9], [0.0]])
    assert [flags.tolist() for flags in one.accepted] == [[True, False, True], [False]]
    other = ranking("energy", INSIDE, [[0.9, 0.9, 0.0], [1.0]])
    first, second = accepted_by_score([one, other])
    assert {name: flags.tolist() for name, flags in first.items()} == {"mcm": [True, False, True], "energy": [True, True, False]}
    assert list(second) == ["mcm", "energy"] and second["energy"].tolist() == [True]


def test_each_kind_with_enough_pictures_has_its_own_numbers():
    """Five pictures of a, four of b and six of c, which are two pictures three times."""
    rng = np.random.default_rng(0)
    kinds = ["a"] * ENOUGH + ["b"] * (ENOUGH - 1) + ["c"] * 6
    scores = rng.random(15)
    clusters = [*range(100, 109), 200, 200, 200, 201, 201, 201]
    one = ranking("mcm", INSIDE, [scores], kinds, clusters)
    table = {(f.metric, f.slice.get("class")): f for f in kind_findings(one, 0, seed=0, resamples=50)}
    assert {kind for metric, kind in table if metric == "auroc"} == {"a", "c"}
    for kind, members in (("a", slice(0, 5)), ("c", slice(9, 15))):
        own = scores[members]
        area = roc_auc_score([1] * 20 + [0] * len(own), [*INSIDE, *own])
        assert (table["auroc", kind].value, table["auroc", kind].n) == (pytest.approx(area), 20 + len(own))
        share = (own >= np.quantile(INSIDE, 0.05)).mean()
        assert (table["fpr95", kind].value, table["fpr95", kind].n) == (pytest.approx(share), len(own))
    hits = round(table["fpr95", "a"].value * 5)
    reference = binomtest(hits, 5).proportion_ci(method="wilson")
    assert (table["fpr95", "a"].low, table["fpr95", "a"].high) == pytest.approx(tuple(reference))
    assert table["fpr95", "c"].high - table["fpr95", "c"].low > 0.5  # two different pictures say little
    areas = [roc_auc_score([1] * 20 + [0] * int(m.sum()), [*INSIDE, *scores[m]]) for m in (np.array(kinds) == k for k in "abc")]
    assert (
        table["auroc_mean_per_class", None].value == pytest.approx(np.mean(areas)) and table["auroc_mean_per_class", None].n == 35
    )


def test_one_kind_is_no_comparison():
    assert kind_findings(ranking("mcm", INSIDE, [[0.1] * 6], ["a"] * 6), 0, seed=0, resamples=50) == []
    assert kind_findings(ranking("mcm", INSIDE, [[0.1] * 6]), 0, seed=0, resamples=50) == []
