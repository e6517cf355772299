import numpy as np
import pytest
from scipy.stats import binomtest, norm

from eyechart.metrics.ranking.auroc import aupr, auroc, fpr95
from eyechart.metrics.ranking.intervals import ALL, FPR95, Ranked, Scored, auroc_influence, bootstrap_ranking, delong


def scored(inside, outside, **more):
    belongs = np.repeat([True, False], [len(inside), len(outside)])
    return Scored(np.concatenate([inside, outside]), belongs, **more)


def test_delongs_variance_is_the_textbook_one():
    """S10/m + S01/n from every pair, as DeLong et al. (1988) write it."""
    rng = np.random.default_rng(0)
    inside, outside = rng.normal(1, 1, 40).round(1), rng.normal(0, 1, 30).round(1)
    wins = (inside[:, None] > outside) + 0.5 * (inside[:, None] == outside)
    expected = wins.mean(axis=1).var(ddof=1) / 40 + wins.mean(axis=0).var(ddof=1) / 30
    value, influence = auroc_influence(scored(inside, outside))
    assert value == pytest.approx(wins.mean())
    assert (influence**2).sum() == pytest.approx(expected)


def test_values_of_the_bootstrap_are_exact():
    rng = np.random.default_rng(1)
    inside, outside = rng.normal(1, 1, 3000), rng.normal(0, 2, 2000)  # more scores than places
    found = bootstrap_ranking(scored(inside, outside), seed=0, resamples=50)
    assert found[Ranked("auroc")][0] == pytest.approx(auroc(inside, outside))
    for side in ("in", "out"):
        assert found[Ranked(f"aupr_{side}")][0] == pytest.approx(aupr(inside, outside, side))
    for convention in ("id-quantile", "mcm", "openood"):
        assert found[Ranked("fpr95", convention)][0] == pytest.approx(fpr95(inside, outside, convention))


def test_joined_places_hardly_move_an_interval(monkeypatch):
    rng = np.random.default_rng(1)
    sample = scored(rng.normal(1, 1, 3000), rng.normal(0, 2, 2000))
    joined = bootstrap_ranking(sample, seed=0, resamples=1000)
    monkeypatch.setattr("eyechart.metrics.ranking.intervals.PLACES", 10_000)
    apart = bootstrap_ranking(sample, seed=0, resamples=1000)
    for measure in ALL:
        (low, high), (near_low, near_high) = apart[measure][1], joined[measure][1]
        assert (near_low, near_high) == pytest.approx((low, high), abs=0.15 * (high - low))


def test_delong_and_the_bootstrap_agree():
    rng = np.random.default_rng(2)
    sample = scored(rng.normal(1, 1, 300), rng.normal(0, 1, 200))
    value, interval, _ = delong(sample)
    other, bootstrapped = bootstrap_ranking(sample, [Ranked("auroc")], seed=0, resamples=4000)[Ranked("auroc")]
    assert value == pytest.approx(other)
    assert interval == pytest.approx(bootstrapped, abs=0.008)


TRUTH = {
    "auroc": norm.cdf(1 / np.hypot(1, 2)),
    "id-quantile": norm.sf(norm.ppf(0.05, 1, 1) / 2),
    "openood": norm.cdf(norm.ppf(0.95, 0, 2) - 1),
}


def test_delong_covers_the_truth():
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(2000):
        _, (low, high), _ = delong(scored(rng.normal(1, 1, 60), rng.normal(0, 2, 40)))
        hits += low <= TRUTH["auroc"] <= high
    assert 0.93 <= hits / 2000 <= 0.97


@pytest.mark.slow
def test_delong_covers_the_truth_where_scenes_vary_as_wholes():
    """Four pictures a scene, whose scores share most of their variance."""
    rng = np.random.default_rng(7)
    hits = 0
    clusters = np.repeat(np.arange(60), 4)
    for _ in range(2000):
        middle = np.repeat(rng.normal(size=60) * np.sqrt(0.8), 4) + rng.normal(size=240) * np.sqrt(0.2)
        middle[:120] += 1
        _, (low, high), _ = delong(Scored(middle, np.arange(240) < 120, clusters))
        hits += low <= norm.cdf(1 / np.sqrt(2)) <= high
    assert 0.93 <= hits / 2000 <= 0.97


