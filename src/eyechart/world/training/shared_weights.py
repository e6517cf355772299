"""One weight file for two formats: an ONNX graph that reads its weights from the safetensors file, in half precision.

A safetensors file is a header followed by the raw numbers of every tensor, and ONNX can read a weight from any offset of another
file. So a folder of transformers or open_clip becomes an `onnx:` folder by adding only the graphs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.files.safetensors import read_header, read_tensor

_LEAST = 128  # smaller weights stay in the graph


@dataclass(frozen=True)
class _Stored:
    offset: int
    length: int
    values: npt.NDArray[np.float16]


def share_weights(graph: Path, weights: Path) -> int:
    """Rewrite the graph so that every weight in the file, as it is or transposed, is read from there; returns the bytes saved.

    A weight stays in the graph unless its values are equal in half precision."""
    import onnx

    model = onnx.load(str(graph))
    stored = _stored(weights)
    used = {name for node in model.graph.node for name in node.input}
    moved, before = 0, []
    for initializer in list(model.graph.initializer):
        values = onnx.numpy_helper.to_array(initializer)
        if initializer.name not in used or values.dtype != np.float32 or values.size < _LEAST:
            continue
        found = _find(values, stored)
        if found is None:
            continue
        place, turned = found
        half = f"{initializer.name}.half"
        model.graph.initializer.remove(initializer)
        model.graph.initializer.append(_outside(onnx, half, place, weights.name))
        whole = f"{initializer.name}.stored" if turned else initializer.name
        before.append(onnx.helper.make_node("Cast", [half], [whole], to=onnx.TensorProto.FLOAT))
        if turned:
            before.append(onnx.helper.make_node("Transpose", [whole], [initializer.name], perm=[1, 0]))
        moved += values.nbytes
    nodes = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*before, *nodes])
    del model.graph.value_info[:]
    _forget_origins(model)
    graph.write_bytes(model.SerializeToString())
    return moved


def _forget_origins(model: Any) -> None:
    """Remove the source lines that exporters record for each node: most of a small graph, and paths of the machine."""
    for part in (model, model.graph, *model.graph.node, *model.graph.input, *model.graph.output, *model.functions):
        part.doc_string = ""
        if hasattr(part, "metadata_props"):
            del part.metadata_props[:]


def _stored(weights: Path) -> list[_Stored]:
    halves = [tensor for tensor in read_header(weights).tensors.values() if tensor.dtype == "F16"]
    return [_Stored(tensor.offset, tensor.length, read_tensor(weights, tensor)) for tensor in halves]


def _find(values: npt.NDArray[np.float32], stored: list[_Stored]) -> tuple[_Stored, bool] | None:
    for place in stored:
        if place.values.shape == values.shape and np.array_equal(place.values.astype(np.float32), values):
            return place, False
        if (
            values.ndim == 2
            and place.values.shape == values.T.shape
            and np.array_equal(place.values.T.astype(np.float32), values)
        ):
            return place, True
    return None


def _outside(onnx: Any, name: str, place: _Stored, file: str) -> Any:
    tensor = onnx.TensorProto(name=name, data_type=onnx.TensorProto.FLOAT16, dims=place.values.shape)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", file), ("offset", place.offset), ("length", place.length)):
        tensor.external_data.add(key=key, value=str(value))
    return tensor
