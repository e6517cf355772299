"""What holds for every dataset of the world."""

import io
import os
import subprocess
import sys
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from eyechart.data.masks import decode_mask
from eyechart.errors import DataError, UsageError
from eyechart.world.datasets.open import open_world, usual_size
from eyechart.world.datasets.registry import WORLD_DATASETS
from eyechart.world.datasets.world_dataset import Streams

NAMES = list(WORLD_DATASETS)

# Of every dataset: all bytes of some pictures, and the table of their truth.
HASH = """
import hashlib, pyarrow as pa
from eyechart.world.datasets.open import open_world
from eyechart.world.datasets.registry import WORLD_DATASETS
for name in WORLD_DATASETS:
    dataset, digest = open_world(name, n=6, side=32), hashlib.sha256()
    for table in filter(None, (dataset.table, dataset.pairs)):
        digest.update(repr(table.to_pylist()).encode())
    for row in range(6):
        digest.update(dataset.pictures.read(row))
        digest.update(repr(dataset.pictures.identity(row)).encode())
    print(name, digest.hexdigest())
"""


@pytest.mark.slow
@pytest.mark.long
def test_the_same_pictures_and_truth_in_every_process():
    told = [
        subprocess.run(
            [sys.executable, "-c", HASH], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    ]
    assert told[0] == told[1]
    assert told[0].count("\n") == len(NAMES) == len(set(told[0].split()[1::2]))


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_the_same_whatever_n(name):
    few, more = open_world(name, n=8, side=32), open_world(name, n=14, side=32)
    assert few.table.equals(more.table.slice(0, 8))
    assert [few.pictures.identity(row) for row in range(8)] == [more.pictures.identity(row) for row in range(8)]
    if few.pairs is not None:
        assert few.pairs.equals(more.pairs.slice(0, 4))


@pytest.mark.parametrize("name", NAMES)
def test_other_seeds_give_other_pictures_and_the_design_stays(name):
    one, other = open_world(name, n=4, seed=1, side=32), open_world(name, n=4, seed=2, side=32)
    assert one.pictures.read(0) != other.pictures.read(0)
    if one.has("label"):
        assert one.table["label"].equals(other.table["label"])


@pytest.mark.parametrize("name", NAMES)
def test_columns_agree_with_the_pictures(name):
    dataset = open_world(name, n=6, side=48)
    ids = dataset.ids()
    assert len(set(ids)) == 6
    for row, told in enumerate(dataset.table.to_pylist()):
        with Image.open(io.BytesIO(dataset.pictures.read(row))) as picture:
            assert picture.size == (48, 48) and picture.mode == "RGB"
        owner, depth = dataset.pictures.render(row).owner, dataset.pictures.depth(row)
        assert depth.shape == (48, 48) and depth.dtype == np.float32 and np.isfinite(depth).all()
        for number, seen in enumerate(told["objects"]):
            assert np.array_equal(decode_mask(seen["mask"], 48, 48), owner == number)
        if dataset.classes and told.get("label"):
            assert told["label"] in [c.label for c in dataset.classes]


def test_no_stream_is_shared_with_another_dataset_or_with_training():
    """Training draws pictures, captions and validation from the streams (seed, 1…3, i)."""
    numbers = [WORLD_DATASETS.get(name).number for name in NAMES]
    assert len(set(numbers)) == len(numbers) and min(numbers) > 1000

    def start(rng: np.random.Generator) -> tuple[int, ...]:
        return tuple(rng.integers(2**63, size=2).tolist())

    training = {start(np.random.default_rng((0, part, i))) for part in (1, 2, 3) for i in range(1500)}
    streams = [Streams(0, number) for number in numbers]
    tests = [start(draw(row)) for s in streams for draw in (s.picture, s.words, s.change) for row in range(40)]
    assert len(set(tests)) == len(tests)
    assert not training & set(tests)


def test_shots_need_no_rendering():
    """All that is usual of the largest dataset, in the time it takes to draw numbers."""
    shots = list(islice(WORLD_DATASETS.get("world-retrieval").draw(Streams(0, 1006)), usual_size("world-retrieval")))
    assert len({shot.id for shot in shots}) == len(shots) == 1000


def test_taking_rows_takes_pictures_and_truth():
    dataset = open_world("world-objects", n=5)
    part = dataset.take([3, 1])
    assert part.ids() == ["00003-mug", "00001-sphere"]
    assert part.pictures.read(0) == dataset.pictures.read(3)
    assert np.array_equal(part.pictures.depth(1), dataset.pictures.depth(1))


def test_balance_that_needs_more_pictures_is_said():
    assert "balanced exactly over every 252" in str(open_world("world-scenes", n=20, side=16).notices[0])
    assert open_world("world-objects", n=20, side=16).notices == ()


def test_pictures_of_a_pair_stay_together():
    dataset = open_world("world-views", n=5, side=32)
    assert len(dataset) == 4
    assert "4 pictures instead of 5" in str(dataset.notices[0])
    with pytest.raises(UsageError, match="give 2 or more"):
        open_world("world-views", n=1)


@pytest.mark.parametrize("wrong", [{"side": 4}, {"side": 1000}, {"seed": -1}, {"seed": 2**32}, {"n": 0}, {"photographs": "x"}])
def test_what_cannot_be_is_refused(wrong):
    with pytest.raises(UsageError, match="world-objects"):
        open_world("world-objects", **wrong)


def test_a_name_that_is_not_there_gets_a_hint():
    with pytest.raises(UsageError, match="did you mean 'world-objects'"):
        open_world("world-object")


def test_other_class_names(tmp_path):
    dataset = open_world("world-people", n=7, side=16)
    names = {c.label: f"{c.label} person" for c in dataset.classes}
    (tmp_path / "roles.txt").write_text("\n".join(f"{label}\t{name}" for label, name in names.items()))
    renamed = open_world("world-people", n=7, side=16, classes=tmp_path / "roles.txt")
    assert [c.name for c in renamed.classes] == list(names.values())
    assert renamed.label_indices().tolist() == list(range(7))
    (tmp_path / "few.txt").write_text("builder\nplayer\n")
    with pytest.raises(DataError, match="world-people, row 2: label 'sheriff'"):
        open_world("world-people", n=7, side=16, classes=tmp_path / "few.txt")


def test_photographs_follow_what_is_rendered(tmp_path, picture_bytes):
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(picture_bytes(ord(name[0])))
    dataset = open_world("world-ood", n=8, side=32, photographs=tmp_path)
    assert dataset.ids()[8:] == ["photograph/a.png", "photograph/b.png"]
    assert dataset.table["attr.kind"].to_pylist()[8:] == ["photograph"] * 2
    assert dataset.table.schema.equals(open_world("world-ood", n=8, side=32).table.schema)
    assert dataset.pictures.read(9) == (tmp_path / "b.png").read_bytes()
    assert dataset.pictures.depth(9) is None and dataset.pictures.depth(0) is not None
    part = dataset.take([9, 0])
    assert part.pictures.read(0) == dataset.pictures.read(9) and part.pictures.read(1) == dataset.pictures.read(0)
    assert dataset.table["objects"][9].as_py() is None


def test_truth_survives_a_parquet_file(tmp_path):
    table = open_world("world-factors", n=10, side=32).table
    pa.parquet.write_table(table, tmp_path / "truth.parquet")
    assert pa.parquet.read_table(tmp_path / "truth.parquet").equals(table)
