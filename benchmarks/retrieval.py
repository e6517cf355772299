"""Retrieval of 25,000 captions × 5,000 pictures, both directions, with intervals: `python benchmarks/retrieval.py [PICTURES]`.

Prints the time of the whole probe against that of the bare product of all scores, computed a block at a time as well, and the
peak resident memory, vectors and all; its bound is 1 GB. The whole matrix would take 500 MB, and sorting it 1 GB more.
"""

import resource
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from eyechart.arrays import Floats
from eyechart.data.dataset import Dataset
from eyechart.data.file_pictures import file_pictures
from eyechart.metrics.vectors import unit
from eyechart.models.card import ModelCard
from eyechart.probes.contract import ProbeInput
from eyechart.probes.retrieval import Settings, retrieval

BOUND_MB = 1000
CAPTIONS, WIDTH = 5, 512


def inputs(pictures: int) -> tuple[ProbeInput, Floats]:
    rng = np.random.default_rng(0)
    images = unit(rng.standard_normal((pictures, WIDTH), dtype=np.float32))
    noise = rng.standard_normal((pictures * CAPTIONS, WIDTH), dtype=np.float32)
    texts = unit(np.repeat(images, CAPTIONS, axis=0) + noise * np.float32(6 / WIDTH**0.5))
    said = [[f"{i}-{j}" for j in range(CAPTIONS)] for i in range(pictures)]
    ids = pa.array([str(i) for i in range(pictures)])
    table = pa.table({"id": ids, "captions": pa.array(said, pa.list_(pa.string()))})
    place = {text: row for row, text in enumerate(text for of_picture in said for text in of_picture)}
    dataset = Dataset("captions", table, file_pictures(Path(), ids))
    return (
        ProbeInput(
            model="benchmark",
            card=ModelCard("benchmark", "benchmark"),
            dataset=dataset,
            images=images,
            clusters=np.arange(pictures),
            texts=lambda asked: texts[[place[text] for text in asked]],
            prompts=(),
            settings=Settings(),
        ),
        texts,
    )


def peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1024


def main(pictures: int = 5000) -> None:
    made, texts = inputs(pictures)
    columns = np.ascontiguousarray(made.images.T)
    start = time.perf_counter()
    for row in range(0, len(texts), 1000):
        texts[row : row + 1000] @ columns
    product = time.perf_counter() - start
    before = peak_mb()
    start = time.perf_counter()
    answer = retrieval.ask(made)
    asked = time.perf_counter() - start
    found = {f.metric: f.value for f in answer.findings}
    print(
        f"{len(texts):,} captions × {pictures:,} pictures: R@1 {found['text_to_image_r1']:.3f}, {found['image_to_text_r1']:.3f}"
    )
    print(f"{asked:.1f} s, {asked / product:.1f} × the bare product ({product:.1f} s)")
    print(f"peak resident memory: {peak_mb():,.0f} MB ({before:,.0f} MB before)")
    if peak_mb() > BOUND_MB:
        raise SystemExit(f"more than {BOUND_MB} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
