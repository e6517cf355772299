"""Answers dealt by scene: what every deal keeps, and how often each outcome comes up."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from eyechart.metrics.intervals.block_permutation import permute_blocks


def test_scenes_of_a_size_change_places_whole():
    """Three scenes of four rows, one of them all right: in every deal one kind, which is one scene, has all the hits."""
    scenes = np.repeat([0, 1, 2], 4)
    permuted = permute_blocks(scenes == 1, scenes, scenes, permutations=3000, rng=np.random.default_rng(0))
    assert set(map(tuple, permuted)) == {(4, 0, 0), (0, 4, 0), (0, 0, 4)}
    assert (permuted > 0).mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.04)


def test_within_a_scene_hits_are_dealt_to_its_rows():
    """One scene of ten rows with six hits; three kinds of five, three and two rows."""
    kinds = np.repeat([0, 1, 2], [5, 3, 2])
    permuted = permute_blocks(np.arange(10) < 6, kinds, np.zeros(10, int), permutations=20000, rng=np.random.default_rng(1))
    assert (permuted.sum(axis=1) == 6).all()
    for kind, size in enumerate((5, 3, 2)):
        shares = np.bincount(permuted[:, kind], minlength=size + 1) / len(permuted)
        assert shares == pytest.approx(hypergeom(10, 6, size).pmf(np.arange(size + 1)), abs=0.015)


def test_scenes_of_other_sizes_get_the_share_of_hits():
    """Scenes of two and three rows are of one class; one of eight keeps its answers, for want of another of its size."""
    scenes = np.repeat([0, 1, 2], [2, 3, 8])
    permuted = permute_blocks(
        np.r_[1, 1, 0, 0, 0, np.arange(8) < 5] > 0, scenes, scenes, permutations=400, rng=np.random.default_rng(2)
    )
    assert set(map(tuple, permuted)) == {(2, 0, 5), (0, 3, 5)}
