"""What the checksums of stored vectors cost a second examination: with them, against the same without them.

python benchmarks/checksums.py

The second examination encodes nothing: it maps 50,000 vectors of width 512, checks every block once, and runs the probes again.
"""

import contextlib
import io
import os
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
from PIL import Image

COUNT, CLASSES, WIDTH, ROUNDS = 50_000, 100, 512, 8


def write_pictures(folder: Path) -> None:
    """Tiny pictures, each with its number in its pixels."""
    for c in range(CLASSES):
        (folder / f"class {c}").mkdir(parents=True)
    for i in range(COUNT):
        pixels = np.frombuffer(i.to_bytes(12, "big"), np.uint8).reshape(2, 2, 3)
        Image.fromarray(pixels).save(folder / f"class {i % CLASSES}" / f"{i}.png", compress_level=0)


def write_model(folder: Path) -> None:
    """A cheap network of the right width: a fixed random projection of the 12 numbers of a picture."""
    import json

    import onnx
    from onnx import TensorProto, helper, numpy_helper

    weights = np.random.default_rng(0).normal(size=(12, WIDTH)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("Flatten", ["pixel_values"], ["flat"]), helper.make_node("MatMul", ["flat", "w"], ["image_embeds"])],
        "projection",
        [helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, ["n", 3, 2, 2])],
        [helper.make_tensor_value_info("image_embeds", TensorProto.FLOAT, ["n", WIDTH])],
        [numpy_helper.from_array(weights, "w")],
    )
    folder.mkdir()
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(folder / "image.onnx"))
    names = [f"class {c}" for c in range(CLASSES)]
    np.savez(folder / "text.npz", names=np.array(names), emb=np.random.default_rng(1).normal(size=(CLASSES, WIDTH)).astype("f4"))
    image = {"file": "image.onnx", "input": "pixel_values", "output": "image_embeds", "size": 2, "resize": "squash",
             "crop": "none", "interpolation": "nearest", "mean": [0.5] * 3, "std": [0.25] * 3}  # fmt: skip
    described = {"format_version": 1, "image": image, "text": {"vectors": "text.npz"}, "logit_scale": 100.0}
    (folder / "model.json").write_text(json.dumps(described))


def second_run(folder: Path, number: str, *, checked: bool) -> float:
    """Processor seconds of an examination that finds all vectors in the store."""
    from eyechart.cli.main import main

    command = ["examine", "--model", f"onnx:{folder / 'model'}", "--data", str(folder / "pictures"), "--probes", "zero_shot"]
    command += ["--prompts", "bare", "--out", str(folder / f"out-{number}"), "--quiet"]
    skipped = contextlib.nullcontext() if checked else patch("eyechart.store.shelf.check_block", lambda block: None)
    start = time.process_time()
    with skipped, contextlib.redirect_stdout(io.StringIO()):
        assert main(command) == 0
    return time.process_time() - start


def seconds_of_both(folder: Path, number: int) -> tuple[float, float]:
    """With checksums and without, the first of the two in turns."""
    order = (True, False) if number % 2 else (False, True)
    seconds = {checked: second_run(folder, f"{number}-{checked}", checked=checked) for checked in order}
    return seconds[True], seconds[False]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["EYECHART_STORE"] = str(folder / "store")
        write_pictures(folder / "pictures")
        write_model(folder / "model")
        second_run(folder, "first", checked=True)
        rounds = [seconds_of_both(folder, i) for i in range(ROUNDS)]
    with_checks, without = np.median(rounds, axis=0)
    ratio = np.median([a / b for a, b in rounds])
    megabytes = COUNT * WIDTH * 4 / 1e6
    print(
        f"{COUNT:,} vectors of width {WIDTH} ({megabytes:.0f} MB): {with_checks:.2f} s of processor time with checksums, "
        f"{without:.2f} s without; median ratio of {ROUNDS} rounds {ratio:.3f} (limit 1.03)"
    )


if __name__ == "__main__":
    main()
