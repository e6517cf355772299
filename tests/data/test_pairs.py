import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eyechart.data.open import default_name, open_dataset
from eyechart.errors import DataError

POINTS = pa.list_(pa.list_(pa.float64(), 2))


@pytest.fixture
def folder(tmp_path, picture_bytes):
    for name in "abc":
        (tmp_path / f"{name}.bin").write_bytes(picture_bytes())
    pq.write_table(pa.table({"id": list("abc"), "path": [f"{name}.bin" for name in "abc"]}), tmp_path / "dataset.parquet")
    return tmp_path


def write_pairs(folder, first: str = "a", second: str = "b", **more) -> pa.Table:
    points = pa.array([[[1.0, 2.0]]], POINTS)
    table = pa.table({"id_a": [first], "id_b": [second], "points_a": points, "points_b": points, **more})
    pq.write_table(table, folder / "pairs.parquet")
    return table


@pytest.mark.parametrize("spec", ["dataset.parquet", ""])
def test_pairs_beside_a_table_belong_to_it(folder, spec):
    written = write_pairs(folder)
    read = open_dataset(folder / spec)
    assert read.ids() == ["a", "b", "c"]
    assert read.pairs.equals(written)


def test_without_such_a_file_there_are_none(folder):
    assert open_dataset(folder / "dataset.parquet").pairs is None


def test_another_table_of_that_name_is_one_of_pictures(folder):
    (folder / "dataset.parquet").rename(folder / "pairs.parquet")
    read = open_dataset(folder)
    assert len(read) == 3
    assert read.pairs is None


def test_a_pair_of_unknown_pictures_is_refused(folder):
    write_pairs(folder, second="z")
    with pytest.raises(DataError, match=r"pairs\.parquet: id_b 'z' is not the id of a picture"):
        open_dataset(folder / "dataset.parquet")


def test_a_damaged_file_is_no_table_of_pairs(folder):
    (folder / "pairs.parquet").write_bytes(b"PAR1 nonsense PAR1")
    assert open_dataset(folder / "dataset.parquet").pairs is None


def test_a_table_that_is_called_dataset_has_its_folder_s_name(folder):
    assert default_name(str(folder / "dataset.parquet")) == folder.name
    assert default_name(str(folder / "pets.parquet")) == "pets"


def test_what_is_known_of_a_pair_is_read_with_it(folder):
    written = write_pairs(folder, turn=[45.0], viewpoint=["far"], box_b=pa.array([[1.0, 2, 3, 4]], pa.list_(pa.float64(), 4)))
    assert open_dataset(folder).pairs.equals(written)


def test_points_go_by_twos(folder):
    table = write_pairs(folder)
    pq.write_table(table.set_column(3, "points_b", pa.array([[[1.0, 2.0]] * 2], POINTS)), folder / "pairs.parquet")
    with pytest.raises(DataError, match="row 0: 1 keypoints in the first picture and 2 in the second"):
        open_dataset(folder)
    pq.write_table(table.set_column(3, "points_b", pa.array([["x"]])), folder / "pairs.parquet")
    with pytest.raises(DataError, match=r"points_b is of type .*; give a list of points, each of two numbers"):
        open_dataset(folder)
    pq.write_table(table.set_column(3, "points_b", pa.array([[[1.0, float("nan")]]], POINTS)), folder / "pairs.parquet")
    with pytest.raises(DataError, match="points_b has a keypoint that is missing or not finite"):
        open_dataset(folder)


def test_a_limit_takes_whole_pairs(folder):
    write_pairs(folder, "c", "a")
    assert open_dataset(folder, limit=2).ids() == ["a", "c"]
