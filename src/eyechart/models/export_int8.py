"""The matrix products of an exported image encoder in 8-bit integers (dynamic quantization of ONNX Runtime)."""

from __future__ import annotations

import logging
from pathlib import Path

from eyechart.errors import UsageError

_LARGE = 1_800_000_000  # bytes, beyond which the format requires the weights in a separate file


def quantize_products(path: Path, spec: str) -> int:
    """Replace the float32 products with weights in this ONNX file by int8 ones; returns how many there are.

    Every column of a weight matrix has a scale of its own. Weights use 7 of the 8 bits: on processors without VNNI the sums of
    two products of 8 bits saturate at 16, which costs far more than a bit of every weight."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    small = path.with_name(f"{path.stem}.int8{path.suffix}")
    weights = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))
    root = logging.getLogger()
    before = root.level
    root.setLevel(logging.ERROR)  # it recommends a preparation that changes nothing for traced networks
    try:
        quantize_dynamic(
            str(path),
            str(small),
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            use_external_data_format=weights > _LARGE,
        )
    finally:
        root.setLevel(before)
    nodes = onnx.load(str(small), load_external_data=False).graph.node
    products = sum(node.op_type in ("MatMulInteger", "DynamicQuantizeMatMul") for node in nodes)
    if not products:
        small.unlink()
        raise UsageError(
            f"{spec}: its image encoder has no matrix product with weights, so int8 would change nothing; "
            "export it with --precision float32"
        )
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    small.rename(path)
    return products
