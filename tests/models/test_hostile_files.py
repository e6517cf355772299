"""Model files that were made to mislead, or that damage has made nonsense of: every one is refused by name."""

import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eyechart.errors import DataError, ModelError
from eyechart.files.safetensors import write_tensors
from eyechart.models.onnx_external import external_files
from eyechart.models.open import open_model
from eyechart.models.weights import stored_scalar

from .conftest import IMAGE, TEXT

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"image": IMAGE | {"mean": [NAN, 0, 0]}}, "mean is .* finite"),
        ({"image": IMAGE | {"mean": [0, INF, 0]}}, "mean is .* finite"),
        ({"image": IMAGE | {"mean": [0, 10**400, 0]}}, "mean is .* finite"),
        ({"image": IMAGE | {"std": [1, 1, INF]}}, "std is .* finite"),
        ({"image": IMAGE | {"std": [1, NAN, 1]}}, "std is .* finite"),
        ({"image": IMAGE | {"fill": 256}}, "fill is 256; .* 0 to 255"),
        ({"image": IMAGE | {"fill": [0, -1, 0]}}, "fill is .* 0 to 255"),
        ({"image": IMAGE | {"prefix_tokens": -1}}, "image.prefix_tokens is -1"),
        ({"image": IMAGE | {"grid": [0, 4]}}, "image.grid is"),
        ({"image": IMAGE | {"file": "image.onnx\0"}}, r"image.file is .* cannot be the name of a file"),
        ({"image": IMAGE | {"file": "\ud800.onnx"}}, r"a text has a lone surrogate"),
        ({"image": IMAGE | {"file": "x" * 5000}}, r"image.file is .* cannot be the name of a file"),
        ({"text": TEXT | {"tokenizer": "\0"}}, r"text.tokenizer is .* cannot be the name of a file"),
        ({"text": TEXT | {"pad_id": -1}}, "text.pad_id is -1"),
        ({"text": TEXT | {"end_id": 10**30}}, "text.end_id is"),
        ({"text": TEXT | {"context": 10**12}}, "text.context is"),
        ({"logit_bias": NAN}, "logit_bias is nan; it must be a finite number"),
        ({"logit_bias": -INF}, "logit_bias is -inf"),
        ({"logit_scale": 10**400}, "logit_scale is inf"),
    ],
)
def test_numbers_and_names_that_cannot_be_are_refused_by_field(make_folder, change, message):
    with pytest.raises(ModelError, match=message) as refusal:
        open_model(f"onnx:{make_folder(**change)}")
    assert "model.json" in str(refusal.value)


def test_a_field_without_value_takes_its_default(make_folder):
    model = open_model(f"onnx:{make_folder(image=IMAGE | {'prefix_tokens': None, 'input': None})}")
    assert model.patches(np.zeros((1, 3, 4, 4), np.float32)).shape == (1, 2, 2, 3)


def test_a_model_json_nested_beyond_measure_is_refused(make_folder):
    folder = make_folder()
    (folder / "model.json").write_text("[" * 100_000)
    with pytest.raises(ModelError, match=r"model\.json: not valid JSON"):
        open_model(f"onnx:{folder}")


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def test_graphs_within_graphs_without_end_are_refused(tmp_path):
    graph = b""
    for _ in range(3000):  # graph > node > attribute > graph > …
        graph = field(1, field(5, field(6, graph)))
    (tmp_path / "deep.onnx").write_bytes(field(7, graph))
    with pytest.raises(ModelError, match=r"deep\.onnx: graphs nested too deeply"):
        external_files(tmp_path / "deep.onnx")


def test_external_data_of_an_impossible_name_is_refused(tmp_path):
    tensor = field(13, field(1, b"location") + field(2, b"a\0b"))
    (tmp_path / "odd.onnx").write_bytes(field(7, field(5, tensor)))
    with pytest.raises(ModelError, match=r"odd\.onnx: its external data is .* cannot be the name of a file"):
        external_files(tmp_path / "odd.onnx")


def npy(header):
    said = header.encode("latin-1")
    return b"\x93NUMPY\x01\x00" + len(said).to_bytes(2, "little") + said


def shaped(shape):
    return npy(f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}\n")


@pytest.mark.parametrize(
    "array, message",
    [
        (shaped("(1000000000000, 512)"), "larger than the memory"),
        (shaped("(10000000000000000000000, 512)"), "not readable as npz"),
        (shaped("(-5, 512)"), "not readable as npz"),
        (shaped("(5, "), "not readable as npz"),
        (npy("'''"), "not readable as npz"),
        (npy("(" * 3000), "not readable as npz"),
        (b"\x93NUMPY\x01\x00", "not readable as npz"),
        (shaped("(5, 512)") + b"abc", "not readable as npz"),
        (b"not an array", "'image_vectors' is not an array"),
    ],
)
def test_an_array_that_cannot_be_is_refused(tmp_path, array, message):
    with zipfile.ZipFile(tmp_path / "v.npz", "w") as archive:
        archive.writestr("image_vectors.npy", array)
    with pytest.raises(DataError, match=rf"v\.npz: .*{message}"):
        open_model(f"vectors:{tmp_path / 'v.npz'}")


def compressed(path):
    np.savez_compressed(path, image_ids=np.array(["a", "b"]), image_vectors=np.ones((2, 8), np.float32))
    return path.read_bytes()


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.floats(0, 0.9999), st.integers(0, 255)), min_size=1, max_size=4))
def test_whatever_is_written_over_an_npz_it_is_read_or_refused(tmp_path, changes):
    content = bytearray(compressed(tmp_path / "v.npz"))
    for place, byte in changes:
        content[int(place * len(content))] = byte
    (tmp_path / "v.npz").write_bytes(content)
    try:
        open_model(f"vectors:{tmp_path / 'v.npz'}")
    except DataError as error:
        assert "v.npz" in str(error)


@pytest.mark.parametrize("shape", [[0], [2], [3, 2]])
def test_a_scalar_that_is_none_is_refused(tmp_path, shape):
    path = tmp_path / "model.safetensors"
    write_tensors(path, {"logit_scale": np.ones(shape, np.float32)}, {})
    with pytest.raises(ModelError, match=r"model\.safetensors: 'logit_scale' has \d numbers in place of one"):
        stored_scalar(path, ["logit_scale"])
