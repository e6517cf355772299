"""Corrupted copies in memory are those that `eyechart corrupt` writes."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from eyechart.corruptions.copies import CorruptionSettings, corrupted_copies
from eyechart.corruptions.folder import corrupt_folder
from eyechart.corruptions.request import parse_requests
from eyechart.data.open import open_dataset
from eyechart.data.picture import Decoding
from eyechart.progress import SilentProgress

REQUESTS = parse_requests(["noise:3,fog:1,jpeg:5"])


@pytest.fixture
def folder(tmp_path):
    """Pictures of several formats and sizes, one of them on its side."""
    rng = np.random.default_rng(0)
    for place, (kind, suffix, size) in enumerate(
        [("cat", "png", (40, 30)), ("cat", "jpg", (90, 70)), ("dog", "webp", (33, 50)), ("dog", "gif", (20, 20))]
    ):
        picture = Image.fromarray(rng.integers(0, 256, (*size, 3), dtype=np.uint8))
        (tmp_path / "in" / kind).mkdir(parents=True, exist_ok=True)
        exif = Image.Exif()
        exif[0x0112] = 6
        options = {"exif": exif} if suffix == "jpg" else {}
        picture.save(tmp_path / "in" / kind / f"{place}.{suffix}", **options)
    return tmp_path / "in"


def copies_of(dataset, size=100, settings=None, requests=REQUESTS, decoding=None):
    return corrupted_copies(
        dataset, requests, name="copies", size=size, settings=settings or CorruptionSettings(), decoding=decoding or Decoding()
    )


@pytest.mark.parametrize("settings", [CorruptionSettings(), CorruptionSettings(size=32, seed=7, quality=80)])
def test_copies_have_the_bytes_ids_and_labels_of_written_ones(folder, tmp_path, settings):
    corrupt_folder(folder, tmp_path / "out", ["noise", "fog", "jpeg"], [1, 3, 5], SilentProgress(), settings=settings)
    written = open_dataset(f"corrupted:{tmp_path / 'out'}")
    row_of = {name: row for row, name in enumerate(written.ids())}
    copies = copies_of(open_dataset(folder), settings=settings)
    assert len(copies) == 12
    for row, name in enumerate(copies.ids()):
        assert copies.pictures.read(row) == written.pictures.read(row_of[name])
    columns = ["id", "label", "attr.shift", "attr.severity"]
    same = written.table.take([row_of[name] for name in copies.ids()])
    assert copies.table.select(columns).equals(same.select(columns))


def test_copies_name_their_originals_and_share_their_classes(folder):
    dataset = open_dataset(folder)
    copies = copies_of(dataset)
    assert set(copies.table.column("attr.source_id").to_pylist()) == set(dataset.ids())
    assert copies.classes is dataset.classes
    assert (copies.role, copies.of, copies.made) == ("shift", dataset.name, True)


def test_a_sample_has_the_same_pictures_under_every_corruption(folder):
    copies = copies_of(open_dataset(folder), size=2)
    by_corruption = copies.table.group_by("attr.shift").aggregate([("attr.source_id", "list")]).to_pylist()
    assert len({tuple(row["attr.source_id_list"]) for row in by_corruption}) == 1
    assert sorted(copies.table.column("label").to_pylist()) == ["cat"] * 3 + ["dog"] * 3


def test_unlabeled_pictures_are_not_copied(folder):
    dataset = open_dataset(folder)
    labels = pa.array([None, *dataset.table.column("label").to_pylist()[1:]], pa.string())
    table = dataset.table.set_column(dataset.table.column_names.index("label"), "label", labels)
    copies = copies_of(replace(dataset, table=table))
    assert dataset.ids()[0] not in copies.table.column("attr.source_id").to_pylist()


def test_an_identity_depends_on_everything_that_the_bytes_depend_on(folder):
    dataset = open_dataset(folder)
    variants = [
        copies_of(dataset),
        copies_of(dataset, settings=CorruptionSettings(seed=1)),
        copies_of(dataset, settings=CorruptionSettings(size=32)),
        copies_of(dataset, settings=CorruptionSettings(quality=80)),
        copies_of(dataset, requests=parse_requests(["noise:4"])),
        copies_of(dataset, decoding=Decoding(exif="ignore")),
    ]
    places = [copies.pictures.identity(0).place for copies in variants] + [dataset.pictures.identity(0).place]
    assert len(set(places)) == len(places)
    assert copies_of(dataset).pictures.identity(0) == variants[0].pictures.identity(0)


def test_rows_can_be_taken(folder):
    copies = copies_of(open_dataset(folder))
    few = copies.take([5, 2])
    assert [few.pictures.read(0), few.pictures.read(1)] == [copies.pictures.read(5), copies.pictures.read(2)]
    assert few.pictures.place(0).endswith("cat/1.jpg (jpeg:5)")


def test_a_broken_picture_is_passed_on_as_it_is(folder):
    (folder / "cat" / "broken.png").write_bytes(b"no picture")
    copies = copies_of(open_dataset(folder))
    row = copies.ids().index("noise/3/cat/broken.png")
    assert copies.pictures.read(row) == b"no picture"
