"""Groups of pictures: bands of a numeric attribute at given values or at quartiles, only where it is named."""

import pyarrow as pa
from tests.probes.answering import NoPictures

from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.groups import subgroups, unusable_attributes


def dataset(**columns):
    rows = len(next(iter(columns.values())))
    table = {"id": [str(i) for i in range(rows)], **{f"attr.{name}": pa.array(values) for name, values in columns.items()}}
    return Dataset("people", pa.table(table), NoPictures(rows), None)


AGES = dataset(age=[1, 17, 18, 25, 39, 40, 64, 65, 90, 33, 34, 35, 36, None])


def members(found):
    return {s.slice["age"]: s.members.nonzero()[0].tolist() for s in found}


def test_bands_begin_at_their_lower_limit_and_unknown_ages_are_in_none():
    found = subgroups(AGES, ["age<18<40<65"], 1)
    assert members(found) == {
        "below 18": [0, 1], "18 to 40": [2, 3, 4, 9, 10, 11, 12], "40 to 65": [5, 6], "65 or more": [7, 8]
    }  # fmt: skip
    (young,) = [s for s in found if s.slice["age"] == "below 18"]
    assert not young.others[13] and young.others.sum() == 11


def test_a_named_number_with_many_values_has_quartiles():
    found = subgroups(AGES, ["age"], 1)  # quartiles of the thirteen known ages: 25, 35, 40
    assert members(found) == {
        "below 25": [0, 1, 2], "25 to 35": [3, 9, 10], "35 to 40": [4, 11, 12], "40 or more": [5, 6, 7, 8]
    }  # fmt: skip


def test_numbers_that_nobody_named_are_no_groups():
    assert subgroups(AGES, [], 1) == []
    assert len(subgroups(dataset(age=[1, 2, 1, 2]), ["age"], 1)) == 2  # few values are groups as they are


def test_fractions_have_bands_too_and_texts_have_none():
    found = subgroups(dataset(age=[0.5, 1.5, 2.5, 3.5]), ["age<1.5"], 1)
    assert members(found) == {"below 1.5": [0], "1.5 or more": [1, 2, 3]}
    (said,) = unusable_attributes(dataset(age=[f"person {i}" for i in range(20)]), ["age<3"])
    assert "bands such as age<18<40" in said
    assert unusable_attributes(AGES, ["age<18", "age"]) == []
    assert unusable_attributes(AGES, ["agee<18"]) == ["there is no column 'agee'; did you mean 'age'?"]


def test_ranges_are_joined_to_bands_where_each_lies_in_one():
    """FairFace's ages. 3-9 begins below 5 and ends above it."""
    ages = dataset(age=["0-2", "3-9", "10-19", "20-29", "60 - 69", "more than 70", "70+", None])
    assert members(subgroups(ages, ["age<20<70"], 1)) == {"below 20": [0, 1, 2], "20 to 70": [3, 4], "70 or more": [5, 6]}
    assert members(subgroups(ages, ["age<10"], 1)) == {"below 10": [0, 1], "10 or more": [2, 3, 4, 5, 6]}
    for limits in ("age<5", "age<9", "age<75"):
        assert subgroups(ages, [limits], 1) == []
        assert "ranges for bands" in unusable_attributes(ages, [limits])[0]
    assert len(subgroups(ages, ["age"], 1)) == 7  # as they are
    assert subgroups(dataset(age=["0-2", "old"]), ["age<20"], 1) == []
