import numpy as np
import pytest
from PIL import Image
from tests.world.cutouts import COLORS, outline, picture

from eyechart.errors import DataError
from eyechart.world.cutout import LARGEST_SIDE, cut_out


@pytest.mark.parametrize("name", list(COLORS))
def test_it_knows_the_box_and_the_share_that_is_covered(name):
    alpha = outline(name) > 0
    rows, columns = np.flatnonzero(alpha.any(1)), np.flatnonzero(alpha.any(0))
    width, height = np.ptp(columns) + 1, np.ptp(rows) + 1
    cutout = cut_out(name, picture(name))
    assert cutout.stretch == pytest.approx(width / height)
    assert cutout.fill == pytest.approx(alpha.sum() / (width * height))


def test_where_it_lies_in_its_picture_makes_no_difference():
    middle, corner = picture("wedge"), Image.new("RGBA", (90, 70))
    corner.paste(middle.crop(middle.getbbox()), (0, 0))
    a, b = cut_out("wedge", middle).sprite(20, 20), cut_out("wedge", corner).sprite(20, 20)
    assert np.array_equal(a.alpha, b.alpha)


def test_at_its_own_size_a_sprite_is_the_picture_itself():
    """31 pixels of what is seen and two times 2% of rim make a sheet of 32.24 pixels; the middle ones are untouched."""
    sprite = cut_out("square", picture("square")).sprite(32, 32)
    assert sprite.alpha[3:-3, 3:-3].min() == 1
    assert np.array_equal(sprite.colors[16, 16], COLORS["square"])


def test_colors_do_not_bleed_in_from_what_is_transparent():
    pixels = np.asarray(picture("disc")).copy()
    pixels[pixels[..., 3] == 0, :3] = (255, 0, 255)
    sprite = cut_out("disc", Image.fromarray(pixels)).sprite(17, 17)
    seen = sprite.alpha > 0.1
    assert np.abs(sprite.colors[seen] - COLORS["disc"]).max() <= 6  # of eight bits, times a faint alpha


def test_a_covered_area_is_met_at_any_size():
    """size² is the box's share of the picture, of which `fill` is covered."""
    cutout = cut_out("disc", picture("disc", 256))
    size = cutout.size_of(0.07)
    assert size**2 * np.pi / 4 == pytest.approx(0.07, rel=0.02)


def test_a_large_picture_is_kept_small_and_its_shape_kept():
    cutout = cut_out("bar", picture("bar", 2400))
    assert max(cutout.picture.size) <= LARGEST_SIDE * 1.05
    assert cutout.stretch == pytest.approx(4, rel=0.02)


def test_a_faint_glow_does_not_count():
    pixels = np.asarray(picture("square")).copy()
    pixels[pixels[..., 3] == 0, 3] = 20
    assert cut_out("square", Image.fromarray(pixels)).stretch == cut_out("square", picture("square")).stretch


def test_the_outline_fills_its_sheet():
    cutout = cut_out("wedge", picture("wedge", 256))
    assert cutout.outline(50).mean() == pytest.approx(cutout.fill, abs=0.01)
    assert cutout.outline(50)[-1].mean() > 0.9 > 0.1 > cutout.outline(50)[0].mean()


@pytest.mark.parametrize(
    ("alpha", "reason"),
    [(255, "no part of it is transparent"), (0, "all of it is transparent"), (90, "all of it is transparent")],
)
def test_a_picture_that_shows_no_cut_out_object_is_refused_with_what_to_do(alpha, reason):
    with pytest.raises(DataError, match=f"{reason}.*save"):
        cut_out("x", Image.new("RGBA", (9, 9), (1, 2, 3, alpha)))
