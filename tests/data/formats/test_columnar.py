"""Parquet with pictures inside, saved Hugging Face datasets, and shards of both."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eyechart.data.formats import inline_pictures
from eyechart.data.open import open_dataset
from eyechart.errors import DataError

FEATURES = {"image": {"_type": "Image"}, "label": {"names": ["cat", "great_dane"], "_type": "ClassLabel"}}


@pytest.fixture
def rows(picture_bytes):
    """A table of ten pictures as `datasets` writes it."""
    images = [{"bytes": picture_bytes(n), "path": f"{n}.png"} for n in range(10)]
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    table = pa.table({"image": pa.array(images, kind), "label": pa.array([0, 1] * 5), "light": ["dim"] * 10})
    return table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": FEATURES}})})


def save(table, folder, *, format="stream"):
    """The layout of `Dataset.save_to_disk`: two Arrow files and state.json."""
    folder.mkdir(parents=True)
    names = []
    for number, part in enumerate((table.slice(0, 4), table.slice(4))):
        names.append(f"data-{number:05d}-of-00002.arrow")
        opened = pa.ipc.new_stream if format == "stream" else pa.ipc.new_file
        with opened(str(folder / names[-1]), table.schema) as writer:
            writer.write_table(part, max_chunksize=3)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names], "_split": None}))
    return folder


@pytest.fixture(params=["parquet", "saved", "saved in file format"])
def opened(request, rows, tmp_path):
    if request.param == "parquet":
        pq.write_table(rows, tmp_path / "pets.parquet", row_group_size=3)
        return open_dataset(tmp_path / "pets.parquet")
    return open_dataset(save(rows, tmp_path / "pets", format="stream" if request.param == "saved" else "file"))


def test_names_of_label_numbers_become_classes(opened):
    assert [(c.label, c.name) for c in opened.classes] == [("cat", "cat"), ("great_dane", "great dane")]
    assert opened.label_indices().tolist() == [0, 1] * 5
    assert opened.table.column("attr.light").to_pylist() == ["dim"] * 10
    assert opened.name == "pets"


def test_pictures_are_read_in_any_order_and_by_many_threads(opened, picture_bytes):
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(10), 20)).tolist()
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(opened.pictures.read, order))
    assert read == [picture_bytes(n) for n in order]


def test_taken_rows_read_their_own_pictures(opened, picture_bytes):
    taken = opened.take([7, 2]).take([1, 0])
    assert taken.ids() == ["2.png", "7.png"]
    assert [taken.pictures.read(0), taken.pictures.read(1)] == [picture_bytes(2), picture_bytes(7)]


def test_identities_are_apart_and_lasting(opened):
    identities = [opened.pictures.identity(row) for row in range(10)]
    assert len({identity.place for identity in identities}) == 10
    assert opened.take([6]).pictures.identity(0) == identities[6]


def test_opening_a_parquet_does_not_unpack_its_pictures(rows, tmp_path):
    path = tmp_path / "pets.parquet"
    pq.write_table(rows, path, compression="none")
    data = bytearray(path.read_bytes())
    begin = pq.ParquetFile(path).metadata.row_group(0).column(0).data_page_offset
    data[begin : begin + 40] = b"\xff" * 40  # damage the page of picture bytes
    path.write_bytes(data)
    dataset = open_dataset(path)
    assert len(dataset) == 10
    with pytest.raises(OSError, match="damaged row group 0"):
        dataset.pictures.read(3)


def test_a_row_group_is_unpacked_once(rows, tmp_path, monkeypatch):
    pq.write_table(rows, tmp_path / "pets.parquet", row_group_size=5)
    opened = []
    real = pq.ParquetFile
    monkeypatch.setattr(inline_pictures.pq, "ParquetFile", lambda *a, **k: opened.append(threading.get_ident()) or real(*a, **k))
    pictures = open_dataset(tmp_path / "pets.parquet").pictures
    opened.clear()
    for row in (0, 9, 1, 8, 2, 7):
        pictures.read(row)
    assert len(opened) == 2


def test_pictures_past_the_limit_of_memory_go_to_a_temporary_file(rows, tmp_path, monkeypatch, picture_bytes):
    monkeypatch.setattr(inline_pictures, "_IN_MEMORY", 1000)
    pq.write_table(rows, tmp_path / "pets.parquet", row_group_size=2)
    pictures = open_dataset(tmp_path / "pets.parquet").pictures
    assert [pictures.read(row) for row in (9, 0, 5)] == [picture_bytes(n) for n in (9, 0, 5)]


def test_plain_bytes_are_pictures_and_rows_are_ids(tmp_path, picture_bytes):
    pq.write_table(pa.table({"photo": [picture_bytes(0), picture_bytes(1), None]}), tmp_path / "x.parquet")
    dataset = open_dataset(tmp_path / "x.parquet")
    assert dataset.ids() == ["0", "1", "2"]
    assert dataset.pictures.read(1) == picture_bytes(1)
    assert dataset.pictures.identity(1) is None  # not every row holds bytes, so only reading can tell
    with pytest.raises(OSError, match="neither bytes nor a file name"):
        dataset.pictures.read(2)


def test_a_picture_column_that_only_has_paths_reads_the_files(tmp_path, picture_bytes):
    (tmp_path / "a.png").write_bytes(picture_bytes(3))
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    pq.write_table(pa.table({"image": pa.array([{"bytes": None, "path": "a.png"}], kind)}), tmp_path / "x.parquet")
    dataset = open_dataset(tmp_path / "x.parquet")
    assert dataset.pictures.read(0) == picture_bytes(3)
    assert dataset.pictures.identity(0).place == str(tmp_path / "a.png")


def test_a_path_inside_a_picture_column_may_not_lead_out(tmp_path):
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    pq.write_table(pa.table({"image": pa.array([{"bytes": None, "path": "../../secret.png"}], kind)}), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"x.parquet, row 1: '../../secret.png' leads out of"):
        open_dataset(tmp_path / "x.parquet")


def test_vectors_and_other_bytes_are_left_unread_and_named(tmp_path, picture_bytes):
    table = pa.table({"image": [picture_bytes(0)], "mask": [b"123"], "embedding": [[0.1, 0.2]], "tags": [["a", "b"]]})
    pq.write_table(table, tmp_path / "x.parquet")
    dataset = open_dataset(tmp_path / "x.parquet")
    assert dataset.table.column_names == ["id", "attr.tags"]
    assert any("left unread" in str(n) and "mask, embedding" in str(n) for n in dataset.notices)


def test_two_columns_of_bytes_need_a_word(tmp_path, picture_bytes):
    pq.write_table(pa.table({"left": [picture_bytes(0)], "right": [picture_bytes(1)]}), tmp_path / "x.parquet")
    with pytest.raises(DataError, match="left, right could all hold the pictures; choose one with --column image=NAME"):
        open_dataset(tmp_path / "x.parquet")
    assert open_dataset(tmp_path / "x.parquet", columns={"image": "right"}).pictures.read(0) == picture_bytes(1)


def test_a_label_number_without_a_name_is_refused(rows, tmp_path):
    labels = pa.array([0, 1, -1, 5, 0, 0, 0, 0, 0, 0])
    pq.write_table(rows.set_column(1, "label", labels), tmp_path / "x.parquet")
    with pytest.raises(DataError, match="row 4: label 5 has no name; the data names only 0 to 1"):
        open_dataset(tmp_path / "x.parquet")


def test_minus_one_is_no_label(rows, tmp_path):
    pq.write_table(rows.set_column(1, "label", pa.array([-1] * 5 + [1] * 5)), tmp_path / "x.parquet")
    assert open_dataset(tmp_path / "x.parquet").label_indices().tolist() == [-1] * 5 + [1] * 5


def test_a_given_class_list_of_equal_length_renames_numbered_labels(rows, tmp_path):
    pq.write_table(rows, tmp_path / "x.parquet")
    (tmp_path / "names.txt").write_text("house cat\nlarge dog\n")
    dataset = open_dataset(tmp_path / "x.parquet", classes=tmp_path / "names.txt")
    assert dataset.table.column("label").to_pylist()[:2] == ["house cat", "large dog"]


@pytest.mark.parametrize(
    "layout", ["data/{split}-{n:05d}-of-00002.parquet", "{split}/{n:04d}.parquet", "{split}-{n:05d}-of-00002-0a1b2c.parquet"]
)
def test_shards_of_the_hub_are_split_by_their_names(rows, tmp_path, layout):
    for split, part in (("train", rows.slice(0, 7)), ("test", rows.slice(7))):
        for n in range(2):
            path = tmp_path / "pets" / layout.format(split=split, n=n)
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(part.slice(n * 2, 2) if n == 0 else part.slice(2), path)
    with pytest.raises(DataError, match=r"has the splits (test, train|train, test); choose one"):
        open_dataset(tmp_path / "pets")
    assert open_dataset(tmp_path / "pets", split="train").ids() == [f"{n}.png" for n in range(7)]
    assert open_dataset(tmp_path / "pets", split="test").reader["split"] == "test"


def test_parts_that_are_no_splits_are_one_dataset(rows, tmp_path, picture_bytes):
    for n in range(2):
        pq.write_table(rows.slice(n * 5, 5), tmp_path / f"part-{n}.parquet")
    for spec in (tmp_path, f"{tmp_path}/part-*.parquet", f"{tmp_path}/part-{{0..1}}.parquet"):
        dataset = open_dataset(spec)
        assert dataset.ids() == [f"{n}.png" for n in range(10)]
        assert dataset.pictures.read(8) == picture_bytes(8)
    assert dataset.pictures.place(8).endswith("part-1.parquet, row 4")


def test_shards_with_other_columns_are_refused(rows, tmp_path):
    pq.write_table(rows, tmp_path / "part-0.parquet")
    pq.write_table(rows.drop_columns(["light"]), tmp_path / "part-1.parquet")
    with pytest.raises(DataError, match=r"part-1.parquet: column 'light' is missing, but string in .*part-0.parquet"):
        open_dataset(tmp_path)


def test_splits_of_a_saved_dataset_are_chosen(rows, tmp_path):
    folder = tmp_path / "pets"
    for split in ("train", "test"):
        save(rows, folder / split)
    (folder / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    assert len(open_dataset(folder, split="test")) == 10
    with pytest.raises(DataError, match="no split 'tets'; did you mean 'test'"):
        open_dataset(folder, split="tets")


def test_a_saved_dataset_that_points_elsewhere_is_refused(rows, tmp_path):
    folder = save(rows, tmp_path / "pets")
    (folder / "state.json").write_text('{"_data_files": [{"filename": "../../etc/x.arrow"}]}')
    with pytest.raises(DataError, match="is not a name in its folder"):
        open_dataset(folder)


@pytest.mark.parametrize(
    "splits", [[".."], ["."], [""], ["../pets"], ["a/b"], ["a\\\\b"], ["a\0"], [5], [None], 5, "train", {"a": 1}, [["a"]]]
)
def test_splits_that_are_no_plain_names_are_refused(rows, tmp_path, splits):
    save(rows, tmp_path / "pets")
    (tmp_path / "pets" / "all").mkdir()
    (tmp_path / "pets" / "all" / "dataset_dict.json").write_text(json.dumps({"splits": splits}))
    with pytest.raises(DataError, match=r"dataset_dict\.json: .*save the dataset again"):
        open_dataset(tmp_path / "pets" / "all")


@pytest.mark.parametrize("files", [5, [5], ["../x.arrow"], [{"filename": ".."}], [{"filename": None}], [{}], {}, []])
def test_data_files_that_are_no_plain_names_are_refused(rows, tmp_path, files):
    folder = save(rows, tmp_path / "pets")
    (folder / "state.json").write_text(json.dumps({"_data_files": files}))
    with pytest.raises(DataError, match=r"state\.json: .*save the dataset again"):
        open_dataset(folder)


def test_a_link_in_a_saved_dataset_may_not_lead_out(rows, tmp_path):
    folder, elsewhere = save(rows, tmp_path / "pets"), tmp_path / "elsewhere.arrow"
    data = min(folder.glob("*.arrow"))
    data.rename(elsewhere)
    data.symlink_to(elsewhere)
    with pytest.raises(DataError, match=r"the link leads out of .*pets; .*--root"):
        open_dataset(folder)
    assert len(open_dataset(folder, root=tmp_path)) == len(rows)


def test_features_that_are_no_object_are_passed_over(rows, tmp_path):
    folder = save(rows.replace_schema_metadata(None), tmp_path / "pets")
    (folder / "dataset_info.json").write_text('{"features": [1, 2]}')
    assert len(open_dataset(folder)) == len(rows)


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow"])
@pytest.mark.parametrize("content", [b"", b"PAR1 and nonsense", b"ARROW1 and nonsense"])
def test_files_that_are_none_are_refused_by_name(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=f"{name}: not a"):
        open_dataset(tmp_path / name)


def test_an_empty_parquet_is_refused(rows, tmp_path):
    pq.write_table(rows.slice(0, 0), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"x.parquet: it contains no rows"):
        open_dataset(tmp_path / "x.parquet")


def test_dictionary_columns_and_large_strings_are_plain_afterwards(tmp_path):
    table = pa.table(
        {"path": pa.array(["a.png", "b.png"], pa.large_string()), "label": pa.array(["cat", "dog"]).dictionary_encode()}
    )
    pq.write_table(table, tmp_path / "x.parquet")
    dataset = open_dataset(tmp_path / "x.parquet")
    assert (dataset.ids(), dataset.label_indices().tolist()) == (["a.png", "b.png"], [0, 1])
