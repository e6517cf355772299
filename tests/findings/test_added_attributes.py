"""Attributes of a second probe reach the rows of the first, by id and in pieces."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from eyechart.findings import predictions as module
from eyechart.findings.predictions import Predictions, read_predictions, write_part, write_predictions


def record(ids, attributes):
    n = len(ids)
    zeros = np.zeros(n, np.int64)
    return Predictions(
        ids=ids,
        clusters=np.arange(n),
        labels=["n1"],
        titles=["cat"],
        truth=zeros,
        top=zeros[:, None],
        probabilities=np.ones((n, 1), np.float32),
        margin=np.ones(n, np.float32),
        rank=zeros,
        ood_score=np.ones(n, np.float32),
        prompts="single",
        attributes=attributes,
    )


@pytest.fixture
def merged(tmp_path, monkeypatch):
    """Parts of one group, written together; id → attributes."""
    monkeypatch.setattr(module, "BATCH", 4)

    def merge(*parts):
        paths = []
        for number, part in enumerate(parts):
            paths.append(tmp_path / f"part-{number}")
            write_part(paths[-1], part, model="m", dataset="d", roles={"d": "exam"})
        write_predictions(tmp_path / "all.parquet", paths)
        rows = read_predictions(tmp_path / "all.parquet").read().to_pylist()
        return [(row["prompts"], row["id"], row["attributes"]) for row in rows]

    return merge


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_rows_of_a_later_part_add_attributes_to_the_same_pictures(merged, step):
    """30 pictures in row groups of 4; every `step`-th one is marked by the second part, whose groups end elsewhere."""
    ids = [f"{i}.jpg" for i in range(30)]
    first = record(ids, {"hat": pa.array([("red", None)[i % 2] for i in range(30)])})
    some = ids[::step]
    second = record(some, {"accepted.mcm": pa.array([str(i % 3 == 0).lower() for i in range(len(some))])})
    expected = {id: ["hat=red"] if i % 2 == 0 else [] for i, id in enumerate(ids)}
    for i, id in enumerate(some):
        expected[id] = [*expected[id], f"accepted.mcm={str(i % 3 == 0).lower()}"]
    assert merged([first], [second]) == [("single", id, expected[id]) for id in ids]


def test_the_first_part_decides_about_attributes_that_both_have(merged):
    first = record(["a", "b"], {"hat": pa.array(["red", None])})
    second = record(["a", "b"], {"hat": pa.array(["blue", "blue"]), "coat": pa.array([None, "gray"])})
    assert merged([first], [second]) == [("single", "a", ["hat=red"]), ("single", "b", ["coat=gray"])]


def test_other_groups_are_left_alone(merged):
    first = record(["a"], {})
    other = replace(first, prompts="bare")
    marked = record(["a"], {"coat": pa.array(["gray"])})
    assert merged([first, other], [marked]) == [("single", "a", ["coat=gray"]), ("bare", "a", [])]
