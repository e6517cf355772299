"""Small real ONNX folders to open: towers whose outputs can be computed by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from eyechart.files.hashing import HashMemory

SIDE = 4
WORDS = ["[UNK]", "[BOS]", "[EOS]", "a", "photo", "of", "cat", "dog", "[PAD]"]


def save(
    path: Path, nodes: list, inputs: dict[str, tuple[int, list]], outputs: list[str], weights: dict[str, np.ndarray]
) -> None:
    graph = helper.make_graph(
        nodes,
        "tower",
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.save(model, path)


def image_tower(path: Path, batch: int | str = "n") -> None:
    """Mean of each channel; tokens [n, 1 + 4, 3]: that mean, then those of the 2 × 2 quarters; attention [n · 2, 5, 5]: 0.2."""
    node = helper.make_node
    save(
        path,
        [
            node("GlobalAveragePool", ["pixel_values"], ["mean"]),
            node("Flatten", ["mean"], ["image_embeds"]),
            node("AveragePool", ["pixel_values"], ["quarters"], kernel_shape=[2, 2], strides=[2, 2]),
            node("Reshape", ["quarters", "flat"], ["columns"]),
            node("Transpose", ["columns"], ["patches"], perm=[0, 2, 1]),
            node("Reshape", ["image_embeds", "one"], ["cls"]),
            node("Concat", ["cls", "patches"], ["tokens"], axis=1),
            node("MatMul", ["tokens", "nothing"], ["zeros"]),
            node("Concat", ["zeros", "zeros"], ["logits"], axis=0),
            node("Softmax", ["logits"], ["attention"], axis=-1),
            node("MatMul", ["image_embeds", "classifier"], ["logits_of_classes"]),
        ],
        {"pixel_values": (TensorProto.FLOAT, [batch, 3, SIDE, SIDE])},
        ["image_embeds", "tokens", "attention", "logits_of_classes"],
        {
            "flat": np.array([0, 0, -1], dtype=np.int64),
            "one": np.array([0, 1, -1], dtype=np.int64),
            "nothing": np.zeros((3, 5), dtype=np.float32),
            "classifier": np.array([[1, 0], [0, 1], [0, 0]], dtype=np.float32),
        },
    )


def text_tower(path: Path, masked: bool = False) -> None:
    """text_embeds: [sum of the ids, number of tokens, 1]; of those that the mask lets through, where there is one."""
    node = helper.make_node
    mask = [node("Cast", ["attention_mask"], ["let"], to=TensorProto.FLOAT)] if masked else [node("Mul", ["ids", "zero"], ["no"])]
    let = [] if masked else [node("Add", ["no", "unit"], ["let"])]
    save(
        path,
        [
            node("Cast", ["input_ids"], ["ids"], to=TensorProto.FLOAT),
            *mask,
            *let,
            node("Mul", ["ids", "let"], ["kept"]),
            node("ReduceSum", ["kept", "axis"], ["sum"]),
            node("ReduceSum", ["let", "axis"], ["count"]),
            node("Div", ["count", "count"], ["ones"]),
            node("Concat", ["sum", "count", "ones"], ["text_embeds"], axis=1),
        ],
        {"input_ids": (TensorProto.INT64, ["n", "t"])} | ({"attention_mask": (TensorProto.INT64, ["n", "t"])} if masked else {}),
        ["text_embeds"],
        {"axis": np.array([1], dtype=np.int64), "zero": np.float32(0), "unit": np.float32(1)},
    )


def tokenizer(path: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(single="[BOS] $A [EOS]", special_tokens=[("[BOS]", 1), ("[EOS]", 2)])
    made.save(str(path))


IMAGE = {
    "file": "image.onnx",
    "output": "image_embeds",
    "size": SIDE,
    "mean": [0, 0, 0],
    "std": [1, 1, 1],
    "attention": "attention",
    "patches": "tokens",
    "scores": "logits_of_classes",
}
TEXT = {"file": "text.onnx", "tokenizer": "tokenizer.json", "context": 6, "pad": "none"}

Make = Callable[..., Path]


@pytest.fixture
def make_folder(tmp_path: Path) -> Make:
    """Writes a complete folder; keyword arguments replace parts of model.json, None takes one out."""

    def make(**parts: Any) -> Path:
        folder = tmp_path / "model"
        folder.mkdir(exist_ok=True)
        image_tower(folder / "image.onnx")
        text_tower(folder / "text.onnx")
        tokenizer(folder / "tokenizer.json")
        said = {"format_version": 1, "image": IMAGE, "text": TEXT, "logit_scale": 100.0} | parts
        (folder / "model.json").write_text(json.dumps({k: v for k, v in said.items() if v is not None}))
        return folder

    return make


@pytest.fixture
def hashes():
    memory = HashMemory()
    yield memory
    memory.close()
