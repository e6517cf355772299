"""Each factor changes what it says and nothing else."""

from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
from tests.world.datasets.drawn import shots

from eyechart.world.composer import render, silhouette
from eyechart.world.drawing import NAMES
from eyechart.world.materials import COLORS
from eyechart.world.scene import Scene
from eyechart.world.truth import visible_shares

FACTORS = (
    "pose", "background", "pattern", "color", "smaller", "shape", "partial_view", "texture", "larger",
    "darker", "object_blocking", "person_blocking", "style", "brighter", "multiple_objects",
)  # fmt: skip
# What may differ from the scene as it was, of the thing or of the scene around it.
MOVES = {
    "pose": {"roll"},
    "background": {"tone"},
    "pattern": {"texture"},
    "color": {"color"},
    "smaller": {"size"},
    "larger": {"size", "x", "y"},
    "shape": {"stretch"},
    "partial_view": {"x", "y"},
    "texture": {"texture"},
    "darker": {"level"},
    "brighter": {"level"},
    "style": {"style"},
    "object_blocking": {"others"},
    "person_blocking": {"others"},
    "multiple_objects": {"others"},
}


def values(scene: Scene) -> dict:
    whole = {field.name: getattr(scene, field.name) for field in fields(scene) if field.name != "things"}
    return whole | vars(scene.things[0]) | {"others": scene.things[1:]}


@pytest.fixture(scope="module")
def block():
    return shots("world-factors", 284)


@pytest.fixture(scope="module")
def bases(block):
    return {shot.attributes["scene"]: shot for shot in block if shot.attributes["factor"] == "none"}


def test_every_shape_has_every_factor_once_where_it_can_be_seen(block):
    seen = Counter((shot.label, shot.attributes["factor"]) for shot in block)
    assert set(seen.values()) == {1}
    unseen = {(name, factor) for name in NAMES for factor in ("none", *FACTORS)} - set(seen)
    assert unseen == {(name, "pose") for name in ("sphere", "cube", "cross", "torus")}


def test_a_few_rows_show_many_shapes_and_factors(block):
    assert len({shot.label for shot in block[:40]}) == 18
    assert len({shot.attributes["factor"] for shot in block[:40]}) == 16


def test_columns_name_exactly_the_factor_that_was_changed(block):
    for shot in block:
        assert tuple(shot.factors) == FACTORS
        assert [name for name, changed in shot.factors.items() if changed] == [
            factor for factor in FACTORS if factor == shot.attributes["factor"]
        ]


@pytest.mark.parametrize("factor", FACTORS)
def test_a_factor_changes_what_it_says_and_nothing_else(block, bases, factor):
    changed = [shot for shot in block if shot.attributes["factor"] == factor]
    assert len(changed) >= 14
    for shot in changed:
        base = bases[shot.attributes["scene"]]
        assert base.label == shot.label == shot.subject.scene.things[0].name
        before, after = values(base.subject.scene), values(shot.subject.scene)
        moved = {key for key in before if before[key] != after[key]}
        assert moved and moved <= MOVES[factor], shot.id
    for shot in changed[:4]:
        pictures = [render(replace(s.subject.scene, noise=0.0), 64).picture for s in (bases[shot.attributes["scene"]], shot)]
        assert (np.abs(np.diff(np.stack(pictures).astype(int), axis=0)) > 8).mean() > 0.005, shot.id


def test_how_far_factors_go(block, bases):
    for shot in block:
        scene, factor = shot.subject.scene, shot.attributes["factor"]
        thing = scene.things[0]
        if factor == "none":
            assert thing.texture == "plain" and thing.color not in ("white", "black") and thing.roll == 0 and thing.stretch == 1
            assert (
                0.37 <= thing.size <= 0.62 and 0.9 <= scene.level <= 1.1 and np.ptp(scene.tone) <= 16 and len(scene.things) == 1
            )
        elif factor == "partial_view":
            whole = silhouette(Scene((replace(thing, x=0.5, y=0.5),)), 0, 64).sum()
            assert 0.4 < silhouette(scene, 0, 64).sum() / whole < 0.6, shot.id
        elif factor in ("object_blocking", "person_blocking"):
            assert 0.5 < visible_shares(scene)[0] < 0.85, shot.id
            assert (scene.things[1].name == "walker") == (factor == "person_blocking")
            assert scene.far_to_near() == [0, 1]
        elif factor == "multiple_objects":
            assert min(visible_shares(scene)) > 0.95
            assert len({t.name for t in scene.things}) == len({t.color for t in scene.things}) == 3
        elif factor == "background":
            assert np.ptp(scene.tone) > 40
            assert np.linalg.norm(np.array(scene.tone) - COLORS[thing.color]) > 40
