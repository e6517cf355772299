"""A rendered dataset is read back as it was, and is either whole or not there."""

import io
import json
import re
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from tests.world.cutouts import draw_bank

from eyechart.data.masks import decode_mask
from eyechart.data.open import open_dataset
from eyechart.errors import StoreError, UsageError
from eyechart.progress import SilentProgress
from eyechart.world.bank_dataset import scenes_of
from eyechart.world.bank_scenes import Staging
from eyechart.world.datasets.open import follow, open_world
from eyechart.world.depth_file import read_depth
from eyechart.world.folder_bank import open_bank
from eyechart.world.rendered_folder import write_rendered


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    bank = open_bank(draw_bank(tmp_path_factory.mktemp("bank")))
    return follow(scenes_of(bank, "five", Staging()), n=6, seed=1, side=48)


def write(dataset, folder, overwrite=False):
    return write_rendered(dataset, folder, {"seed": 1}, SilentProgress(), overwrite=overwrite)


def content(folder) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("spec", ["dataset.parquet", ""])
def test_it_is_read_back_unharmed_by_table_or_by_folder(dataset, tmp_path, spec):
    write(dataset, tmp_path / "out")
    read = open_dataset(tmp_path / "out" / spec)
    assert read.notices == ()
    assert read.ids() == dataset.ids()
    for column in ("label", "captions", "objects", "camera", "attr.count", "attr.large_at"):
        assert read.table.column(column).to_pylist() == dataset.table.column(column).to_pylist()
    assert [read.pictures.read(row) for row in range(6)] == [dataset.pictures.read(row) for row in range(6)]
    assert {c.name for c in read.classes} <= {"square", "disc", "bar", "post", "wedge"}


def test_masks_and_depth_of_the_files_are_those_of_the_pixels(dataset, tmp_path):
    write(dataset, tmp_path / "out")
    read = open_dataset(tmp_path / "out" / "dataset.parquet")
    for row in range(6):
        rendering = dataset.pictures.render(row)
        picture = np.asarray(Image.open(io.BytesIO(read.pictures.read(row))))
        camera = read.table.column("camera")[row].as_py()
        assert picture.shape == (camera["height"], camera["width"], 3) == (48, 48, 3)
        for number, thing in enumerate(read.table.column("objects")[row].as_py()):
            mask = decode_mask(thing["mask"], 48, 48)
            assert np.array_equal(mask, rendering.owner == number)
            assert mask.sum() == round(thing["area"] * 48 * 48)
            left, top, right, bottom = thing["box"]
            assert mask[top:bottom, left:right].sum() == mask.sum()
        depth = read_depth(tmp_path / "out" / read.table.column("depth")[row].as_py())
        assert np.abs(depth - rendering.depth).max() < 1e-4


def test_the_table_says_how_it_was_made_and_how_depth_is_read(dataset, tmp_path):
    table = write(dataset, tmp_path / "out")
    about = json.loads(pq.read_schema(table).metadata[b"eyechart.world"])
    assert about["dataset"] == "five"
    assert about["seed"] == 1
    assert "8192" in about["depth"]


def test_the_same_dataset_gives_the_same_bytes(dataset, tmp_path):
    write(dataset, tmp_path / "a")
    write(dataset, tmp_path / "b")
    assert content(tmp_path / "a") == content(tmp_path / "b")
    assert len(content(tmp_path / "a")) == 13


@pytest.mark.parametrize("spec", ["dataset.parquet", ""])
def test_pairs_of_views_are_written_beside_it_and_read_back(tmp_path, spec):
    views = open_world("world-views", n=4)
    write(views, tmp_path / "out")
    read = open_dataset(tmp_path / "out" / spec)
    assert read.pairs.num_rows == 2
    assert read.pairs.to_pylist() == views.pairs.to_pylist()
    assert open_dataset(tmp_path / "out" / spec, limit=1).pairs.num_rows == 0


class Fails:
    """Pictures of which one cannot be rendered."""

    def __init__(self, pictures, at: int, error: BaseException) -> None:
        self.pictures, self.at, self.error = pictures, at, error

    def render(self, row):
        if row == self.at:
            raise self.error
        return self.pictures.render(row)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("a fault")])
def test_a_run_that_is_cut_off_leaves_nothing_behind(dataset, tmp_path, error):
    with pytest.raises(type(error)):
        write(replace(dataset, pictures=Fails(dataset.pictures, 4, error)), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_overwriting_keeps_the_old_one_until_the_new_one_is_rendered(dataset, tmp_path):
    write(dataset, tmp_path / "out")
    before = content(tmp_path / "out")
    with pytest.raises(KeyboardInterrupt):
        write(replace(dataset, pictures=Fails(dataset.pictures, 4, KeyboardInterrupt())), tmp_path / "out", overwrite=True)
    assert content(tmp_path / "out") == before
    write(dataset.take([0, 1]), tmp_path / "out", overwrite=True)
    assert len(content(tmp_path / "out")) == 5
    assert len(open_dataset(tmp_path / "out" / "dataset.parquet")) == 2


def test_a_folder_that_is_not_empty_is_refused(dataset, tmp_path):
    write(dataset, tmp_path / "out")
    with pytest.raises(UsageError, match="already contains a rendering; choose another folder, or use --overwrite"):
        write(dataset, tmp_path / "out")


def test_what_a_killed_run_left_behind_is_told_and_replaced(dataset, tmp_path):
    (tmp_path / "out" / ".unfinished-abc" / "pictures").mkdir(parents=True)
    (tmp_path / "out" / ".unfinished-abc" / "pictures" / "000000.png").write_bytes(b"half")
    with pytest.raises(UsageError, match="already contains an interrupted rendering"):
        write(dataset, tmp_path / "out")
    write(dataset, tmp_path / "out", overwrite=True)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["dataset.parquet", "depth", "pictures"]


@pytest.mark.parametrize(
    "foreign", ["thesis.txt", "pictures/holiday.jpg", "depth/000000.png/deep", "dataset.parquet/x", ".unfinished-notes"]
)
@pytest.mark.parametrize("overwrite", [False, True])
def test_nobody_else_s_files_are_ever_replaced(dataset, tmp_path, foreign, overwrite):
    path = tmp_path / "out" / foreign
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(UsageError, match=re.escape(foreign.split("/")[0])):
        write(dataset, tmp_path / "out", overwrite=overwrite)
    assert path.read_text() == "mine"


def test_a_link_in_the_folder_is_not_written_through(dataset, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "pictures").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="pictures"):
        write(dataset, tmp_path / "out", overwrite=True)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_place_that_cannot_be_written_is_said_in_words(dataset, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        write(dataset, tmp_path / "file" / "out")
    with pytest.raises(UsageError, match="is a file"):
        write(dataset, tmp_path / "file")


def test_pictures_that_are_files_already_are_not_rendered(dataset, tmp_path):
    write(dataset, tmp_path / "out")
    with pytest.raises(UsageError, match="not a dataset of the world"):
        write(open_dataset(tmp_path / "out" / "dataset.parquet"), tmp_path / "again")


def test_a_rendering_that_was_killed_before_its_last_rename_is_replaced(dataset, tmp_path):
    table = write(dataset, tmp_path / "out")
    expected = content(tmp_path / "out")
    table.rename(table.with_name(".host~1234~0123456789ab.tmp"))
    write(dataset, tmp_path / "out", overwrite=True)
    assert content(tmp_path / "out") == expected
