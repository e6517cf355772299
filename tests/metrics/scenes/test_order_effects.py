"""Changes by turn: by hand, by a loop, against regression within groups, and the coverage of their interval."""

import numpy as np
import pytest

from eyechart.metrics.intervals.shared_names import named_share
from eyechart.metrics.intervals.within_groups import effect_within
from eyechart.metrics.scenes.order_effects import order_effects


def test_by_hand():
    """Set 0: thing 5 is drawn when named first and not when second; thing 8 always is. Set 1 has one order, and says nothing."""
    objects = np.array([[5, 8], [8, 5], [1, 2]])
    outcome = np.array([[1, 1], [1, 0], [1, 0]])
    changes = order_effects(outcome, objects, np.array([0, 0, 1]), [0], [1])
    assert changes.sets.tolist() == [0]
    assert changes.values.tolist() == [0.5]


def drawn(rng, sets=12, names=9, n=3, rows=80):
    """Prompts of some sets in orders drawn at random, so that things are not in every turn equally often."""
    chosen = np.array([np.sort(rng.permutation(names)[:n]) for _ in range(sets)])
    of = rng.integers(sets, size=rows)
    objects = np.array([rng.permutation(chosen[s]) for s in of])
    return (rng.random((rows, n)) < 0.6).astype(float), objects, of


def test_the_same_as_a_loop_over_things():
    outcome, objects, sets = drawn(np.random.default_rng(0))
    changes = order_effects(outcome, objects, sets, [0], [1, 2])
    expected = {}
    for s in set(sets.tolist()):
        differences = []
        for thing in set(objects[sets == s].ravel().tolist()):
            first, later = [], []
            for row in np.flatnonzero(sets == s):
                turn = objects[row].tolist().index(thing)
                (first if turn == 0 else later).append(outcome[row, turn])
            if first and later:
                differences.append(np.mean(first) - np.mean(later))
        if differences:
            expected[s] = np.mean(differences)
    assert changes.sets.tolist() == sorted(expected)
    assert changes.values == pytest.approx([expected[s] for s in sorted(expected)])


def test_balanced_turns_give_what_regression_within_things_gives():
    rng = np.random.default_rng(1)
    objects = np.concatenate([[t[k:] + t[:k] for k in range(3)] for t in [[0, 1, 2], [3, 4, 5], [0, 4, 6], [1, 5, 7]]])
    sets = np.repeat(np.arange(4), 3)
    outcome = (rng.random(objects.shape) < 0.5).astype(float)
    changes = order_effects(outcome, objects, sets, [0], [2])
    ends = outcome[:, [0, 2]].ravel()
    groups = (sets[:, None] * 10 + objects)[:, [0, 2]].ravel()
    effect, _, _ = effect_within(ends, np.tile([1, 0], 12), groups)
    assert changes.values.mean() == pytest.approx(effect)
    assert changes.values.mean() == pytest.approx(outcome[:, 0].mean() - outcome[:, 2].mean())


def test_no_set_in_two_orders_gives_nothing():
    assert len(order_effects([[1, 0]], np.array([[0, 1]]), np.array([0]), [0], [1]).values) == 0


@pytest.mark.slow
def test_the_interval_over_sets_covers_what_was_planted():
    """A first turn raises the chance of being there by 0.3 on average, of some things more and of some less; and things have
    chances of their own. 2,000 draws."""
    rng, hits, sets, names = np.random.default_rng(2), 0, 60, 80
    for _ in range(2000):
        chosen = np.argsort(rng.random((sets, names)), axis=1)[:, :3]
        objects = np.stack([np.roll(chosen, -k, axis=1) for k in range(3)], axis=1).reshape(-1, 3)
        chance = rng.uniform(0.1, 0.5, names)[objects]
        chance[:, 0] += 0.3 + rng.uniform(-0.2, 0.2, names)[objects[:, 0]]
        outcome = rng.random(objects.shape) < chance
        changes = order_effects(outcome, objects, np.repeat(np.arange(sets), 3), [0], [1, 2])
        _, (low, high) = named_share(changes.values, chosen[changes.sets], bounds=(-1.0, 1.0))
        hits += low <= 0.3 <= high
    assert 0.93 <= hits / 2000 <= 0.97, hits
