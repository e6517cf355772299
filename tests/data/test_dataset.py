import pyarrow as pa

from eyechart.data.dataset import Dataset
from eyechart.data.file_pictures import file_pictures


def test_taking_rows_keeps_the_pairs_of_which_both_are_taken(tmp_path):
    ids = pa.array(["a", "b", "c", "d"])
    points = [[[1.0, 2.0]]] * 3
    pairs = pa.table({"id_a": ["a", "a", "c"], "id_b": ["b", "c", "d"], "points_a": points, "points_b": points})
    dataset = Dataset("views", pa.table({"id": ids}), file_pictures(tmp_path, ids), pairs=pairs)
    part = dataset.take([2, 0, 3])
    assert part.ids() == ["c", "a", "d"]
    assert [(row["id_a"], row["id_b"]) for row in part.pairs.to_pylist()] == [("a", "c"), ("c", "d")]
    assert dataset.take([1]).pairs.num_rows == 0
