"""Shares of trials by hand: by number of objects, and with trials of one picture as one unit."""

from dataclasses import replace

import numpy as np
import pytest
from tests.probes.staged import objects_column, staged

from eyechart.probes.matching import Settings
from eyechart.probes.matching.shares import count_findings, trial_findings
from eyechart.probes.matching.trials import FIRST, KINDS, LARGE_LAST, SECOND, SMALL_FIRST, SMALL_LAST, MatchTrials


def made(counts, rows=None, names=None, **settings):
    """Inputs and trials; the captions do not matter where it is given which are preferred. No name is in two trials."""
    rows = np.arange(len(counts)) if rows is None else np.asarray(rows)
    pictures = int(rows.max()) + 1
    inputs = staged(objects_column([["a", "b"]] * pictures, [[0.2, 0.1]] * pictures), np.eye(pictures), Settings(**settings))
    texts = {kind: ["a and b"] * len(counts) for kind in KINDS}
    inputs = replace(inputs, texts=lambda asked: np.ones((len(asked), pictures), np.float32))
    names = np.arange(2 * len(counts)).reshape(-1, 2) if names is None else names
    return inputs, MatchTrials(rows, np.asarray(counts), names, texts, texts)


def flags(right, n):
    return np.arange(n) < right


def test_every_number_of_objects_has_its_own_trials():
    """Two objects: 8, 2, 6, 4 and 1 of 10 trials; three objects: all and none."""
    inputs, trials = made([2] * 10 + [3] * 10, least=5)
    right = dict(zip((FIRST, SECOND, LARGE_LAST, SMALL_FIRST, SMALL_LAST), (8, 2, 6, 4, 1), strict=True))
    correct = {kind: np.concatenate([flags(right[kind], 10), np.full(10, kind in (FIRST, SMALL_LAST))]) for kind in KINDS}
    found = {(f.metric, f.slice["objects"], f.slice.get("replaced")): f for f in count_findings(inputs, trials, correct)}
    assert {key: (f.value, f.n) for key, f in found.items()} == {
        ("scenario_1", 2, None): (pytest.approx(0.8), 10),
        ("scenario_2", 2, None): (pytest.approx(0.2), 10),
        ("order_effect", 2, "large"): (pytest.approx(0.2), 10),
        ("order_effect", 2, "small"): (pytest.approx(0.3), 10),
        ("scenario_1", 3, None): (1.0, 10),
        ("scenario_2", 3, None): (0.0, 10),
        ("order_effect", 3, "large"): (1.0, 10),
        ("order_effect", 3, "small"): (-1.0, 10),
    }


def test_trials_of_one_picture_are_one_unit():
    """Four hundred trials that agree within a hundred pictures: the interval is as wide as that of a hundred trials."""
    widths = []
    for rows in (np.arange(400), np.arange(400) // 4):
        inputs, trials = made([2] * 400, rows)
        correct = {kind: flags(240, 400) for kind in KINDS}
        share = next(f for f in trial_findings(inputs, trials, correct) if f.metric == "scenario_1")
        assert share.value == pytest.approx(0.6)
        widths.append(share.high - share.low)
    assert widths[1] / widths[0] == pytest.approx(2, rel=0.05)


def test_trials_that_share_names_vary_with_them():
    """Twenty names; a trial of names a and b is right where a is one of the first ten. The interval is that of the jackknife over
    names, worked out here name by name, and much wider than over trials."""
    pairs = [(a, b) for a in range(20) for b in range(20) if a != b]
    inputs, trials = made([2] * len(pairs), names=np.array(pairs))
    hits = np.array([a < 10 for a, _ in pairs])
    correct = dict.fromkeys(KINDS, hits)
    share = next(f for f in trial_findings(inputs, trials, correct) if f.metric == "scenario_1")
    without = np.array([np.mean([h for h, pair in zip(hits, pairs, strict=True) if name not in pair]) for name in range(20)])
    of_names = ((without - without.mean()) ** 2).sum()
    of_rows = ((hits - hits.mean()) ** 2).sum() / len(hits) ** 2
    variance = of_names - (2 / (1 - 2 / 20) - 1) * of_rows
    z, p = 2.093024, 0.5  # Student's t with 19 degrees of freedom
    n = p * (1 - p) / variance
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    assert (share.low, share.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-4)
    alone = next(f for f in trial_findings(*made([2] * len(pairs)), correct) if f.metric == "scenario_1")
    assert share.high - share.low > 3 * (alone.high - alone.low)


def test_an_order_effect_is_paired_trial_by_trial():
    """Sixty of ninety trials are right in both orders, and three in one order only: 3 / 90, with the standard error of 90 paired
    differences, not of two independent shares."""
    inputs, trials = made([2] * 90)
    last = np.arange(90) % 3 > 0
    first = last | (np.arange(90) < 9)
    correct = {kind: first if kind in (FIRST, SMALL_FIRST) else last for kind in KINDS}
    found = next(f for f in trial_findings(inputs, trials, correct) if f.metric == "order_effect" and not f.slice)
    assert (found.value, found.n) == (pytest.approx(3 / 90), 90)
    paired, unpaired = np.std(first.astype(float) - last) / 90**0.5, np.sqrt(2 * (2 / 3) * (1 / 3) / 90)
    assert 3.92 * paired * 0.8 < found.high - found.low < 3.92 * unpaired * 0.5
