"""The interval of class-wise ECE against its definition, picture by picture and cell by cell."""

import numpy as np
import pytest

from eyechart.metrics.calibration.classwise import classwise_ece
from eyechart.metrics.calibration.ece import make_bins
from eyechart.metrics.calibration.gap_norms import norm_interval
from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.calibration.readout import probabilities

GROUPS, SIGNS, LABELS = 32, 200, 100  # as documented


def by_cells(p, truth, bins, seed, clusters):
    """Two kinds of noise of the gaps of all cells (class, bin): random signs of groups, and labels drawn from p."""
    n, classes = p.shape
    rng = np.random.default_rng(seed)
    known = {cluster: k for k, cluster in enumerate(sorted(set(clusters)))}
    of_cluster = [known[cluster] for cluster in clusters]
    group = rng.permutation(len(known))[of_cluster] % GROUPS
    lots = rng.random((len(known), LABELS), dtype=np.float32)
    cells = {}
    for c in range(classes):
        for b, (low, high) in enumerate(zip([0, *range(1, bins)], range(1, bins + 1), strict=True)):
            inside = [i for i in range(n) if low / bins < p[i, c] <= high / bins or (b == 0 and p[i, c] == 0)]
            if inside:
                cells[c, b] = inside
    gap, noise = {}, {}
    for (c, b), inside in cells.items():
        sums = np.zeros(GROUPS)
        for i in inside:
            sums[group[i]] += p[i, c] - (truth[i] == c)
        gap[c, b] = sums.sum()
        noise[c, b] = (sums - sums.mean()) * np.sqrt(GROUPS / (GROUPS - 1))
    drawn = {cell: np.zeros(LABELS) for cell in cells}
    for i in range(n):
        edges = np.cumsum(p[i]) / p[i].sum()
        for draw in range(LABELS):
            c = next(k for k in range(classes) if edges[k] > lots[of_cluster[i], draw])
            (cell,) = [cell for cell, inside in cells.items() if cell[0] == c and i in inside]
            drawn[cell][draw] += 1
    signs = rng.choice([-1.0, 1.0], (SIGNS, GROUPS))
    order = sorted(cells)
    gaps = np.array([gap[cell] for cell in order]) / (n * classes)
    by_sign = signs @ np.column_stack([noise[cell] for cell in order]) / (n * classes)
    by_label = np.column_stack([drawn[cell] - drawn[cell].mean() for cell in order]) * LABELS / (LABELS - 1) / (n * classes)
    a, b = norm_interval(gaps, by_sign), norm_interval(gaps, by_label)
    return np.abs(gaps).sum(), (min(a.low, b.low), max(a.high, b.high)), (a, b)


@pytest.mark.parametrize("scale", [0.6, 6.0])
def test_value_and_interval_are_those_of_a_loop_over_cells(scale):
    rng = np.random.default_rng(2)
    images, names = (rng.normal(size=(k, 4)).astype(np.float32) for k in (60, 3))
    logits = CosineLogits(images, names, scale)
    p = np.concatenate([probabilities(block) for _, block in logits.blocks()])
    truth, clusters = rng.integers(3, size=60), np.arange(60) // 1.2 // 1
    value, found = classwise_ece(logits, truth, make_bins([], 5), seed=4, clusters=clusters)
    expected, interval, _ = by_cells(p, truth, 5, 4, clusters.tolist())
    assert value == pytest.approx(expected)
    assert tuple(found) == pytest.approx(interval, abs=1e-6)


def test_both_kinds_of_noise_decide_somewhere():
    """Or the loop above would not tell one of them."""
    wins = set()
    for seed, scale, agree in ((0, 0.6, False), (1, 6.0, True), (2, 6.0, False), (3, 20.0, True)):
        rng = np.random.default_rng(seed)
        images, names = (rng.normal(size=(k, 4)).astype(np.float32) for k in (60, 3))
        logits = CosineLogits(images, names, scale)
        p = np.concatenate([probabilities(block) for _, block in logits.blocks()])
        truth = p.argmax(axis=1) if agree else rng.integers(3, size=60)
        _, found = classwise_ece(logits, truth, make_bins([], 5), seed=seed)
        _, (low, high), (by_sign, by_label) = by_cells(p, truth, 5, seed, list(range(60)))
        assert tuple(found) == pytest.approx((low, high), abs=1e-6)
        wins |= {"sign" if by_sign.high > by_label.high else "label"}
    assert wins == {"sign", "label"}


def test_a_class_that_is_never_said_counts_where_it_is_true():
    """Class 2 has a probability below 1e-5, and a third of the pictures: no drawn label is in its cell."""
    rng = np.random.default_rng(7)
    images = rng.random((64, 4)).astype(np.float32)
    names = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [-3, -3, -3, -3]], np.float32)
    logits = CosineLogits(images, names, 6.0)
    p = np.concatenate([probabilities(block) for _, block in logits.blocks()])
    truth = np.arange(64) % 3
    value, found = classwise_ece(logits, truth, make_bins([], 5), seed=1)
    expected, interval, _ = by_cells(p, truth, 5, 1, list(range(64)))
    assert p[:, 2].max() < 1e-5
    assert value == pytest.approx(expected)
    assert tuple(found) == pytest.approx(interval, abs=1e-6)
