"""File names that are not text, or not harmless text. A file system of Linux takes any bytes but '/' and zero."""

import io
import os
import shutil
import sys
import tarfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import eyechart
from eyechart.data.open import open_dataset
from eyechart.errors import ModelError
from eyechart.files.hashing import HashMemory, hash_bytes, identity_of
from eyechart.models.open import open_model
from eyechart.store.store import Store
from eyechart.world.datasets.open import open_world

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems take no file names that are not text")

LATIN = os.fsdecode(b"caf\xe9")


@pytest.fixture
def photos(tmp_path):
    """Four pictures in a folder and files whose names are Latin-1."""
    demo, folder = open_world("world-objects", n=36), tmp_path / f"photos-{LATIN}"
    labels = demo.table.column("label").to_pylist()
    for label in ("cone", "star"):
        (folder / label).mkdir(parents=True)
        for row in [row for row, other in enumerate(labels) if other == label][:2]:
            (folder / label / f"{LATIN}{row}.png").write_bytes(demo.pictures.read(row))
    return folder


def test_a_hash_is_remembered_under_a_name_that_is_not_text(tmp_path):
    path = tmp_path / LATIN
    path.write_bytes(b"content")
    hashes = HashMemory(tmp_path / "hashes.sqlite")
    hashes.remember([(identity_of(path), hash_bytes(b"content"))])
    assert HashMemory(tmp_path / "hashes.sqlite").recall([identity_of(path)]) == [hash_bytes(b"content")]


def test_names_that_differ_in_bytes_that_are_not_text_are_kept_apart(tmp_path):
    hashes = HashMemory()
    for name in (b"\xe9", b"\xe8"):
        path = tmp_path / os.fsdecode(name)
        path.write_bytes(name)
        assert hashes.file(path) == hash_bytes(name).hex()


def test_pictures_whose_names_are_not_text_are_examined(photos, tmp_path):
    asked = {"prompts": "single", "probes": ["zero_shot"], "store": Store(tmp_path / "store")}
    exam = eyechart.examine("demo:", photos, out=tmp_path / "out", **asked)
    (top1,) = [row for row in exam.findings.to_pylist() if row["metric"] == "top1"]
    assert top1["n"] == 4


def test_ids_and_names_can_be_printed(photos):
    dataset = open_dataset(photos)
    for text in (*dataset.ids(), dataset.name, dataset.reader["source"], *map(str, dataset.notices)):
        text.encode()
    assert "caf\\udce9" in dataset.ids()[0]


def test_a_notice_names_such_a_folder(photos):
    (photos / "readme.txt").write_text("hello")
    (notice,) = open_dataset(photos).notices
    assert str(notice).encode().startswith(os.fsencode(photos.parent))


def picture():
    return open_world("world-objects", n=1).pictures.read(0)


def test_parquet_files_may_be_called_anything(tmp_path):
    table = pa.table({"image": pa.array([{"bytes": picture(), "path": None}]), "label": ["cone"]})
    with (tmp_path / f"{LATIN}.parquet").open("wb") as file:
        pq.write_table(table, file)
    assert open_dataset(tmp_path / f"{LATIN}.parquet").pictures.read(0) == picture()


def test_tables_may_be_called_anything(tmp_path):
    (tmp_path / "a.png").write_bytes(picture())
    (tmp_path / f"{LATIN}.csv").write_text("path,label\na.png,cone\n")
    assert open_dataset(tmp_path / f"{LATIN}.csv").pictures.read(0) == picture()


def test_shards_may_be_called_anything(tmp_path):
    for number in (0, 1):
        with tarfile.open(tmp_path / f"{LATIN}{number}.tar", "w") as shard:
            member = tarfile.TarInfo("0.png")
            member.size = len(picture())
            shard.addfile(member, io.BytesIO(picture()))
    dataset = open_dataset(f"{tmp_path}/{LATIN}" + "{0..1}.tar")
    assert dataset.ids() == ["caf\\udce90/0", "caf\\udce91/0"]


def test_the_store_may_lie_anywhere(tmp_path):
    shelf = Store(tmp_path / LATIN).shelf("ab" * 32, "image")
    shelf.put([bytes(range(32))], np.ones((1, 4), np.float32))
    assert Store(tmp_path / LATIN).shelf("ab" * 32, "image").get([bytes(range(32))]).tolist() == [[1, 1, 1, 1]]


def test_a_model_whose_path_is_not_text_is_refused_with_the_remedy(tmp_path):
    shutil.copytree(Path(eyechart.__file__).parent / "world" / "default_model", tmp_path / LATIN)
    model = open_model(f"onnx:{tmp_path / LATIN}")
    with pytest.raises(ModelError, match=r"image\.onnx: ONNX Runtime accepts only UTF-8 paths; rename"):
        model.encode_images(np.zeros((1, 3, 48, 48), np.float32))
