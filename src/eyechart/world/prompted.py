"""The world in the place of a text-to-image model: it draws the things that a prompt names, with a habit that is known."""

from collections.abc import Sequence

import numpy as np

from eyechart.errors import UsageError, did_you_mean
from eyechart.world.datasets.scenes import scene_of
from eyechart.world.design import Row
from eyechart.world.drawing import NAMES
from eyechart.world.scene import Scene

# What a generator does with the order of names: the first is always drawn and the largest, later ones fade; or nothing at all.
FIRST_LARGEST, NO_ORDER = "first-largest", "no-order"
HABITS = (FIRST_LARGEST, NO_ORDER)
MOST = 5
DROPPED = (0.0, 0.2, 0.5)  # the chance of the first, the second, every later one to be left out


def drawn_for(names: Sequence[str], habit: str, rng: np.random.Generator) -> Scene:
    """A scene of the named things, of which later ones may be missing. Their places in the row are drawn at random.

    Without order, things change their turns at random before the same is done to them: as many are missing, and one is as large,
    but neither has to do with who was named first."""
    if habit not in HABITS:
        raise UsageError(f"no habit of drawing is called {habit!r}{did_you_mean(habit, HABITS)} (there are: {', '.join(HABITS)})")
    if not 1 <= len(names) <= MOST or len(set(names)) < len(names):
        raise UsageError(f"the world draws one to {MOST} different things, not {', '.join(names) or 'none'}")
    if unknown := [name for name in names if name not in NAMES]:
        raise UsageError(f"the world has no {unknown[0]!r}{did_you_mean(unknown[0], NAMES)} (it has: {', '.join(NAMES)})")
    turns = list(range(len(names)))
    if habit == NO_ORDER:
        turns = [int(turn) for turn in rng.permutation(len(names))]
    kept = [turn for turn in range(len(names)) if rng.random() >= DROPPED[min(turn, len(DROPPED) - 1)]]
    ranked = [NAMES.index(names[turns[turn]]) for turn in kept]  # the largest first
    places = [int(place) for place in rng.permutation(len(ranked))]
    return scene_of(Row(tuple(ranked[rank] for rank in places), tuple(places)), rng)
