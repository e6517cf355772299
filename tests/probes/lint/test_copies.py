"""Near-duplicates by vectors and pixels: conflicts within a dataset, and leaks into others."""

import io
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image
from tests.probes.answering import among
from tests.probes.vectors import given_by_vectors

from eyechart.probes.lint import Settings, lint
from eyechart.probes.lint.copies import BITS, conflicting_copies, difference_hash, leaked_copies


class Pixels:
    """Pictures whose 8 × 8 bits are known: cell by cell, whether it is brighter than its left neighbor."""

    def __init__(self, bits):
        self.bits = bits

    def __len__(self):
        return len(self.bits)

    def take(self, rows):
        return Pixels([self.bits[row] for row in rows])

    def read(self, row):
        if self.bits[row] is None:
            raise OSError("broken")
        steps = np.where(np.array(self.bits[row]).reshape(8, 8), 10, -10)
        gray = 128 + np.column_stack([np.zeros(8), steps.cumsum(axis=1)])
        file = io.BytesIO()
        Image.fromarray(gray.astype(np.uint8)).save(file, "PNG")
        return file.getvalue()


PLAIN = [False] * 64


def flipped(count):
    return [True] * count + [False] * (64 - count)


def made(vectors, truth, bits, name="exam", role="exam", settings=None, **more):
    one = given_by_vectors(vectors, np.eye(3)[:2], truth, settings or Settings(), name=name, role=role, **more)
    return replace(one, dataset=replace(one.dataset, pictures=Pixels(bits)))


NEAR = np.array([[1.0, 0, 0], [1.0, 1e-3, 0], [1.0, 0, 1e-3], [0, 1.0, 0], [0, 1.0, 1e-3]])


def test_the_hash_has_a_bit_for_each_cell_that_is_brighter_than_its_left_neighbor():
    one = made(NEAR[:4], [0, 0, 0, 0], [flipped(64), flipped(1), PLAIN, [True, True, False, True] * 16])
    assert [difference_hash(one.dataset, row) for row in range(4)] == [(1 << 64) - 1, 1 << 63, 0, int("1101" * 16, 2)]
    assert difference_hash(made(NEAR[:1], [0], [None]).dataset, 0) is None


def test_pictures_with_other_labels_whose_bits_agree_are_conflicts():
    """Rows 0 to 2 have one vector. Row 2 has the same label as row 0; rows 3 and 4 differ in nine bits."""
    one = made(NEAR, [0, 1, 0, 0, 1], [PLAIN, flipped(BITS), flipped(1), PLAIN, flipped(BITS + 1)])
    found = conflicting_copies(one, np.arange(5), np.array([0, 1, 0, 0, 1]))
    assert {(p.id, p.other_id, p.labels) for p in found.pairs} == {
        ("exam-0", "exam-1", ("class-0", "class-1")), ("exam-1", "exam-2", ("class-1", "class-0")),
    }  # fmt: skip
    assert (found.pictures, found.searched) == (3, 5) and {p.other_dataset for p in found.pairs} == {"exam"}


def test_rows_are_those_of_the_dataset_and_no_more_than_asked_for():
    one = made(NEAR, [-1, 1, 0, 0, 1], [PLAIN] * 5, settings=Settings(most=2))
    found = conflicting_copies(one, np.array([1, 2, 3, 4]), np.array([1, 0, 0, 1]))
    assert [(p.id, p.other_id) for p in found.pairs] == [("exam-1", "exam-2")] and found.searched == 2


@pytest.mark.parametrize("bits", [[None, PLAIN, PLAIN], [PLAIN, None, PLAIN]])
def test_a_picture_that_cannot_be_read_is_no_copy(bits):
    one = made(NEAR[:3], [0, 1, 1], bits)
    found = conflicting_copies(one, np.arange(3), np.array([0, 1, 1]))
    first_is_broken = bits[0] is None  # then there seem to be no pictures at all
    assert (found.searched, found.pictures, len(found.pairs)) == ((0, 0, 0) if first_is_broken else (3, 2, 1))


def test_leaks_are_in_shifted_and_foreign_sets_that_were_not_made_of_the_pictures():
    exam = made(NEAR, [0, 0, 1, 1, -1], [PLAIN] * 5)
    shift = made(NEAR[[3, 0]], [0, -1], [PLAIN, flipped(9)], "dark", "shift")
    ood = made(NEAR[[4]], [-1], [PLAIN], "far", "ood")
    targets = made(NEAR, [0] * 5, [PLAIN] * 5, "targets", "targets")
    versions = made(
        NEAR, [0] * 5, [PLAIN] * 5, "versions", "shift", columns={"attr.source_id": pa.array([f"exam-{i}" for i in range(5)])}
    )
    found = leaked_copies(among(exam, shift, ood, targets, versions), np.arange(4))
    assert [(p.id, p.other_id, p.other_dataset, p.labels) for p in found.pairs] == [
        ("exam-3", "dark-0", "dark", ("class-1", "class-0")), ("exam-3", "far-0", "far", ("class-1", "")),
    ]  # fmt: skip
    assert (found.pictures, found.searched) == (1, 4)
    assert leaked_copies(among(exam, targets, versions), np.arange(4)).searched == 0
    answer = lint.ask(among(exam, shift, ood))
    leaks = next(f for f in answer.findings if f.metric == "leaked_pictures")
    assert (leaks.value, leaks.n) == (0.25, 4)
    assert "1 picture also in dark, far (near-duplicates)" in [n.what for n in answer.notices]


def test_a_limit_holds_for_the_other_set_too():
    exam = made(NEAR[:1], [0], [PLAIN], settings=Settings(most=1))
    other = made(NEAR[[3, 0]], [0, 0], [PLAIN] * 2, "dark", "shift")
    assert leaked_copies(among(exam, other), np.arange(1)).pairs == ()
    assert len(leaked_copies(among(replace(exam, settings=Settings(most=2)), other), np.arange(1)).pairs) == 1
