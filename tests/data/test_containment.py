"""The rule about links, as a table of layouts and readers: what is outside the dataset's folder is not read."""

import io
import json
import tarfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from eyechart.data.open import open_dataset
from eyechart.errors import DataError


def png():
    out = io.BytesIO()
    Image.new("RGB", (4, 4)).save(out, "PNG")
    return out.getvalue()


def tar(path):
    with tarfile.open(path, "w") as out:
        member = tarfile.TarInfo("a.png")
        member.size = len(png())
        out.addfile(member, io.BytesIO(png()))


def parquet(path):
    pq.write_table(pa.table({"image": [png()], "label": ["cat"]}), path)


def pictures(folder):
    folder.mkdir(parents=True)
    (folder / "a.png").write_bytes(png())


def linked(kind, inside, outside):
    """Make a dataset in `inside`, a part of which is a link to `outside`; returns how it is opened."""
    outside.mkdir()
    inside.mkdir()
    if kind == "picture":
        pictures(outside / "cat")
        (inside / "cat").mkdir()
        (inside / "cat" / "a.png").symlink_to(outside / "cat" / "a.png")
    elif kind == "class folder":
        pictures(outside / "cat")
        (inside / "cat").symlink_to(outside / "cat")
    elif kind == "only split":
        pictures(outside / "test" / "cat")
        (inside / "test").symlink_to(outside / "test")
    elif kind == "tar":
        tar(outside / "a.tar")
        (inside / "a.tar").symlink_to(outside / "a.tar")
    elif kind == "parquet":
        parquet(outside / "train.parquet")
        (inside / "train.parquet").symlink_to(outside / "train.parquet")
    elif kind == "folder of parquet":
        (outside / "data").mkdir()
        parquet(outside / "data" / "train-0.parquet")
        (inside / "data").symlink_to(outside / "data")
    elif kind == "table's pictures":
        pictures(outside / "p")
        (inside / "p").symlink_to(outside / "p")
        (inside / "t.csv").write_text("path\np/a.png\n")
        return str(inside / "t.csv")
    elif kind == "coco":
        images = [{"id": 1, "file_name": "a.png", "width": 4, "height": 4}]
        content = {"images": images, "annotations": [], "categories": [{"id": 1, "name": "cat"}]}
        (inside / "instances_val.json").write_text(json.dumps(content))
        pictures(outside / "val")
        (inside / "val").symlink_to(outside / "val")
        return f"coco:{inside}"
    elif kind == "karpathy":
        entry = {"filename": "a.png", "split": "test", "sentences": [{"raw": "a cat"}]}
        (inside / "dataset_flickr30k.json").write_text(json.dumps({"images": [entry]}))
        pictures(outside / "images")
        (inside / "images").symlink_to(outside / "images")
        return f"flickr30k:{inside}"
    return str(inside)


KINDS = ["picture", "class folder", "only split", "tar", "parquet", "folder of parquet", "table's pictures", "coco", "karpathy"]


def is_read(spec, **options):
    """Whether a picture of the dataset can be read."""
    try:
        dataset = open_dataset(spec, **options)
        dataset.pictures.read(0)
    except (DataError, PermissionError) as error:
        assert "lead" in str(error) or "link" in str(error)
        return False
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_outside_is_read(tmp_path, kind):
    assert not is_read(linked(kind, tmp_path / "inside", tmp_path / "outside"))


@pytest.mark.parametrize("kind", ["table's pictures", "coco", "karpathy"])
def test_what_is_inside_is_read_behind_a_link_too(tmp_path, kind):
    """The negative control: the same layout where the link leads to another place of the dataset's own folder."""
    spec = linked(kind, tmp_path / "inside", tmp_path / "outside")
    (tmp_path / "outside").rename(tmp_path / "inside" / "more")
    for link in [path for path in (tmp_path / "inside").iterdir() if path.is_symlink()]:
        target = tmp_path / "inside" / "more" / link.name
        link.unlink()
        link.symlink_to(target)
    assert is_read(spec)


@pytest.mark.parametrize("kind", ["picture", "class folder", "tar", "parquet"])
def test_root_allows_what_it_contains(tmp_path, kind):
    assert is_read(linked(kind, tmp_path / "inside", tmp_path / "outside"), root=tmp_path)


def test_the_folder_that_the_user_names_may_be_a_link(tmp_path):
    pictures(tmp_path / "real" / "cat")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert is_read(str(tmp_path / "link"))
