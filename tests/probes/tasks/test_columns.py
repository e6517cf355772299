"""Groups, parts and factors: which rows a column selects."""

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answering import NoPictures

from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.captions import captions_of, match_captions
from eyechart.probes.tasks.factor_columns import factor_columns
from eyechart.probes.tasks.groups import subgroups, unusable_attributes
from eyechart.probes.tasks.parts import parts_of


def dataset(**columns):
    n = len(next(iter(columns.values())))
    named = {name.replace("__", "."): values for name, values in columns.items()}
    return Dataset("test", pa.table({"id": [str(i) for i in range(n)], **named}), NoPictures(n))


def rows(flags):
    return np.flatnonzero(flags).tolist()


def test_groups_by_one_attribute_and_by_two():
    people = dataset(attr__hat=["red", "red", "blue", None], attr__badge=[1, 2, 1, 2])
    found = {group.title: group for group in subgroups(people, (), least=1)}
    assert rows(found["hat: red"].members) == [0, 1]
    assert rows(found["hat: red"].others) == [2]  # the row without a value belongs to no side
    assert rows(found["hat: red, badge: 2"].members) == [1] and found["hat: red, badge: 2"].crossed
    assert set(found) == {"hat: red", "hat: blue", "badge: 1", "badge: 2", "hat: red, badge: 1", "hat: red, badge: 2",
                          "hat: blue, badge: 1"}  # fmt: skip


def test_small_groups_are_left_out_and_bad_attributes_are_named():
    people = dataset(attr__hat=["red", "red", "blue"], attr__id=[f"{i}" for i in range(3)], attr__height=["tall"] * 3)
    assert [group.title for group in subgroups(people, ("hat",), least=2)] == ["hat: red"]
    missing, unfit = unusable_attributes(people, ("hta", "height"))
    assert "did you mean 'hat'" in missing and "2 to 12 different" in unfit


@pytest.mark.parametrize("values", [[True, False, None], ["yes", " No ", None], [1, 0, None], [1.0, 0.0, None]])
def test_factors_are_read_in_every_form(values):
    found = factor_columns(dataset(factor__pose=values, factor__note=["a", "b", "c"]))
    assert found.names == ("pose",) and found.unreadable == ("note",)
    assert rows(found.marks[:, 0]) == [0] and rows(found.annotated) == [0, 1]


def test_a_row_without_one_factor_is_not_annotated():
    found = factor_columns(dataset(factor__pose=[True, True], factor__dark=[None, False]))
    assert found.marks.tolist() == [[False, False], [True, False]] and rows(found.annotated) == [1]


def test_parts_of_text_number_and_factor_columns():
    found = {part.title: rows(part.members) for part in parts_of(
        dataset(attr__style=["sketch", "photo", None], attr__objects=[2, 3, 2], factor__dark=[True, False, False],
                attr__one=["x", "x", "x"], other=["a", "b", "c"])
    )}  # fmt: skip
    assert found == {"style: photo": [1], "style: sketch": [0], "objects: 2": [0, 2], "objects: 3": [1], "dark": [0]}


def test_captions_match_their_pictures():
    captions = captions_of(dataset(captions=[["a", "b"], ["a", " "], [], ["c"]]))
    assert captions.texts == ["a", "b", "a", "c"] and captions.rows.tolist() == [0, 0, 1, 3]
    clusters = np.array([0, 1, 2, 0])  # the last picture is a copy of the first
    assert captions.shared(clusters) == ["a"]
    merged = match_captions(captions, clusters, merge=True)
    assert list(merged.texts) == ["a", "b", "c"] and merged.pictures.tolist() == [0, 1, 2]
    assert sorted(zip(*(p.tolist() for p in merged.positives), strict=True)) == [(0, 0), (0, 1), (1, 0), (2, 0)]
    alone = match_captions(captions, clusters, merge=False)
    assert sorted(zip(*(p.tolist() for p in alone.positives), strict=True)) == [(0, 0), (1, 0), (2, 1), (3, 3)]