@pytest.mark.slow
def test_delong_covers_the_mean_over_kinds():
    """Three kinds of outside pictures, of which the easiest has most."""
    rng = np.random.default_rng(7)
    means, sizes = np.array([-1.0, 0.0, 0.7]), [120, 15, 25]
    truth = norm.cdf((1 - means) / np.sqrt(2)).mean()
    kinds = np.repeat([0, 0, 1, 2], [100, *sizes])
    hits = 0
    for _ in range(2000):
        sample = scored(rng.normal(1, 1, 100), rng.normal(np.repeat(means, sizes), 1), kinds=kinds)
        value, (low, high), _ = delong(sample)
        hits += low <= truth <= high
    each = [auroc(sample.scores[:100], sample.scores[100:][kinds[100:] == k]) for k in range(3)]
    assert value == pytest.approx(np.mean(each))
    assert 0.93 <= hits / 2000 <= 0.97


@pytest.mark.slow
@pytest.mark.long
def test_the_bootstrap_covers_the_truth():
    """FPR95 in both directions from closed form; AUPR of equal groups from a sample of a million."""
    rng = np.random.default_rng(7)
    million = rng.normal(1, 1, 1_000_000), rng.normal(0, 2, 1_000_000)
    measures = {
        Ranked("fpr95", "id-quantile"): TRUTH["id-quantile"],
        Ranked("fpr95", "mcm"): TRUTH["id-quantile"],
        Ranked("fpr95", "openood"): TRUTH["openood"],
        Ranked("aupr_in"): aupr(*million),
        Ranked("aupr_out"): aupr(*million, "out"),
    }
    hits = dict.fromkeys(measures, 0)
    for draw in range(200):
        sample = scored(rng.normal(1, 1, 250), rng.normal(0, 2, 250))
        found = bootstrap_ranking(sample, list(measures), seed=draw, resamples=400)
        for measure, truth in measures.items():
            low, high = found[measure][1]
            hits[measure] += low <= truth <= high
    assert all(179 <= n <= 198 for n in hits.values()), hits


def test_perfect_order_is_not_above_1():
    """Sums of weights such as 1/200 and 1/20 round; of some sizes to just above 1."""
    for inside, outside in ((200, 20), (49, 49), (120, 7), (1000, 30)):
        scored = Scored(np.r_[np.ones(inside), np.zeros(outside)], np.repeat([True, False], [inside, outside]))
        for order in (scored.scores, np.arange(inside + outside)[::-1].astype(float)):
            value, (low, high), _ = delong(Scored(order, scored.inside))
            assert 0 < low <= value <= 1 and value == pytest.approx(1) and high == pytest.approx(1)


def test_perfect_order_still_has_an_interval():
    value, (low, high), how = delong(scored(np.arange(10, 40.0), np.arange(8.0)))
    assert (value, high) == (1.0, 1.0)
    assert low == pytest.approx(binomtest(8, 8).proportion_ci(method="wilson").low)
    assert how.startswith("Wilson")


def test_near_perfect_order_is_covered_at_least():
    rng = np.random.default_rng(3)
    hits = sum(
        low <= norm.cdf(3.5 / np.sqrt(2)) <= high
        for _, (low, high), _ in (delong(scored(rng.normal(3.5, 1, 50), rng.normal(0, 1, 50))) for _ in range(1000))
    )
    assert hits / 1000 >= 0.93


