"""Block permutation: answers exchanged between scenes, and between the rows of a scene, as under the null hypothesis."""

import numpy as np

from eyechart.arrays import Counts, Flags


def permute_blocks(hits: Flags, kinds: Counts, scenes: Counts, *, permutations: int, rng: np.random.Generator) -> Counts:
    """[deals, K] the number of hits of the rows of every kind (numbered from 0) in each permutation.

    Rows of one scene vary together, so whole scenes are exchanged: each gets the hits of another one, which are then permuted
    among its rows. Scenes are exchanged with scenes of similar size (1, 2–3, 4–7, … rows) and get their share of hits, rounded
    up or down at random, since shares of few rows vary more. This is a permutation test with exchangeable blocks (Good, 2005,
    §7)."""
    _, scene = np.unique(scenes, return_inverse=True)
    rows, right = np.bincount(scene), np.bincount(scene, hits).astype(np.int64)
    donors = _exchanged(np.floor(np.log2(rows)).astype(np.int64), permutations, rng)
    exact = right[donors] * rows / rows[donors]
    whole = np.floor(exact).astype(np.int64)
    return _within(whole + (rng.random(exact.shape) < exact - whole), scene, kinds, rng)


def _exchanged(classes: Counts, permutations: int, rng: np.random.Generator) -> Counts:
    """[deals, scenes] the scene that each one takes its hits from: another of its size class."""
    donors = np.empty((permutations, len(classes)), np.int64)
    for value in np.unique(classes):
        members = np.flatnonzero(classes == value)
        donors[:, members] = rng.permuted(np.broadcast_to(members, (permutations, len(members))), axis=1)
    return donors


def _within(permuted: Counts, scene: Counts, kinds: Counts, rng: np.random.Generator) -> Counts:
    """Hits of scenes [deals, scenes] → hits of kinds; the hits of a scene are permuted among its rows."""
    count = int(kinds.max()) + 1
    pairs, sizes = np.unique(scene.astype(np.int64) * count + kinds, return_counts=True)
    of, kind = pairs // count, pairs % count
    turn = np.arange(len(of)) - np.searchsorted(of, of)  # the first kind of every scene, then the second, …
    last = np.append(of[1:] != of[:-1], True)
    left, rows = permuted.copy(), np.bincount(scene)
    found = np.empty((len(permuted), len(of)), np.int64)
    for now in range(int(turn.max()) + 1):
        places = np.flatnonzero(turn == now)
        mine, size = of[places], sizes[places]
        found[:, places] = left[:, mine]  # what is left is the last one's, and the others draw from it
        drawing = ~last[places]
        places, mine, size = places[drawing], mine[drawing], size[drawing]
        taken = rng.hypergeometric(left[:, mine], rows[mine] - left[:, mine], size)
        found[:, places] = taken
        left[:, mine] -= taken
        rows[mine] -= size
    order = np.argsort(kind, kind="stable")
    starts = np.searchsorted(kind[order], np.arange(count))
    return np.add.reduceat(found[:, order], starts, axis=1)
