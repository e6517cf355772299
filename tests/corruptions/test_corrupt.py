"""What holds for every corruption."""

from pathlib import Path

import numpy as np
import pytest

from eyechart.corruptions import CORRUPTIONS, corrupt
from eyechart.errors import DataError, UsageError

NEED_DEPTH = {"near_focus", "far_focus", "fog_3d", "flash", "xy_motion_blur", "z_motion_blur"}
WITHOUT_DEPTH = {
    *("low_light", "noise", "shot_noise", "color_quantization", "jpeg", "defocus_blur", "gaussian_blur"),
    *("brightness", "contrast", "fog", "pixelate"),
}
RANDOM = {"xy_motion_blur", "fog", "noise", "shot_noise", "low_light"}
PER_PIXEL = {"noise", "shot_noise", "low_light", "jpeg"}  # act on pixels or blocks of them, whatever the resolution
every = pytest.mark.parametrize("name", sorted(NEED_DEPTH | WITHOUT_DEPTH))


def change(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one.astype(float) - other).mean())


def test_the_corruptions_there_are():
    assert {name for name, c in CORRUPTIONS.items() if c.needs_depth} == NEED_DEPTH
    assert {name for name, c in CORRUPTIONS.items() if not c.needs_depth} == WITHOUT_DEPTH
    for name, corruption in CORRUPTIONS.items():
        assert corruption.name == name
        assert corruption.about.endswith(".")


def test_the_page_says_what_each_does_and_needs():
    page = (Path(__file__).resolve().parents[2] / "docs" / "corruptions.md").read_text(encoding="utf-8")
    cells = [[cell.strip() for cell in line.split("|")[1:4]] for line in page.splitlines() if line.startswith("| `")]
    assert cells == [[f"`{c.name}`", c.about, "yes" if c.needs_depth else "no"] for c in CORRUPTIONS.values()]


@every
def test_pure_and_repeatable(name, scene):
    picture, depth = scene(48)
    before = picture.copy(), depth.copy()
    first = corrupt(picture, name, 3, depth=depth, seed=4)
    assert first.dtype == np.uint8
    assert first.shape == picture.shape
    assert not np.shares_memory(first, picture)
    np.testing.assert_array_equal(corrupt(picture, name, 3, depth=depth, seed=4), first)
    np.testing.assert_array_equal(picture, before[0])
    np.testing.assert_array_equal(depth, before[1])


@every
def test_the_seed_counts_where_there_is_chance(name, scene):
    picture, depth = scene(48)
    made = [corrupt(picture, name, 3, depth=depth, seed=seed) for seed in (1, 2)]
    assert (change(*made) > 0) == (name in RANDOM)


@every
def test_each_severity_changes_more(name, scene):
    picture, depth = scene(64)
    changes = [
        np.mean([change(corrupt(picture, name, s, depth=depth, seed=seed), picture) for seed in range(8)]) for s in range(1, 6)
    ]
    assert changes == sorted(changes)
    assert changes[0] > 0.5
    assert changes[4] > 1.5 * changes[0]


@every
def test_the_strongest_leaves_the_picture_recognizable(name, scene):
    """Large forms survive: means over sixteenths of the picture still go with those of the original."""
    picture, depth = scene(64)
    coarse = [
        p.reshape(16, 4, 16, 4, 3).mean((1, 3)).ravel() for p in (picture, corrupt(picture, name, 5, depth=depth).astype(float))
    ]
    assert np.corrcoef(*coarse)[0, 1] > 0.5


@every
def test_the_same_strength_at_every_resolution(name, scene):
    small, large = scene(64), scene(256)
    weak, strong = (change(corrupt(p, name, 4, depth=d, seed=0), p) for p, d in (small, large))
    if name not in PER_PIXEL:
        assert strong == pytest.approx(weak, rel=0.2)


@every
@pytest.mark.parametrize("shape", [(1, 1), (3, 200), (200, 3), (31, 17)])
def test_odd_sizes(name, shape):
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 256, (*shape, 3), dtype=np.uint8)
    depth = rng.uniform(1, 9, shape).astype(np.float32)
    for severity in (1, 5):
        assert corrupt(picture, name, severity, depth=depth).shape == picture.shape


@pytest.mark.parametrize("name", sorted((NEED_DEPTH | WITHOUT_DEPTH) - {"noise", "shot_noise", "low_light"}))
def test_gray_stays_gray(name, scene):
    """Lenses, air and white lamps treat all colors alike. Sensors do not: each color's photons are counted apart."""
    picture, depth = scene(48)
    made = corrupt(np.repeat(picture[..., :1], 3, axis=-1), name, 4, depth=depth, seed=0)
    assert (made == made[..., :1]).all()