def test_copies_of_pictures_add_nothing():
    rng = np.random.default_rng(4)
    inside, outside = rng.normal(1, 1, 50), rng.normal(0, 1, 40)
    once = scored(inside, outside)
    copied = scored(np.repeat(inside, 5), np.repeat(outside, 5), clusters=np.repeat(np.arange(90), 5))
    assert delong(copied)[1] == pytest.approx(delong(once)[1])
    naive = scored(np.repeat(inside, 5), np.repeat(outside, 5))
    assert np.ptp(delong(naive)[1]) < 0.6 * np.ptp(delong(once)[1])
    wide, narrow = (bootstrap_ranking(s, seed=0, resamples=500)[Ranked("aupr_in")][1] for s in (copied, naive))
    assert np.ptp(narrow) < 0.6 * np.ptp(wide)
    assert wide == pytest.approx(bootstrap_ranking(once, seed=0, resamples=500)[Ranked("aupr_in")][1], abs=0.03)


def test_the_same_seed_gives_the_same_interval():
    rng = np.random.default_rng(4)
    sample = scored(rng.normal(1, 1, 50), rng.normal(0, 1, 40))
    first, again, other = (bootstrap_ranking(sample, seed=s, resamples=100) for s in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.slow
@pytest.mark.parametrize(("inside", "outside"), [(50, 50), (500, 100)])
def test_rare_alarms_are_covered_at_least(inside, outside):
    """At four deviations apart fewer than one stranger in a hundred is taken in; in most samples, none or one is."""
    rng, hits = np.random.default_rng(3), dict.fromkeys(FPR95, 0)
    truth = norm.cdf(norm.ppf(0.95) - 4)
    for draw in range(100):
        sample = scored(rng.normal(4, 1, inside), rng.normal(0, 1, outside))
        for measure, (_, (low, high)) in bootstrap_ranking(sample, FPR95, seed=draw, resamples=100).items():
            hits[measure] += low <= truth <= high
    assert min(hits.values()) >= 93, hits


def test_groups_that_are_apart_still_have_intervals():
    found = bootstrap_ranking(scored(np.arange(10, 40.0), np.arange(8.0)), ALL, seed=0, resamples=50)
    few, many = (binomtest(n, n).proportion_ci(method="wilson").low for n in (8, 30))
    for measure in (Ranked("auroc"), Ranked("aupr_in"), Ranked("aupr_out")):
        value, (low, high) = found[measure]
        assert (value, high) == (1, 1)
        assert low == pytest.approx(few)
    assert found[Ranked("fpr95", "id-quantile")][1] == pytest.approx((0, 1 - few))
    assert found[Ranked("fpr95", "openood")][1] == pytest.approx((0, 1 - many))


def test_a_kind_of_few_strangers_weighs_as_much_in_rare_alarms():
    """One of two kinds, of ten pictures, has one that is taken in: a share of 1/20, and 9.5 pictures' worth of noise."""
    outside = np.concatenate([[9.0], np.arange(0, 0.9, 0.1), np.linspace(-2, -1, 90)])
    sample = scored(np.linspace(5, 12, 40), outside, kinds=np.repeat([0, 0, 1], [40, 10, 90]))
    value, (low, high) = bootstrap_ranking(sample, [FPR95[0]], seed=0, resamples=200)[FPR95[0]]
    assert value == pytest.approx(0.05)
    assert low < 0.02
    assert high > 0.2


def by_pairs(sample):
    """AUROC and influences from every pair of an inside and an outside row: kinds weigh the same, and the correction for the
    degrees of freedom counts clusters."""
    scores, inside = sample.scores, sample.inside
    kinds = np.zeros(len(scores), int) if sample.kinds is None else sample.kinds
    clusters = np.arange(len(scores)) if sample.clusters is None else sample.clusters
    outside_kinds = sorted(set(kinds[~inside].tolist()))
    strata = [None if inside[i] else int(kinds[i]) for i in range(len(scores))]
    sizes = {s: strata.count(s) for s in set(strata)}
    weight = [1 / sizes[s] / (1 if s is None else len(outside_kinds)) for s in strata]

    def win(i, j):
        return 1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0

    ins, outs = np.flatnonzero(inside), np.flatnonzero(~inside)
    placement = [
        sum(weight[j] * win(i, j) for j in outs) if inside[i] else sum(weight[j] * win(j, i) for j in ins)
        for i in range(len(scores))
    ]
    value = sum(weight[i] * placement[i] for i in ins)
    influence = []
    for i, s in enumerate(strata):
        mates = [j for j, other in enumerate(strata) if other == s]
        k = len({int(clusters[j]) for j in mates})
        center = np.mean([placement[j] for j in mates]) if k > 1 else value
        influence.append(weight[i] * (placement[i] - center) * (np.sqrt(k / (k - 1)) if k > 1 else 1))
    return value, np.array(influence)


@pytest.mark.parametrize("with_kinds", [False, True])
@pytest.mark.parametrize("with_clusters", [False, True])
def test_influences_are_those_of_every_pair(with_kinds, with_clusters):
    """Kind 7 has one picture, and clusters are of both groups."""
    rng = np.random.default_rng(3)
    inside, outside = rng.normal(1, 1, 15).round(1), rng.normal(0, 1, 13).round(1)
    kinds = np.r_[np.full(15, 99), np.repeat([3, 5, 7], [8, 4, 1])] if with_kinds else None
    clusters = rng.integers(0, 12, 28) + 40 if with_clusters else None
    sample = scored(inside, outside, kinds=kinds, clusters=clusters)
    value, influence = auroc_influence(sample)
    expected, by_hand = by_pairs(sample)
    assert value == pytest.approx(expected)
    assert influence == pytest.approx(by_hand)
    error = np.linalg.norm(by_hand)
    if with_clusters:
        error = np.linalg.norm([by_hand[clusters == c].sum() for c in np.unique(clusters)])
    found, (low, high), how = delong(sample, 0.9)
    z = norm.ppf(0.95) * error / (value * (1 - value))
    assert found == pytest.approx(value)
    assert how.startswith("DeLong")
    assert (low, high) == pytest.approx(1 / (1 + np.exp(-np.log(value / (1 - value)) - np.array([-z, z]))))


def test_weights_are_equal_within_kinds_and_between_them():
    sample = scored(np.zeros(4), np.zeros(5), kinds=np.array([0, 0, 0, 0, 2, 2, 2, 8, 8]))
    assert sample.weights == pytest.approx([0.25] * 4 + [1 / 6] * 3 + [1 / 4] * 2)
    assert scored(np.zeros(4), np.zeros(5)).weights == pytest.approx([0.25] * 4 + [0.2] * 5)


@pytest.mark.parametrize("reverse", [False, True])
def test_groups_in_perfect_order_or_disorder_have_wilsons_interval(reverse):
    """Eight inside rows of four pictures, six outside rows of their own: four pictures count."""
    high, low = np.arange(8.0) + 20, np.arange(6.0)
    clusters = np.r_[np.arange(8) // 2, 10 + np.arange(6)]
    sample = scored(*((low[:6], high[:6]) if reverse else (high, low)), clusters=None if reverse else clusters)
    value, interval, how = delong(sample)
    n = 6 if reverse else 4
    expected = binomtest(0 if reverse else n, n).proportion_ci(method="wilson")
    assert value == pytest.approx(0 if reverse else 1, abs=1e-12)
    assert how.startswith("Wilson")
    assert tuple(interval) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_values_with_kinds_are_means_over_kinds():
    rng = np.random.default_rng(4)
    inside, outside = rng.normal(1, 1, 60), rng.normal(0, 1, 50)
    kinds = np.repeat([0, 1, 2], [60, 40, 10])
    found = bootstrap_ranking(scored(inside, outside, kinds=kinds), seed=0, resamples=200)
    parts = outside[:40], outside[40:]
    assert found[Ranked("auroc")][0] == pytest.approx(np.mean([auroc(inside, part) for part in parts]))
    assert found[FPR95[0]][0] == pytest.approx(np.mean([fpr95(inside, part) for part in parts]))
    for value, (low, high) in found.values():
        assert low <= value <= high
