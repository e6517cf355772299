"""Where shadows fall follows from where the light stands."""

import numpy as np
import pytest

from eyechart.world.card_shadow import SIDE, card_shadow
from eyechart.world.sprites import LIGHTS, SHADOW_REACH

FULL = np.ones((96, 96), dtype=np.float32)


def place(y: float) -> int:
    """The row of a sheet at y half heights below the card's center."""
    return round((y / SHADOW_REACH + 1) / 2 * SIDE)


@pytest.mark.parametrize("light", list(LIGHTS))
def test_it_is_darkest_at_the_foot(light):
    dark = card_shadow(FULL, 1.0, light, 28.0)
    darkest = int(dark.max(axis=1).argmax())
    assert place(0.6) < darkest <= place(1.0)
    assert 0.4 < dark.max() <= 1


@pytest.mark.parametrize(("light", "side"), [("left", 1), ("right", -1)])
def test_it_falls_away_from_the_light(light, side):
    dark = card_shadow(FULL, 1.0, light, 28.0)
    center = (dark.sum(axis=0) * np.arange(SIDE)).sum() / dark.sum()
    assert (center - SIDE / 2) * side > 2


def test_it_is_soft_and_ends_before_its_sheet_does():
    for stretch in (0.15, 1.0, 6.0):
        dark = card_shadow(FULL, stretch, "left", 28.0)
        assert max(dark[0].max(), dark[-1].max(), dark[:, 0].max(), dark[:, -1].max()) < 0.02
        assert np.abs(np.diff(dark, axis=0)).max() < 0.25


def test_it_is_thrown_by_what_touches_the_ground():
    left_foot = FULL.copy()
    left_foot[:, 48:] = 0
    columns = card_shadow(left_foot, 1.0, "front", 28.0).sum(axis=0)
    assert columns[: SIDE // 2].sum() > 3 * columns[SIDE // 2 :].sum()


def test_without_an_object_there_is_none():
    assert card_shadow(np.zeros((96, 96), dtype=np.float32), 1.0, "left", 28.0).max() == 0
