"""Dense matching in space: by hand on four patches, and towers of which the answer is known by geometry."""

import numpy as np
import pytest
from tests.probes.correspondence.test_correspondence import CENTRES, GRID, PATCH, SIDE, inputs, lifted

from eyechart.probes.correspondence import Settings, correspondence
from eyechart.probes.correspondence.keypoints import PatchPicture
from eyechart.probes.correspondence.surfaces import match_surfaces, on_patches

QUICK = Settings(side=SIDE, least=1)


def flat(shift=(0.0, 0.0), cut=0):
    """The surface at the middle of the patches from row `cut` on: a wall of one centimeter per patch, seen `shift` pixels off."""
    places = CENTRES[cut:].reshape(-1, 2)
    return np.column_stack([places, (places + np.array(shift)) / PATCH, np.zeros(len(places))])


def pair_of(surface_a, surface_b, number=0):
    return {
        "id_a": f"p{2 * number}", "id_b": f"p{2 * number + 1}", "points_a": [[30.0, 30.0]] * 4, "points_b": [[30.0, 30.0]] * 4,
        "turn": 20.0, "surface_a": surface_a.tolist(), "surface_b": surface_b.tolist(),
    }  # fmt: skip


def seeing(shift):
    """A tower of which every patch says which spot of the wall it shows; `shift[row]` is how far the camera has moved."""

    def patches(rows):
        return np.stack([lifted((CENTRES + shift[row]).reshape(-1, 2)).reshape(GRID, GRID, 3) for row in rows])

    return patches


def only(answer, metric, **slice):
    (found,) = [f for f in answer.findings if f.metric == metric and f.slice == slice]
    return found


def test_a_tower_that_knows_every_spot_finds_all_that_the_second_view_shows():
    """The second camera has moved by three patches: what has left the picture cannot be found, everything else is."""
    by = np.array([3 * PATCH, 0.0])
    answer = correspondence.ask(inputs(seeing({0: 0.0, 1: by}), [pair_of(flat(), flat(by))], settings=QUICK))
    recall = only(answer, "dense_recall_1cm")
    assert recall.n == GRID * GRID
    # Three of 14 columns are not shown; of these, the nearest one is one centimeter off the shown ones.
    assert recall.value == only(answer, "dense_recall_1cm_upper_bound").value == pytest.approx(12 / 14)
    assert only(answer, "dense_recall_2cm").value == pytest.approx(13 / 14)
    assert only(answer, "dense_recall_1cm", turn="0–30°").value == recall.value


def test_a_tower_that_knows_nothing_is_at_chance():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(80, GRID, GRID, 16)).astype(np.float32)
    pairs = [pair_of(flat(), flat(), number) for number in range(40)]
    answer = correspondence.ask(inputs(lambda rows: noise[list(rows)], pairs, settings=QUICK))
    for k in (1, 2, 5):
        recall, chance = only(answer, f"dense_recall_{k}cm"), only(answer, f"dense_recall_{k}cm_chance")
        assert recall.low <= chance.value <= recall.high


def test_chance_is_the_share_of_patches_within_the_tolerance():
    """A wall of one centimeter per patch: a patch inside has 5 within 1 cm, 13 within 2 cm; at edges and corners fewer."""
    steps = np.arange(GRID)
    x, y = (grid.ravel() for grid in np.meshgrid(steps, steps))
    apart = np.hypot(x[:, None] - x, y[:, None] - y)
    found = match_surfaces(*of_pair(seeing({0: 0.0, 1: 0.0}), flat(), flat()), 1000, (1, 2))
    np.testing.assert_allclose(found.chance.mean(axis=0), [(apart <= k).mean() for k in (1, 2)])


def of_pair(patches, surface_a, surface_b):
    given = inputs(patches, [pair_of(surface_a, surface_b)])
    return given, given.dataset.pairs


def test_only_patches_on_the_object_are_matched():
    found = match_surfaces(*of_pair(seeing({0: 0.0, 1: 0.0}), flat(cut=10), flat(cut=12)), 1000, (1, 5))
    assert len(found.error) == 4 * GRID
    assert (found.error == 0).sum() == 2 * GRID and found.error.max() == pytest.approx(2.0)


def test_of_a_pair_the_clearest_matches_are_kept():
    """Patches of the upper half are told apart well, those of the lower half hardly."""
    tokens = np.random.default_rng(1).normal(size=(GRID, GRID, 64)).astype(np.float32)
    tokens[GRID // 2 :] = 1.0 + 1e-3 * tokens[GRID // 2 :]
    other = tokens + 0.01 * np.random.default_rng(2).normal(size=tokens.shape).astype(np.float32)
    found = match_surfaces(*of_pair(lambda rows: np.stack([(tokens, other)[row] for row in rows]), flat(), flat()), 98, (1, 2))
    assert len(found.error) == 98 and found.error.max() == 0


def test_a_patch_has_the_surface_point_nearest_to_its_center():
    picture = PatchPicture(np.zeros((2, 2, 3), np.float32), np.array([0.0, 0.0, 20.0, 20.0]))
    surface = np.array([[5.5, 5, 1, 1, 1], [1, 1, 2, 2, 2], [15, 14, 3, 3, 3], [25, 5, 4, 4, 4]], float)
    cells, space = on_patches(picture, surface)
    assert cells.tolist() == [0, 3] and space.tolist() == [[1, 1, 1], [3, 3, 3]]


@pytest.mark.parametrize("lost", ["surface_a", "surface_b"])
def test_a_pair_without_one_of_its_surfaces_is_left_out(lost):
    pairs = [pair_of(flat(), flat()), pair_of(flat(), flat(), 1) | {lost: None}]
    given = inputs(seeing(dict.fromkeys(range(4), 0.0)), pairs)
    found = match_surfaces(given, given.dataset.pairs, 1000, (1, 2))
    assert found.pair.tolist() == [0] * GRID**2


def test_without_surfaces_nothing_is_reported_in_space():
    pair = {k: v for k, v in pair_of(flat(), flat()).items() if not k.startswith("surface")}
    answer = correspondence.ask(inputs(seeing({0: 0.0, 1: 0.0}), [pair], settings=QUICK))
    assert not [f for f in answer.findings if f.metric.startswith("dense")]
