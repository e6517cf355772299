"""The world as a text-to-image model: it draws the objects of a prompt, with a known order bias."""

from collections.abc import Sequence

import numpy as np

from eyechart.errors import UsageError, did_you_mean
from eyechart.world.datasets.scenes import scene_of
from eyechart.world.design import Row
from eyechart.world.drawing import NAMES
from eyechart.world.scene import Scene

# Order biases: the first object is always drawn and the largest, later ones may be missing; or no bias.
FIRST_LARGEST, NO_ORDER = "first-largest", "no-order"
HABITS = (FIRST_LARGEST, NO_ORDER)
MOST = 5
DROPPED = (0.0, 0.2, 0.5)  # the probability that the first, the second, and every later object is left out


def drawn_for(names: Sequence[str], habit: str, rng: np.random.Generator) -> Scene:
    """A scene of the named objects at random positions; later ones may be missing.

    Without order bias, the objects are shuffled before: as many are missing and one is as large, but independently of the order
    of mention."""
    if habit not in HABITS:
        raise UsageError(f"there is no habit called {habit!r}{did_you_mean(habit, HABITS)} (there are: {', '.join(HABITS)})")
    if not 1 <= len(names) <= MOST or len(set(names)) < len(names):
        raise UsageError(f"the world draws one to {MOST} different objects, not {', '.join(names) or 'none'}")
    if unknown := [name for name in names if name not in NAMES]:
        raise UsageError(f"the world has no {unknown[0]!r}{did_you_mean(unknown[0], NAMES)} (it has: {', '.join(NAMES)})")
    turns = list(range(len(names)))
    if habit == NO_ORDER:
        turns = [int(turn) for turn in rng.permutation(len(names))]
    kept = [turn for turn in range(len(names)) if rng.random() >= DROPPED[min(turn, len(DROPPED) - 1)]]
    ranked = [NAMES.index(names[turns[turn]]) for turn in kept]  # the largest first
    places = [int(place) for place in rng.permutation(len(ranked))]
    return scene_of(Row(tuple(ranked[rank] for rank in places), tuple(places)), rng)
