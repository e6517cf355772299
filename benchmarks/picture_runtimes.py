"""ViT-B-32 pictures to vectors on the CPU: open_clip in eager torch, ONNX Runtime, and ONNX Runtime with int8 weights, beside the
peak of this machine's matrix products (a roofline).

    python benchmarks/picture_runtimes.py [--architecture ViT-B-32] [--pictures 64] [--batch 16] [--rounds 3] [--threads 2]

Networks run on ready tensors and take turns. Printed: pictures per second, each ratio to eager torch (median of the rounds), the
smallest cosine to eager vectors, and how near each is to the roofline: the rate at which the same multiplications would run as
bare float32 products of the sizes that the network has. A runtime cannot be faster than 1 / (eager's share of the roofline).
int8: matrix products quantized as `eyechart export --precision int8` does it; it needs the package onnx.
Weights are random and seeded: time does not depend on them, but cosines of int8 do: those of trained weights are lower.
"""

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import open_clip
import torch

from eyechart.models.export_int8 import quantize_products


class Tower(torch.nn.Module):
    """The picture encoder alone."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.visual = network.visual

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        return self.visual(pictures)


def session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def matrix_shapes(network: Any, batch: int) -> list[tuple[int, int, int]]:
    """Rows, inner size and columns of all products of the transformer with weights, for one batch."""
    visual = network.visual
    tokens = batch * (visual.grid_size[0] * visual.grid_size[1] + 1)
    width, layers = visual.conv1.out_channels, len(visual.transformer.resblocks)
    hidden = visual.transformer.resblocks[0].mlp.c_fc.out_features
    pixels = visual.conv1.in_channels * visual.conv1.kernel_size[0] * visual.conv1.kernel_size[1]
    block = [(tokens, width, 3 * width), (tokens, width, width), (tokens, width, hidden), (tokens, hidden, width)]
    return [(tokens - batch, pixels, width), *(block * layers)]


def roofline(shapes: list[tuple[int, int, int]]) -> float:
    """Seconds of the bare products of one batch; operands of a size are made once."""
    operands = {shape: (torch.randn(shape[0], shape[1]), torch.randn(shape[1], shape[2])) for shape in set(shapes)}
    start = time.perf_counter()
    for shape in shapes:
        torch.mm(*operands[shape])
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--architecture", default="ViT-B-32")
    parser.add_argument("--pictures", type=int, default=64)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    network = open_clip.create_model(args.architecture).eval()
    size = network.visual.image_size
    height, width = (size, size) if isinstance(size, int) else size
    batches = [torch.randn(args.batch, 3, height, width) for _ in range(max(1, args.pictures // args.batch))]
    shapes = matrix_shapes(network, args.batch)

    with tempfile.TemporaryDirectory() as home, torch.inference_mode():
        whole, small = Path(home) / "float32.onnx", Path(home) / "int8.onnx"
        dynamic = {"pictures": {0: "n"}, "vectors": {0: "n"}}
        torch.backends.mha.set_fastpath_enabled(False)  # its fused operator has no counterpart in ONNX
        torch.onnx.export(
            Tower(network), (batches[0],), str(whole), input_names=["pictures"], output_names=["vectors"],
            dynamic_axes=dynamic, opset_version=17, dynamo=False,
        )  # fmt: skip
        torch.backends.mha.set_fastpath_enabled(True)
        shutil.copy(whole, small)
        quantize_products(small, args.architecture)
        runtimes = {"onnxruntime": session(whole, args.threads), "onnxruntime_int8": session(small, args.threads)}

        def with_onnx(name: str) -> np.ndarray:
            return np.concatenate([runtimes[name].run(None, {"pictures": batch.numpy()})[0] for batch in batches])

        sides: dict[str, Callable[[], np.ndarray]] = {
            "eager": lambda: np.concatenate([network.encode_image(batch).numpy() for batch in batches]),
            **{name: (lambda name=name: with_onnx(name)) for name in runtimes},  # type: ignore[misc]
        }
        seconds: dict[str, list[float]] = {name: [] for name in (*sides, "roofline")}
        vectors: dict[str, np.ndarray] = {}
        for side in sides.values():
            side()
        for turn in range(args.rounds):
            names = list(sides)
            for name in names[turn % 3 :] + names[: turn % 3]:
                start = time.perf_counter()
                vectors[name] = sides[name]()
                seconds[name].append(time.perf_counter() - start)
            seconds["roofline"].append(sum(roofline(shapes) for _ in batches))

    unit = {name: v / np.linalg.norm(v, axis=1, keepdims=True) for name, v in vectors.items()}
    count = args.batch * len(batches)

    def ratio(of: str, to: str) -> float:
        return round(statistics.median(b / a for a, b in zip(seconds[of], seconds[to], strict=True)), 3)

    print(
        json.dumps(
            {
                "architecture": args.architecture,
                "threads": args.threads,
                "batch": args.batch,
                "gigaflop_per_picture": round(sum(2 * m * k * n for m, k, n in shapes) / args.batch / 1e9, 2),
                "pictures_per_second": {name: round(count / statistics.median(times), 2) for name, times in seconds.items()},
                "times_eager": {name: ratio(name, "eager") for name in seconds if name != "eager"},
                "share_of_roofline": {name: ratio(name, "roofline") for name in sides},
                "smallest_cosine": {name: float((unit[name] * unit["eager"]).sum(axis=1).min()) for name in runtimes},
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
