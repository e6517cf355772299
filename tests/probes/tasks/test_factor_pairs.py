"""Pairs of one scene with and without a factor, and scene numbers: by hand and by a loop."""

import numpy as np
import pyarrow as pa
from tests.probes.answering import NoPictures

from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.factor_pairs import scene_pairs, scene_units

DARK, WET = 0, 1


def test_a_row_is_paired_with_the_first_of_its_scene_that_differs_in_the_factor_only():
    marks = np.array([[0, 0], [0, 0], [1, 0], [1, 1], [0, 1], [1, 0], [0, 0], [1, 1]], bool)
    scenes = np.array([7, 7, 7, 7, 7, 3, 5, 5])
    dark = scene_pairs(marks, DARK, scenes)  # row 5 is alone in its scene; in row 7's, the other row is not wet
    assert (dark.with_factor.tolist(), dark.without_factor.tolist()) == ([2, 3], [0, 4])
    wet = scene_pairs(marks, WET, scenes)
    assert (wet.with_factor.tolist(), wet.without_factor.tolist()) == ([3, 4], [2, 0])


def test_without_pairs_there_are_none():
    assert scene_pairs(np.array([[1, 0], [0, 0], [0, 1]], bool), DARK, np.array([0, 1, 0])) is None
    assert scene_pairs(np.ones((2, 1), bool), DARK, np.zeros(2, np.int64)) is None


def test_pairs_are_those_of_a_loop():
    """Twelve factors, more than a byte holds."""
    rng = np.random.default_rng(0)
    marks, scenes = rng.random((300, 12)) < 0.12, rng.integers(0, 12, 300)
    for factor in (0, 5, 11):
        expected = []
        for row in np.flatnonzero(marks[:, factor]):
            wanted = marks[row].copy()
            wanted[factor] = False
            partners = [i for i in range(300) if scenes[i] == scenes[row] and (marks[i] == wanted).all()]
            expected += [(row, partners[0])] if partners else []
        found = scene_pairs(marks, factor, scenes)
        assert len(expected) > 5
        assert list(zip(found.with_factor, found.without_factor, strict=True)) == expected


def units(scenes, copies):
    columns = {} if scenes is None else {"attr.scene": pa.array(scenes, pa.string())}
    dataset = Dataset("test", pa.table({"id": [str(i) for i in range(len(copies))], **columns}), NoPictures(len(copies)))
    return scene_units(dataset, "attr.scene", np.array(copies)).tolist()


def test_rows_of_one_scene_have_one_number():
    assert units(["b", "a", "b", "c"], [0, 1, 2, 3]) == [0, 1, 0, 2]


def test_where_a_scene_is_unknown_copies_of_a_picture_have_one_number():
    """Numbers of pictures are not those of scenes: picture 0 without a scene is not in scene 0."""
    assert units(["b", None, "b", None, "c", None], [4, 0, 4, 1, 5, 0]) == [0, 2, 0, 3, 1, 2]
    assert units([None, None, None], [3, 8, 3]) == [0, 1, 0]
    assert units(None, [5, 2, 5]) == [1, 0, 1]
