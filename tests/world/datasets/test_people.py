from collections import Counter
from itertools import product

import numpy as np
import pytest
from tests.world.datasets.drawn import shots

from eyechart.errors import UsageError
from eyechart.world.composer import render
from eyechart.world.datasets.ordinary import ORDINARY
from eyechart.world.people import BADGES, HATS, ROLES, draw_person, person_caption
from eyechart.world.truth import visible_shares


@pytest.fixture(scope="module")
def drawn():
    return shots("world-people")


def test_hats_and_badges_are_crossed_evenly_with_roles(drawn):
    seen = Counter((s.label, s.attributes["hat"], s.attributes["badge"]) for s in drawn)
    assert set(seen) == set(product(ROLES, HATS, BADGES))
    assert set(seen.values()) == {len(drawn) // 56}
    few = Counter((s.label, s.attributes["badge"]) for s in drawn[:28])
    assert set(few.values()) == {2}


def test_a_role_shows_in_belongings_size_or_build(drawn):
    beside = {"builder": "cube", "player": "sphere", "sheriff": "star", "gardener": "leaf"}
    for shot in drawn:
        figure, *others = shot.subject.scene.things
        assert [thing.name for thing in others] == ([beside[shot.label]] if shot.label in beside else [])
        assert (figure.name == "robot") == (shot.label == "robot")
        assert (figure.size <= 0.37) == (shot.label == "kid")
        assert dict(figure.paints) == {"hat": shot.attributes["hat"], "badge": shot.attributes["badge"]}


def test_nothing_of_a_person_is_hidden(drawn):
    for shot in drawn[:56]:
        assert min(visible_shares(shot.subject.scene)) > 0.9


@pytest.mark.parametrize("role", ["visitor", "robot"])
def test_hat_and_badge_show_in_their_colors_and_nowhere_else(role):
    def look(hat: str, badge: str) -> np.ndarray:
        return render(draw_person(np.random.default_rng(3), role, hat, badge, ORDINARY), 128).picture.astype(float)

    white, black, blue = look("red", "white"), look("red", "black"), look("blue", "white")
    badge, hat = (np.abs(white - other).max(axis=-1) > 25 for other in (black, blue))
    assert not (badge & hat).any()
    assert np.nonzero(hat)[0].mean() < np.nonzero(badge)[0].mean()  # the hat is higher up
    assert np.median(white[badge]) > np.median(black[badge]) + 80
    assert np.median(white[hat][:, 0] - white[hat][:, 2]) > 50 and np.median(blue[hat][:, 2] - blue[hat][:, 0]) > 50
    figure = (render(draw_person(np.random.default_rng(3), role, "red", "white", ORDINARY), 128).owner == 0).sum()
    assert 0.02 < badge.sum() / figure < 0.2 and 0.1 < hat.sum() / figure < 0.4


def test_what_is_said_of_a_person():
    assert person_caption("builder", "red", "white") == "a builder with a red hat and a white badge"
    assert person_caption("kid", "blue", "black", "hat") == "a kid with a blue hat"
    assert person_caption("kid", "blue", "black", "role") == "a kid"
    with pytest.raises(UsageError, match="did you mean 'sheriff'"):
        person_caption("sherif", "red", "white")
    with pytest.raises(UsageError, match="no hat called 'pink'"):
        draw_person(np.random.default_rng(0), "kid", "pink", "white", ORDINARY)
