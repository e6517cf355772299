import numpy as np
import pytest

from eyechart.metrics.scenes.mask_attention import covered, patch_maps


def test_cells_of_whole_pixels_are_means():
    mask = np.random.default_rng(0).random((12, 8)) < 0.4
    expected = mask.reshape(3, 4, 2, 4).mean(axis=(1, 3))
    assert covered(mask, (0, 0, 8, 12), (3, 2)) == pytest.approx(expected)


@pytest.mark.parametrize("window", [(0, 0, 13, 11), (1.5, 2.25, 9.5, 10.25), (3, 3, 4, 4)])
def test_cells_that_cut_pixels_are_means_of_a_finer_mask(window):
    """Every pixel repeated 40 × 40 times: there the same cells have whole borders."""
    mask, fine = np.random.default_rng(1).random((11, 13)) < 0.5, 40
    left, top, right, bottom = (round(v * fine) for v in window)
    large = np.kron(mask, np.ones((fine, fine)))[top:bottom, left:right]
    expected = large.reshape(4, large.shape[0] // 4, 2, large.shape[1] // 2).mean(axis=(1, 3))
    assert covered(mask, window, (4, 2)) == pytest.approx(expected)


def test_outside_the_picture_nothing_is_covered():
    mask = np.ones((4, 4), bool)
    assert covered(mask, (-4, 0, 4, 4), (1, 2)).tolist() == [[0.0, 1.0]]
    assert covered(mask, (-2, -2, 6, 6), (1, 1)).tolist() == [[0.25]]


def test_parts_add_up():
    masks = np.random.default_rng(3).integers(0, 4, (20, 20))
    parts = [covered(masks == k, (0.3, 1.7, 18.2, 19.6), (5, 6)) for k in range(4)]
    assert sum(parts) == pytest.approx(np.ones((5, 6)))


def test_class_token_and_registers_are_left_out():
    rng = np.random.default_rng(4)
    weights = rng.random((2, 3, 10))
    maps, grid = patch_maps(weights)
    assert grid == (3, 3)
    assert maps == pytest.approx(weights[..., 1:] / weights[..., 1:].sum(axis=-1, keepdims=True))
    with_registers = rng.random((1, 5, 2, 21))
    maps, grid = patch_maps(with_registers)
    assert (grid, maps.shape) == ((4, 4), (1, 5, 2, 16))
    assert maps[0, 3, 1].argmax() == with_registers[0, 3, 1, 5:].argmax()


def test_no_square_is_refused():
    with pytest.raises(ValueError, match="no square"):
        patch_maps(np.ones((1, 1, 1 + 24)))


@pytest.mark.parametrize(("tokens", "side"), [(2, 1), (5, 2), (6, 2), (9, 2), (10, 3), (14, 3), (17, 4)])
def test_up_to_four_registers_come_before_the_patches(tokens, side):
    weights = np.arange(1.0, tokens + 1)
    maps, grid = patch_maps(weights)
    assert grid == (side, side)
    kept = weights[-side * side :]
    assert maps == pytest.approx(kept / kept.sum())


@pytest.mark.parametrize("tokens", [1, 15, 23])
def test_more_than_four_registers_or_no_patch_are_refused(tokens):
    with pytest.raises(ValueError, match="no square"):
        patch_maps(np.ones(tokens))
