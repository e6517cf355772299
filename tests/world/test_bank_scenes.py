"""Scenes of a bank: who stands where, how large, how far away, checked against the outlines that the pictures were drawn with."""

from collections import Counter
from dataclasses import replace
from itertools import islice, pairwise

import numpy as np
import pytest
from PIL import Image
from tests.world.cutouts import COLORS, draw_bank, outline

from eyechart.errors import UsageError
from eyechart.world.bank_dataset import scenes_of, singles_of
from eyechart.world.bank_scenes import Staging, block, rows_of_objects
from eyechart.world.composer import GROUND, render, silhouette
from eyechart.world.datasets.open import follow
from eyechart.world.datasets.world_dataset import Streams
from eyechart.world.folder_bank import open_bank
from eyechart.world.scene import CAMERA_DISTANCE, Camera, Scene, seen_from

SIDE = 256


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    return open_bank(draw_bank(tmp_path_factory.mktemp("bank")))


def scenes(bank, count: int = 30, **staging) -> list[Scene]:
    return [scene for _, scene in islice(rows_of_objects(bank, Staging(**staging), Streams(3, 2001)), count)]


def card(bank, name: str, x: float, y: float, area: float):
    thing = bank.card(bank.variants(name)[0], area)
    return type(thing)(**{**vars(thing), "x": x, "y": y})


