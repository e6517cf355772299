"""Networks that cannot run on what model.json has them fed."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from PIL import Image

from eyechart.errors import ModelError
from eyechart.models.open import open_model
from eyechart.models.running import stopped

from .conftest import IMAGE, TEXT, save


def fixed_size_tower(path):
    """Takes [n, 3, 4, 4] and nothing else, though it says [n, 3, h, w]: the weights of its last layer are for 48 numbers."""
    node = helper.make_node
    save(
        path,
        [node("Flatten", ["pixel_values"], ["flat"]), node("MatMul", ["flat", "weights"], ["image_embeds"])],
        {"pixel_values": (TensorProto.FLOAT, ["n", 3, "h", "w"])},
        ["image_embeds"],
        {"weights": np.ones((48, 2), np.float32)},
    )


def embedding_tower(path, known, length="t"):
    """The sum of the embeddings of the tokens, of which `known` have one."""
    node = helper.make_node
    save(
        path,
        [node("Gather", ["table", "input_ids"], ["found"]), node("ReduceSum", ["found", "axis"], ["text_embeds"], keepdims=0)],
        {"input_ids": (TensorProto.INT64, ["n", length])},
        ["text_embeds"],
        {"table": np.ones((known, 2), np.float32), "axis": np.array([1], np.int64)},
    )


def test_a_wrong_size_names_the_file_the_shape_and_the_setting(make_folder):
    folder = make_folder(image={"file": "image.onnx", "size": 6}, text=None)
    fixed_size_tower(folder / "image.onnx")
    model = open_model(f"onnx:{folder}")
    with pytest.raises(ModelError, match=r"(?s)image\.onnx.*\[1, 3, 6, 6\].*'size' in model\.json") as error:
        model.encode_images(np.stack([model.prepare(Image.new("RGB", (9, 9)))]))
    assert "\n" not in str(error.value)


def test_a_fixed_number_of_tokens_points_at_the_padding(make_folder):
    folder = make_folder(text=TEXT)
    embedding_tower(folder / "text.onnx", 9, length=6)
    model = open_model(f"onnx:{folder}")
    with pytest.raises(ModelError, match=r"text\.onnx.*\[1, 3\].*'pad'"):
        model.encode_texts(model.tokenize(["cat"]).ids)


def test_a_token_without_embedding_points_at_the_tokenizer(make_folder):
    folder = make_folder(text=TEXT)
    embedding_tower(folder / "text.onnx", 5)
    model = open_model(f"onnx:{folder}")
    with pytest.raises(ModelError, match=r"text\.onnx.*'tokenizer'"):
        model.encode_texts(model.tokenize(["cat"]).ids)


@pytest.mark.parametrize("field", ["attention", "patches", "scores"])
def test_every_output_that_is_named_is_looked_for_at_first_use(make_folder, field):
    model = open_model(f"onnx:{make_folder(image=IMAGE | {field: 'nowhere'})}")
    with pytest.raises(ModelError, match=r"image\.onnx: it has no output 'nowhere'"):
        model.encode_images(np.zeros((1, 3, 4, 4), np.float32))


def test_want_of_memory_points_at_the_batch_size(make_folder):
    """A tensor of 2^52 bytes, which no machine can give."""
    folder = make_folder(image={"file": "image.onnx", "size": 4}, text=None)
    node = helper.make_node
    save(
        folder / "image.onnx",
        [node("Expand", ["pixel_values", "huge"], ["big"]), node("ReduceSum", ["big"], ["image_embeds"])],
        {"pixel_values": (TensorProto.FLOAT, ["n", 3, 4, 4])},
        ["image_embeds"],
        {"huge": np.array([2**25, 2**25, 3, 4, 4], np.int64)},
    )
    with pytest.raises(ModelError, match=r"not enough memory.*lower --batch-size"):
        open_model(f"onnx:{folder}").encode_images(np.zeros((1, 3, 4, 4), np.float32))


def test_memory_that_a_graphics_card_lacks_is_understood():
    error = RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB\nmore")
    assert str(stopped("hf:clip", {"pictures": (32, 3, 4, 4)}, error, "x")).endswith("20.00 GiB); lower --batch-size")
