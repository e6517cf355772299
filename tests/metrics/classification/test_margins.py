"""Class-wise margins: by hand, by brute force, in blocks, and for classes that nobody was taken for."""

import numpy as np
import pytest

from eyechart.metrics.classification import margins
from eyechart.metrics.classification.margins import class_margins, margins_of_block, picture_margins
from eyechart.metrics.vectors import unit


def test_three_classes_by_hand():
    """Cosines of four pictures with three classes; the labels are 0, 0, 1, 2.

    Margins: .9 − .5 = .4; .3 − .6 = −.3; .7 − .7 = 0; .2 − .8 = −.6. CMM: (.4 − .3)/2 = .05; 0; −.6."""
    cosines = np.array([[0.9, 0.5, 0.1], [0.3, 0.6, 0.2], [0.7, 0.7, 0.0], [0.8, 0.1, 0.2]], np.float32)
    labels = np.array([0, 0, 1, 2])
    found = margins_of_block(cosines, labels)
    assert found == pytest.approx([0.4, -0.3, 0, -0.6], abs=1e-6)
    by_class = class_margins(found.astype(float), labels, 3)
    assert by_class.values == pytest.approx([0.05, 0, -0.6], abs=1e-6)
    assert by_class.worst(2) == pytest.approx(-0.3, abs=1e-6)
    assert by_class.worst(3) == pytest.approx(-0.55 / 3, abs=1e-6)
    assert cosines[0, 0] == np.float32(0.9)  # struck out only for a moment


def test_brute_force_in_blocks(monkeypatch):
    monkeypatch.setattr(margins, "_BLOCK", 60)
    rng = np.random.default_rng(0)
    images, classes = (unit(rng.normal(size=(n, 16)).astype(np.float32)) for n in (101, 7))
    labels = rng.integers(0, 7, 101)
    mine = picture_margins(images, classes, labels)
    for x, y, found in zip(images, labels, mine, strict=True):
        cosines = [float(sum(a * b for a, b in zip(x.tolist(), t.tolist(), strict=True))) for t in classes]
        assert found == pytest.approx(cosines[y] - max(c for j, c in enumerate(cosines) if j != y), abs=1e-6)


def test_a_class_that_nobody_was_taken_for_stands_at_the_lowest_margin_seen():
    found = class_margins(np.array([0.2, -0.1, 0.3]), np.array([0, 2, 2]), 4)
    assert found.values == pytest.approx([0.2, 0.1, 0.1, 0.1])
    assert found.unseen.tolist() == [False, True, False, True]
    with pytest.raises(ValueError, match="no picture has a label"):
        class_margins(np.array([]), np.array([], int), 3)


def test_own_answers_have_no_negative_margin():
    rng = np.random.default_rng(1)
    images, classes = (unit(rng.normal(size=(n, 8)).astype(np.float32)) for n in (50, 5))
    assert (picture_margins(images, classes, (images @ classes.T).argmax(axis=1)) >= 0).all()


def test_one_class_has_no_margin():
    with pytest.raises(ValueError, match="only one"):
        picture_margins(np.eye(2, dtype=np.float32), np.eye(2, dtype=np.float32)[:1], np.array([0, 0]))
