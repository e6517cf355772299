"""A classifier as an ONNX graph, to run after an image encoder without Python: vectors in; probabilities, class, abstention and
prediction sets out."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from eyechart import __version__
from eyechart.classifier.classifier import Classifier
from eyechart.errors import MissingExtra
from eyechart.files.atomic import atomic_path

_OPSET, _IR = 18, 9  # what ONNX Runtime 1.17 and later read


def check_onnx() -> None:
    """Raise MissingExtra where the package onnx is not installed, before any work is done."""
    if find_spec("onnx") is None:
        raise MissingExtra("a classifier in ONNX format", "export")


def export_onnx(classifier: Classifier, path: str | Path) -> Path:
    """Write the graph. Its input `image_vectors` [n, d] may have any norm; outputs `probabilities` [n, C], `classes` [n],
    `abstain` [n] and, where the classifier has them, `sets` [n, C]. The card is in the graph's metadata."""
    check_onnx()
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    count, width = classifier.vectors.shape
    inverse = 1 / classifier.temperature
    constants = {
        "axis": np.array([1], np.int64),
        "weights": np.ascontiguousarray(classifier.vectors.T),
        "scale": np.array(classifier.logit_scale * inverse, np.float32),
        "bias": np.array(classifier.logit_bias * inverse, np.float32),
        "thresholds": classifier.thresholds.astype(np.float32),
    }
    reading: dict[str, Any] = {"axis": 1} if classifier.reading == "softmax" else {}
    nodes = [
        helper.make_node("ReduceL2", ["image_vectors", "axis"], ["length"], keepdims=1),
        helper.make_node("Div", ["image_vectors", "length"], ["pictures"]),
        helper.make_node("MatMul", ["pictures", "weights"], ["cosines"]),
        helper.make_node("Mul", ["cosines", "scale"], ["scaled"]),
        helper.make_node("Add", ["scaled", "bias"], ["logits"]),
        helper.make_node(classifier.reading.capitalize(), ["logits"], ["probabilities"], **reading),
        helper.make_node("ArgMax", ["logits"], ["classes"], axis=1, keepdims=0),
        helper.make_node("ReduceMax", ["probabilities", "axis"], ["confidence"], keepdims=0),
        helper.make_node("Gather", ["thresholds", "classes"], ["needed"]),
        helper.make_node("Less", ["confidence", "needed"], ["abstain"]),
    ]
    outputs = [
        helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["n", count]),
        helper.make_tensor_value_info("classes", TensorProto.INT64, ["n"]),
        helper.make_tensor_value_info("abstain", TensorProto.BOOL, ["n"]),
    ]
    if classifier.least is not None:
        constants["least"] = np.array(classifier.least, np.float32)
        nodes.append(helper.make_node("GreaterOrEqual", ["probabilities", "least"], ["sets"]))
        outputs.append(helper.make_tensor_value_info("sets", TensorProto.BOOL, ["n", count]))
    graph = helper.make_graph(
        nodes,
        "classifier",
        [helper.make_tensor_value_info("image_vectors", TensorProto.FLOAT, ["n", width])],
        outputs,
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", _OPSET)], producer_name="eyechart", producer_version=__version__
    )
    model.ir_version = _IR
    helper.set_model_props(model, {"eyechart.classifier": json.dumps(classifier.card, ensure_ascii=False)})
    onnx.checker.check_model(model)
    with atomic_path(Path(path)) as unfinished:
        unfinished.write_bytes(model.SerializeToString())
    return Path(path)
