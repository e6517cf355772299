"""SimCO: the solids on plain gray ground, ten to one by area, apart from each other, at the resolution that is asked for."""

import json
from itertools import islice, pairwise

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from scipy.ndimage import binary_dilation

from eyechart.cli.main import main
from eyechart.data.class_file import read_classes
from eyechart.world.bank_scenes import Staging, rows_of_objects
from eyechart.world.composer import GROUND, render
from eyechart.world.datasets.world_dataset import Streams
from eyechart.world.simco_bank import simco_bank

SIDE = 336


@pytest.fixture(scope="module")
def bank():
    return simco_bank()


@pytest.fixture(scope="module")
def rendered(bank):
    staging = Staging(objects=(4,))
    return [(scene, render(scene, SIDE, bank)) for _, scene in islice(rows_of_objects(bank, staging, Streams(0, 2001)), 12)]


def test_names_are_those_of_simco(bank):
    assert set(bank.names) == {c.name for c in read_classes("simco-18")}
    assert all(len(bank.variants(name)) == 2 for name in bank.names)


def test_one_is_ten_times_as_large_as_the_others(rendered):
    for scene, rendering in rendered:
        areas = sorted(((rendering.owner == number).sum() for number in range(len(scene.things))), reverse=True)
        assert areas[0] / np.mean(areas[1:]) == pytest.approx(10, rel=0.15)
        assert 0.05 < areas[0] / SIDE**2 < 0.075


def test_objects_do_not_touch(rendered):
    for scene, rendering in rendered:
        masks = [binary_dilation(rendering.owner == number, iterations=2) for number in range(len(scene.things))]
        assert sum(mask.astype(int) for mask in masks).max() == 1


def test_the_ground_is_plain_gray_and_shadows_touch_the_foot(rendered):
    for scene, rendering in rendered:
        away = ~binary_dilation(rendering.owner != GROUND, iterations=4)  # edges of objects have a tint
        ground = rendering.picture[away].astype(int)
        assert (ground.max(axis=1) - ground.min(axis=1)).max() <= 1
        assert (ground == 178).all(axis=1).mean() > 0.75
        for number in range(len(scene.things)):
            mask = rendering.owner == number
            rows, columns = np.nonzero(mask)
            foot = rows.max()
            below = rendering.picture[foot + 2, columns[rows == foot], :].astype(int).max(axis=1)
            assert below.min() < 172  # darker than the ground right below
        assert len(np.unique(ground[:, 0])) > 30  # soft: not two tones


def test_targets_show_other_views_in_other_colors():
    scenes, targets = simco_bank("scenes"), simco_bank("targets")
    assert targets.names == scenes.names
    for name in targets.names:
        (target,) = [cutout for cutout in targets.cutouts if cutout.name == name]
        for cutout in (scenes.cutouts[number] for number in scenes.variants(name)):
            sizes = {c.picture.size for c in (target, cutout)}
            assert len(sizes) == 2 or np.asarray(target.picture).tobytes() != np.asarray(cutout.picture).tobytes()
            hues = [np.asarray(c.picture)[np.asarray(c.picture)[..., 3] > 250][:, :3].mean(axis=0) for c in (target, cutout)]
            assert np.abs(hues[0] - hues[1]).max() > 25


def test_the_command_renders_it_at_any_resolution(tmp_path, capsys):
    assert (
        main(["world", "render", str(tmp_path / "s"), "--bank", "simco", "--objects", "3", "--n", "6", "--side", "96", "--quiet"])
        == 0
    )
    table = pq.read_table(tmp_path / "s" / "dataset.parquet")
    assert Image.open(tmp_path / "s" / table.column("path")[0].as_py()).size == (96, 96)
    assert json.loads(table.schema.metadata[b"eyechart.world"])["ratio"] == 10.0
    assert len(table.column("objects")[0].as_py()) == 3
    assert main(["world", "render", str(tmp_path / "t"), "--bank", "simco", "--single", "--layout", "row"]) == 2
    assert "leave out --n, --objects, --large, --ratio and --layout" in capsys.readouterr().err


def test_a_diagonal_goes_from_the_back_left_to_the_front_right(bank):
    def feet(layout):
        staging = Staging(objects=(4,), layout=layout)
        return [
            [thing.foot(scene.camera) for thing in sorted(scene.things, key=lambda thing: thing.x)]
            for _, scene in islice(rows_of_objects(bank, staging, Streams(1, 2001)), 40)
        ]

    down = [b - a for of in feet("diagonal") for a, b in pairwise(of)]
    assert np.mean([step > 0 for step in down]) > 0.9
    assert all(of[-1] - of[0] > 0.15 for of in feet("diagonal"))
    across = [b - a for of in feet("row") for a, b in pairwise(of)]
    assert 0.3 < np.mean([step > 0 for step in across]) < 0.7
    for layout in ("row", "diagonal"):  # ranks and areas are the same
        row, scene = next(rows_of_objects(bank, Staging(objects=(4,), layout=layout), Streams(1, 2001)))
        owner = render(scene, SIDE, bank).owner
        assert list(np.argsort(np.argsort([-(owner == k).sum() for k in range(4)]))) == list(row.ranks)
        assert all((owner == k).any() for k in range(4))