@pytest.mark.parametrize("name", list(COLORS))
def test_a_mask_is_where_the_picture_s_own_outline_lands(bank, name):
    """The expected mask comes from the drawing itself: its box, enlarged by Pillow to the place the thing says it has."""
    thing = card(bank, name, 0.45, 0.55, 0.05)
    seen = outline(name) > 0
    rows, columns = np.flatnonzero(seen.any(1)), np.flatnonzero(seen.any(0))
    tight = Image.fromarray(outline(name)[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
    width, height = thing.size * thing.stretch**0.5 * SIDE, thing.size / thing.stretch**0.5 * SIDE
    left, top = round(0.45 * SIDE - width / 2), round(0.55 * SIDE - height / 2)
    expected = np.zeros((SIDE, SIDE), dtype=bool)
    large = np.asarray(tight.resize((round(width), round(height)), Image.Resampling.BICUBIC)) > 127
    expected[top : top + large.shape[0], left : left + large.shape[1]] = large
    mask = render(Scene((thing,)), SIDE, bank).owner == 0
    # Sheets lie on whole pixels, so an edge may be off by one pixel; a wrong place or size would be off by far more.
    edge = 2 * (height + width) + 8
    assert (mask != expected).sum() < 1.5 * edge
    assert mask.sum() == pytest.approx(expected.sum(), rel=0.06)


def test_masks_are_those_of_the_things_alone_less_what_stands_nearer(bank):
    near, far = card(bank, "square", 0.5, 0.6, 0.1), card(bank, "disc", 0.55, 0.5, 0.1)
    scene = Scene((far, near), noise=0.0)
    owner = render(scene, SIDE, bank).owner
    alone = [silhouette(scene, number, SIDE, bank) for number in (0, 1)]
    assert np.array_equal(owner == 1, alone[1])
    assert np.array_equal(owner == 0, alone[0] & ~alone[1])
    assert (alone[0] & alone[1]).any()


def test_colors_are_the_picture_s_own(bank):
    scene = Scene((card(bank, "wedge", 0.5, 0.5, 0.2),), noise=0.0)
    rendering = render(scene, SIDE, bank)
    inside = silhouette(scene, 0, SIDE, bank)
    for shift in (-3, 3):
        inside &= np.roll(inside, shift, 0) & np.roll(inside, shift, 1)
    assert inside.sum() > 1000
    assert np.abs(rendering.picture[inside].astype(int) - COLORS["wedge"]).max() <= 2


def test_the_ground_is_plain_and_shadows_are_soft(bank):
    for scene in scenes(bank, 6):
        rendering = render(scene, SIDE, bank)
        ground = rendering.picture[rendering.owner == GROUND].astype(int)
        assert Counter(ground[:, 0]).most_common(1)[0][0] == 178
        shadows = rendering.picture.max(axis=2)[rendering.owner == GROUND]
        assert shadows.min() < 165


def test_the_large_one_covers_what_was_asked_and_small_ones_a_tenth(bank):
    for scene in scenes(bank, 40, large=0.05, ratio=8.0):
        owner = render(scene, 512, bank).owner
        areas = sorted(((owner == number).mean() for number in range(len(scene.things))), reverse=True)
        shrunk = areas[0] / 0.05  # a scene that does not fit is made smaller as a whole
        assert shrunk < 1.05
        assert areas[0] / np.mean(areas[1:]) == pytest.approx(8.0, rel=0.12)


def test_ranks_of_the_design_are_ranks_of_the_areas_seen(bank):
    for row, scene in islice(rows_of_objects(bank, Staging(), Streams(0, 2001)), 60):
        owner = render(scene, 512, bank).owner
        areas = [(owner == number).mean() for number in range(len(scene.things))]
        assert list(np.argsort(np.argsort(-np.asarray(areas)))) == list(row.ranks)


def test_things_stand_side_by_side_within_the_picture(bank):
    for scene in scenes(bank, 60, large=0.2, ratio=3.0):
        boxes = []
        for number in range(len(scene.things)):
            columns = np.flatnonzero(silhouette(scene, number, SIDE, bank).any(0))
            rows = np.flatnonzero(silhouette(scene, number, SIDE, bank).any(1))
            boxes.append((columns[0], columns[-1]))
            assert columns[0] > 0 < rows[0]
            assert columns[-1] < SIDE - 1 > rows[-1]
        assert all(a[1] < b[0] for a, b in pairwise(boxes))


def test_feet_are_scattered(bank):
    camera = Camera()
    spread = [np.ptp([thing.foot(camera) for thing in scene.things]) for scene in scenes(bank, 40)]
    assert max(spread) > 0.05
    assert max(spread) <= 0.14 + 1e-9


def test_a_card_is_as_far_away_as_the_ground_at_its_foot(bank):
    for scene in scenes(bank, 12):
        rendering = render(scene, SIDE, bank)
        for number, thing in enumerate(scene.things):
            depths = rendering.depth[rendering.owner == number]
            assert np.ptp(depths) == 0
            foot = np.flatnonzero((rendering.owner == number).any(1))[-1]
            ground = CAMERA_DISTANCE + (0.5 - (foot + 1) / SIDE) / np.tan(np.deg2rad(scene.camera.elevation))
            assert depths[0] == pytest.approx(ground, abs=2.5 / SIDE / np.tan(np.deg2rad(scene.camera.elevation)))
            assert thing.picture is not None


def test_from_another_camera_a_card_still_stands_where_it_stood(bank):
    (scene,) = scenes(bank, 1)
    there = seen_from(scene, Camera(0.0, 50.0))
    for before, after in zip(scene.things, there.things, strict=True):
        down, up = (
            (0.5 - before.foot(scene.camera)) / np.sin(np.deg2rad(28)),
            (0.5 - after.foot(there.camera)) / np.sin(np.deg2rad(50)),
        )
        assert up == pytest.approx(down)
        assert after.size == before.size


@pytest.mark.parametrize("objects", [(2, 3), (4,)])
def test_every_object_has_every_place_and_rank_equally_often(bank, objects):
    staging = Staging(objects=objects)
    found = Counter()
    whole = block(bank, staging)
    assert whole == len(COLORS) * sum(objects)
    for row, scene in islice(rows_of_objects(bank, staging, Streams(0, 2001)), whole):
        left_to_right = sorted(scene.things, key=lambda thing: thing.x)
        assert [thing.name for thing in left_to_right] == [bank.names[name] for name in row.names]
        found.update(
            (len(row.names), name, place, rank) for place, (name, rank) in enumerate(zip(row.names, row.ranks, strict=True))
        )
    assert len(found) == len(COLORS) * sum(n * n for n in objects)
    assert set(found.values()) == {1}


def test_variants_are_chosen_by_the_seed(tmp_path):
    folder = draw_bank(tmp_path, ("square", "disc", "bar"))
    for number in (2, 3, 4):
        draw_bank(tmp_path / "more", ("wedge",))
        (tmp_path / "more" / "wedge.png").rename(folder / f"disc-{number}.png")
    bank = open_bank(folder)
    chosen = {tuple(thing.picture for thing in scene.things if thing.name == "disc") for scene in scenes(bank, 60, objects=(2,))}
    assert {pictures[0] for pictures in chosen if pictures} == set(bank.variants("disc"))


def test_a_dataset_has_the_truth_of_every_object(bank):
    dataset = follow(scenes_of(bank, "five", Staging()), n=9, seed=1, side=96)
    for row in range(9):
        owner = dataset.pictures.render(row).owner
        objects = dataset.table.column("objects")[row].as_py()
        by_rank = sorted(objects, key=lambda o: o["size_rank"])
        assert [o["area"] * 96 * 96 for o in objects] == pytest.approx([(owner == i).sum() for i in range(len(objects))])
        assert [o["position"] for o in objects] == list(range(len(objects)))
        assert {o["color"] for o in objects} == {o["texture"] for o in objects} == {None}
        assert dataset.table.column("label")[row].as_py() == by_rank[0]["name"]
        captions = dataset.table.column("captions")[row].as_py()
        assert captions[2] == " and ".join(o["name"] for o in objects)
        assert captions[0].split(" and ")[0] == by_rank[0]["name"] == captions[1].split(" and ")[-1]
        place = dataset.table.column("attr.large_place")[row].as_py()
        assert objects[place - 1]["size_rank"] == 0


def test_singles_show_every_object_once_large_and_in_the_middle(bank):
    dataset = follow(singles_of(bank, "five", Staging()), side=128)
    assert dataset.table.column("label").to_pylist() == list(bank.names)
    for objects in dataset.table.column("objects").to_pylist():
        (alone,) = objects
        left, top, right, bottom = alone["box"]
        assert max(right - left, bottom - top) == pytest.approx(0.7 * 128, abs=2)
        assert (left + right) / 2 == pytest.approx(64, abs=1.5)
        assert (top + bottom) / 2 == pytest.approx(64, abs=1.5)


def test_the_same_seed_gives_the_same_pictures_and_another_others(bank):
    def pictures(seed: int, n: int = 4) -> list[bytes]:
        dataset = follow(scenes_of(bank, "five", Staging()), n=n, seed=seed, side=64)
        return [dataset.pictures.read(row) for row in range(4)]

    assert pictures(0) == pictures(0, n=11)
    assert pictures(0) != pictures(1)


@pytest.mark.parametrize(
    ("staging", "message"),
    [
        ({"objects": (1, 2)}, "--single"),
        ({"objects": (2, 130)}, "choose 100 or fewer"),
        ({"large": 0.0}, "share"),
        ({"large": 0.9}, "share"),
        ({"large": float("nan")}, "share"),
        ({"ratio": 1.0}, "ratio"),
        ({"gray": 256}, "gray"),
        ({"background": "plane"}, "did you mean 'plain'"),
        ({"light": "above"}, "left, right, front"),
    ],
)
def test_settings_that_make_no_scene_are_refused(staging, message):
    with pytest.raises(UsageError, match=message):
        Staging(**staging)


def test_more_objects_than_names_are_refused(bank):
    with pytest.raises(UsageError, match=r"scenes of 6 objects need as many names, and the bank has 5; .* use --objects 2-5"):
        scenes(bank, objects=(6,))


@pytest.mark.parametrize(("names", "way_out"), [(1, "say --single"), (2, "use --objects 2$"), (3, "use --objects 2-3")])
def test_a_bank_of_few_names_is_told_a_way_that_works(bank, names, way_out):
    few = replace(bank, names=bank.names[:names])
    with pytest.raises(UsageError, match=way_out):
        scenes(few, objects=(2, 3, 4, 5))
