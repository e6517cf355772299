import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eyechart.errors import DataError, UsageError
from eyechart.models.encoder import EncodesImages, LooksUpImages, LooksUpTexts, ScoresPairs
from eyechart.models.open import open_model

IMAGES = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 2]])
TEXTS = np.array([[1.0, 1, 0], [0, 1, 1]])


def npz(path, **change):
    arrays = {
        "image_ids": np.array(["p1", "p2", "p3"]),
        "image_vectors": IMAGES,
        "texts": np.array(["a cat", "a dog"]),
        "text_vectors": TEXTS,
        "logit_scale": np.array(100.0),
    }
    np.savez(path / "v.npz", **{k: v for k, v in (arrays | change).items() if v is not None})
    return f"vectors:{path / 'v.npz'}"


def test_vectors_are_looked_up_by_id_and_by_text(tmp_path):
    model = open_model(npz(tmp_path))
    np.testing.assert_array_equal(model.look_up_images(["p3", "p1"]), IMAGES[[2, 0]])
    np.testing.assert_array_equal(model.look_up_texts(["a dog"]), TEXTS[[1]])
    assert model.logit_scale == 100.0
    assert model.logit_bias == 0.0
    assert isinstance(model, LooksUpImages)
    assert isinstance(model, LooksUpTexts)
    assert not isinstance(model, EncodesImages)


def test_a_file_of_pictures_alone_claims_no_texts_and_no_scale(tmp_path):
    model = open_model(npz(tmp_path, texts=None, text_vectors=None, logit_scale=None))
    assert isinstance(model, LooksUpImages)
    assert not isinstance(model, LooksUpTexts)
    assert not isinstance(model, ScoresPairs)


def test_a_folder_of_parquet_files(tmp_path):
    pq.write_table(pa.table({"id": ["p1", "p2", "p3"], "vector": IMAGES.tolist()}), tmp_path / "images.parquet")
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(TEXTS.ravel(), pa.float32()), 3)
    pq.write_table(pa.table({"text": ["a cat", "a dog"], "vector": fixed}), tmp_path / "texts.parquet")
    model = open_model(f"vectors:{tmp_path}")
    np.testing.assert_array_equal(model.look_up_images(["p2"]), IMAGES[[1]])
    np.testing.assert_array_equal(model.look_up_texts(["a dog", "a cat"]), TEXTS[[1, 0]])


def broken(row: int, value: float) -> np.ndarray:
    vectors = IMAGES.copy()
    vectors[row] = value
    return vectors


@pytest.mark.parametrize(
    "change, message",
    [
        ({"image_vectors": broken(1, np.nan)}, r"row 1 \(picture id 'p2'\): its vector holds NaN"),
        ({"image_vectors": broken(2, 0.0)}, r"row 2 \(picture id 'p3'\): its vector is zero"),
        ({"image_ids": np.array(["p1", "p2", "p1"])}, r"row 2: picture id 'p1' is already in row 0"),
        ({"image_ids": np.array(["p1", "p2"])}, r"2 picture ids and vectors of shape \(3, 3\) do not match"),
        ({"text_vectors": np.ones((2, 4))}, r"image vectors have 3 numbers and the text vectors 4"),
        ({"image_vectors": IMAGES.astype(int)}, "dtype int64; give floating-point"),
        ({"image_ids": None}, "it has 'image_vectors' but not 'image_ids'"),
        ({"image_vecs": IMAGES}, "'image_vecs' is unknown; did you mean 'image_vectors'"),
        ({"logit_scale": np.array([1.0, 2.0])}, "logit_scale is .* give one number"),
        ({"image_ids": np.array(["p1", "p2", None], dtype=object)}, "pickled objects, which are never loaded"),
        ({"texts": np.array([b"a cat", b"\xff dog"])}, "row 1: the name .* is not UTF-8"),
    ],
)
def test_unusable_vectors_are_refused_with_file_and_row(tmp_path, change, message):
    spec = npz(tmp_path, **change)
    with pytest.raises(DataError, match=message) as refusal:
        open_model(spec)
    assert "v.npz" in str(refusal.value)


def test_rows_of_different_lengths_are_refused(tmp_path):
    pq.write_table(pa.table({"id": ["a", "b"], "vector": [[1.0, 2.0], [1.0]]}), tmp_path / "images.parquet")
    with pytest.raises(DataError, match=r"images.parquet, row 1: its vector has 1 numbers, row 0 has 2"):
        open_model(f"vectors:{tmp_path}")


def test_a_missing_vector_is_named_by_row(tmp_path):
    pq.write_table(pa.table({"id": ["a", "b"], "vector": [[1.0, 2.0], None]}), tmp_path / "images.parquet")
    with pytest.raises(DataError, match=r"images.parquet, row 1: its vector is missing"):
        open_model(f"vectors:{tmp_path}")


def test_a_column_of_words_is_no_vector(tmp_path):
    pq.write_table(pa.table({"id": ["a"], "vector": [["x", "y"]]}), tmp_path / "images.parquet")
    with pytest.raises(DataError, match=r"the column 'vector' is of type list<.*string>"):
        open_model(f"vectors:{tmp_path}")


def test_a_missing_column_is_named(tmp_path):
    pq.write_table(pa.table({"name": ["a"], "vector": [[1.0]]}), tmp_path / "images.parquet")
    with pytest.raises(DataError, match=r"no column 'id' \(there are: name, vector\)"):
        open_model(f"vectors:{tmp_path}")


def test_an_id_that_is_not_there_is_named_with_the_nearest(tmp_path):
    with pytest.raises(DataError, match=r"no vector for the picture id 'p22'; did you mean 'p2'.*1 of 2 are missing"):
        open_model(npz(tmp_path)).look_up_images(["p1", "p22"])


def test_a_file_that_is_no_npz_is_refused(tmp_path):
    (tmp_path / "v.npz").write_bytes(b"hello")
    with pytest.raises(DataError, match=r"v\.npz: not an npz file"):
        open_model(f"vectors:{tmp_path / 'v.npz'}")


def test_a_path_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no such file or folder"):
        open_model(f"vectors:{tmp_path / 'none.npz'}")


def test_the_fingerprint_follows_the_content(tmp_path):
    first = open_model(npz(tmp_path)).fingerprint
    assert open_model(npz(tmp_path)).fingerprint == first
    assert open_model(npz(tmp_path, logit_scale=np.array(50.0))).fingerprint != first
