import hashlib
import io

import numpy as np
import pytest
from PIL import Image

from eyechart.errors import UsageError
from eyechart.world.drawn import COLORS, Drawing, drawn_pictures
from eyechart.world.shapes import SHAPES


def pixels(dataset, row: int) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(dataset.pictures.read(row))))


def test_twelve_classes_with_names_attributes_and_captions():
    dataset = drawn_pictures(3, seed=0)
    assert len(dataset) == 36
    assert len(set(dataset.ids())) == 36
    assert np.bincount(dataset.label_indices()).tolist() == [3] * 12
    assert [c.name for c in dataset.classes] == list(SHAPES)
    for row in dataset.table.to_pylist():
        assert row["label"] in row["captions"][0]
        assert row["attr.color"] in row["captions"][1]


def test_the_same_pixels_on_every_run():
    """A change here moves pictures that people have results for: raise DRAWING_VERSION with it."""
    dataset = drawn_pictures(2, seed=5, size=32)
    digest = hashlib.sha256(b"".join(pixels(dataset, row).tobytes() for row in range(len(dataset)))).hexdigest()
    assert digest.startswith("fce175eebf2600d5")


def test_a_picture_does_not_depend_on_how_many_there_are():
    few, many = drawn_pictures(1, seed=3), drawn_pictures(4, seed=3)
    place = many.ids().index(few.ids()[7])
    assert few.pictures.read(7) == many.pictures.read(place)
    assert few.pictures.identity(7) == many.pictures.identity(place)


def test_other_seeds_give_other_pictures():
    assert drawn_pictures(1, seed=1).pictures.read(0) != drawn_pictures(1, seed=2).pictures.read(0)


def test_taking_rows_takes_their_pictures():
    dataset = drawn_pictures(2, seed=0)
    part = dataset.take([5, 1])
    assert part.ids() == [dataset.ids()[5], dataset.ids()[1]]
    assert part.pictures.read(0) == dataset.pictures.read(5)
    assert len(part.pictures) == 2


def test_identities_differ_wherever_the_bytes_do():
    dataset = drawn_pictures(2, seed=0)
    assert len({dataset.pictures.identity(row) for row in range(len(dataset))}) == len(dataset)
    assert dataset.pictures.identity(0) != drawn_pictures(2, seed=0, size=32).pictures.identity(0)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_lies_in_the_unit_circle_and_fills_a_good_part_of_it(shape):
    grid = np.linspace(-1.2, 1.2, 241)
    x, y = np.meshgrid(grid, grid)
    inside = SHAPES[shape](x, y)
    assert not (inside & (x * x + y * y > 1.01)).any()
    assert 0.2 < inside.sum() / (x * x + y * y < 1).sum() <= 1.0


def test_areas_by_geometry():
    """Share of the unit circle's square, by formula: circle π/4, ring 0.64 π/4, square 0.7², triangle 3√3/16."""
    grid = (np.arange(2000) + 0.5) / 1000 - 1
    x, y = np.meshgrid(grid, grid)
    for shape, share in {
        "circle": np.pi / 4,
        "ring": 0.16 * np.pi,
        "square": 0.49,
        "triangle": 3 * 3**0.5 / 16,
        "diamond": 0.31,
    }.items():
        assert SHAPES[shape](x, y).mean() == pytest.approx(share, abs=2e-3), shape


def test_the_shape_has_its_color_and_smooth_edges():
    drawing = Drawing("circle", "blue", "large", "plain", (0, 0, 0))
    made = drawing.pixels(64).astype(float)
    middle = made[28:36, 28:36].mean((0, 1))
    assert np.abs(middle - COLORS["blue"]).max() < 60
    distance = np.linalg.norm(made - middle, axis=-1)
    assert ((distance > 40) & (distance < distance.max() - 60)).sum() > 20  # pixels that are partly ink


@pytest.mark.parametrize("n, size", [(0, 64), (1, 4)])
def test_nothing_to_draw_is_refused(n, size):
    with pytest.raises(UsageError, match="give at least 1 of at least 8"):
        drawn_pictures(n, seed=0, size=size)
