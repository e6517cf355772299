import io

import numpy as np
import pytest
from PIL import Image

from eyechart.corruptions import corrupt
from eyechart.corruptions.coding import BLOCKS, QUALITY


@pytest.mark.parametrize("severity", range(1, 6))
def test_jpeg_is_that_of_pillow(severity, scene, tmp_path):
    picture, _ = scene(61)
    Image.fromarray(picture).save(tmp_path / "small.jpg", quality=QUALITY[severity - 1])
    with Image.open(tmp_path / "small.jpg") as small:
        np.testing.assert_array_equal(corrupt(picture, "jpeg", severity), np.asarray(small))


def test_jpeg_files_get_smaller(scene):
    sizes = []
    for quality in QUALITY:
        file = io.BytesIO()
        Image.fromarray(scene(64)[0]).save(file, "JPEG", quality=quality)
        sizes.append(file.tell())
    assert sizes == sorted(sizes, reverse=True)


def test_pixelate_gives_the_means_of_blocks():
    many = int(BLOCKS[4])
    picture = np.random.default_rng(1).integers(0, 256, (4 * many, 8 * many, 3), dtype=np.uint8)
    means = picture.reshape(many, 4, 2 * many, 4, 3).astype(float).mean((1, 3))
    expected = means.repeat(4, axis=0).repeat(4, axis=1)
    assert np.abs(corrupt(picture, "pixelate", 5) - expected).max() <= 1.01  # Pillow rounds across, then down


def test_a_picture_of_fewer_pixels_stays_as_it_is():
    picture = np.random.default_rng(1).integers(0, 256, (9, 12, 3), dtype=np.uint8)
    np.testing.assert_array_equal(corrupt(picture, "pixelate", 5), picture)
