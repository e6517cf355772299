"""Dealing answers anew to pictures of scenes, as chance would if the answers had nothing to do with what the pictures are."""

import numpy as np

from eyechart.arrays import Counts, Flags


def permute_blocks(hits: Flags, kinds: Counts, scenes: Counts, *, deals: int, rng: np.random.Generator) -> Counts:
    """[deals, K] how many hits the rows of every kind (numbered from 0) get in each deal.

    Rows of one scene vary together, so that whole scenes change places: each gets the hits of another one, and within it the hits
    are dealt out to its rows. Scenes change places with scenes of about their size (1, 2–3, 4–7, … rows), of which each gets the
    share of hits, rounded up or down at random: shares of few rows vary more than those of many. This is a permutation test
    with exchangeable blocks (Good, 2005, §7) where scenes of a size are exchangeable, and so are the rows of a scene.
    """
    _, scene = np.unique(scenes, return_inverse=True)
    rows, right = np.bincount(scene), np.bincount(scene, hits).astype(np.int64)
    donors = _exchanged(np.floor(np.log2(rows)).astype(np.int64), deals, rng)
    exact = right[donors] * rows / rows[donors]
    whole = np.floor(exact).astype(np.int64)
    return _within(whole + (rng.random(exact.shape) < exact - whole), scene, kinds, rng)


def _exchanged(classes: Counts, deals: int, rng: np.random.Generator) -> Counts:
    """[deals, scenes] which scene each one's hits come from: another one of its class."""
    donors = np.empty((deals, len(classes)), np.int64)
    for value in np.unique(classes):
        members = np.flatnonzero(classes == value)
        donors[:, members] = rng.permuted(np.broadcast_to(members, (deals, len(members))), axis=1)
    return donors


def _within(dealt: Counts, scene: Counts, kinds: Counts, rng: np.random.Generator) -> Counts:
    """Hits of scenes [deals, scenes] → hits of kinds, a scene's being dealt to its rows without looking at their kinds."""
    count = int(kinds.max()) + 1
    pairs, sizes = np.unique(scene.astype(np.int64) * count + kinds, return_counts=True)
    of, kind = pairs // count, pairs % count
    turn = np.arange(len(of)) - np.searchsorted(of, of)  # the first kind of every scene, then the second, …
    last = np.append(of[1:] != of[:-1], True)
    left, rows = dealt.copy(), np.bincount(scene)
    found = np.empty((len(dealt), len(of)), np.int64)
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