@pytest.mark.parametrize("name", sorted(NEED_DEPTH))
def test_the_unit_of_depth_does_not_matter(name, scene):
    picture, depth = scene(48)
    in_metres, in_millimetres = (corrupt(picture, name, 4, depth=d) for d in (depth, depth * 1000))
    assert np.abs(in_metres.astype(int) - in_millimetres).max() <= 1


@pytest.mark.parametrize("name", sorted(NEED_DEPTH))
@pytest.mark.parametrize("value", [1e-30, 1.0, 1e30])
def test_a_wall_of_one_depth(name, value, scene):
    picture, _ = scene(32)
    made = corrupt(picture, name, 4, depth=np.full((32, 32), value, np.float32))
    assert made.std() > 10
    np.testing.assert_array_equal(made, corrupt(picture, name, 4, depth=np.ones((32, 32), np.float32)))


@pytest.mark.parametrize("name", sorted(NEED_DEPTH))
def test_a_few_wild_depths_leave_the_rest_alone(name, scene):
    picture, depth = scene(64)
    wild = depth.copy()
    wild[0, :2], wild[-1, -2:] = 1e20, 1e-20
    made = [corrupt(picture, name, 3, depth=d)[8:-8, 8:-8] for d in (depth, wild)]
    assert change(*made) < 2


@every
def test_arrays_of_any_layout(name, scene):
    picture, depth = scene(32)
    expected = corrupt(picture[::-1].copy(), name, 2, depth=depth[::-1].copy())
    picture.flags.writeable = depth.flags.writeable = False
    np.testing.assert_array_equal(corrupt(picture[::-1], name, 2, depth=depth[::-1]), expected)


def test_an_unknown_name():
    with pytest.raises(UsageError, match=r"called 'near_fokus'; did you mean 'near_focus'\? \(there are: brightness"):
        corrupt(np.zeros((4, 4, 3), np.uint8), "near_fokus", 1)


@pytest.mark.parametrize("severity", [0, 6, -1, 2.0, "3", True, None])
def test_no_such_severity(severity):
    with pytest.raises(UsageError, match="not one of 1, 2, 3, 4, 5"):
        corrupt(np.zeros((4, 4, 3), np.uint8), "noise", severity)


@pytest.mark.parametrize("seed", [-1, 0.5, "a", None])
def test_no_such_seed(seed):
    with pytest.raises(UsageError, match="not a whole number of 0 or more"):
        corrupt(np.zeros((4, 4, 3), np.uint8), "noise", 1, seed=seed)


def test_numbers_of_numpy_are_numbers():
    gray = np.full((4, 4, 3), 99, np.uint8)
    made = corrupt(gray, "noise", np.int64(2), seed=np.uint32(7))
    np.testing.assert_array_equal(made, corrupt(gray, "noise", 2, seed=7))


@pytest.mark.parametrize(
    "picture, says",
    [
        (np.zeros((4, 4, 3)), "values are float64; give uint8"),
        (np.zeros((4, 4), np.uint8), r"shape is \[4, 4\]; give \[height, width, 3\]"),
        (np.zeros((4, 4, 4), np.uint8), "converted to RGB"),
        (np.zeros((0, 4, 3), np.uint8), r"shape is \[0, 4, 3\]"),
        ([[1, 2, 3]], "is a list, not an array"),
    ],
)
def test_no_such_picture(picture, says):
    with pytest.raises(DataError, match=says):
        corrupt(picture, "noise", 1)


@pytest.mark.parametrize(
    "depth, says",
    [
        (None, "'fog_3d' needs a depth map"),
        (np.ones((4, 5)), r"shape is \[4, 5\], the picture's \[4, 4\]"),
        (np.array([[1, 1, np.nan, 1]] * 4), r"is nan at row 0, column 2 \(4 of 16 pixels"),
        (np.where(np.eye(4) > 0, np.inf, 1.0), "is inf at row 0, column 0"),
        (np.arange(16).reshape(4, 4), r"is 0 at row 0, column 0 \(1 of 16 pixels"),
        (-np.ones((4, 4), np.float32), "finite distance above 0"),
        (np.ones((4, 4), bool), "is of bool; give an array of numbers"),
        ([[1.0] * 4] * 4, "is of list"),
    ],
)
def test_no_such_depth(depth, says):
    with pytest.raises(DataError, match=says):
        corrupt(np.zeros((4, 4, 3), np.uint8), "fog_3d", 1, depth=depth)


def test_depth_in_whole_millimetres_will_do(scene):
    picture, depth = scene(32)
    whole = np.rint(depth * 1000).astype(np.uint16)
    made, expected = (corrupt(picture, "fog_3d", 2, depth=d).astype(int) for d in (whole, depth))
    assert np.abs(made - expected).max() <= 1
