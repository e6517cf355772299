"""Retrieval of 25,000 captions × 5,000 pictures, both directions, with intervals, against the bare product of all scores.

    python benchmarks/retrieval.py [--pictures 5000] [--captions 25000] [--of 200000]
    python benchmarks/retrieval.py --captions 1000000 --pictures 10000 --of 200000      # some minutes

Scores are computed a block at a time; the whole matrix would take 500 MB at the first size, and 40 GB at the second. Printed: the
time of the whole probe and its ratio to the bare product, computed in blocks as well, and the peak of memory beside the vectors,
which may be 1 GB at most. `--of`: the time for so many pictures, computed from the number of products and marked so.
"""

import argparse
import resource
import sys
import time
from collections.abc import Sequence
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
WIDTH = 512


def inputs(pictures: int, captions: int) -> tuple[ProbeInput, Floats]:
    """`captions` of each picture."""
    rng = np.random.default_rng(0)
    images = unit(rng.standard_normal((pictures, WIDTH), dtype=np.float32))
    texts = rng.standard_normal((pictures * captions, WIDTH), dtype=np.float32)
    texts *= np.float32(6 / WIDTH**0.5)
    for j in range(captions):
        texts[j::captions] += images
    unit(texts, out=texts)
    said = [[f"{i:09}-{j:05}" for j in range(captions)] for i in range(pictures)]  # as sorted, so that no vector is moved
    ids = pa.array([str(i) for i in range(pictures)])
    table = pa.table({"id": ids, "captions": pa.array(said, pa.list_(pa.string()))})
    place = {text: row for row, text in enumerate(text for of_picture in said for text in of_picture)}

    def vectors(asked: Sequence[str]) -> Floats:
        rows = np.fromiter((place[text] for text in asked), np.int64, len(asked))
        return texts if np.array_equal(rows, np.arange(len(texts))) else texts[rows]

    dataset = Dataset("captions", table, file_pictures(Path(), ids))
    return (
        ProbeInput(
            model="benchmark",
            card=ModelCard("benchmark", "benchmark"),
            dataset=dataset,
            images=images,
            clusters=np.arange(pictures),
            texts=vectors,
            prompts=(),
            settings=Settings(),
        ),
        texts,
    )


def peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=5000)
    parser.add_argument("--captions", type=int, help="of all pictures together (default: five of each)")
    parser.add_argument("--of", type=int, help="also compute the time for so many pictures")
    args = parser.parse_args()
    made, texts = inputs(args.pictures, max(1, (args.captions or 5 * args.pictures) // args.pictures))
    columns = np.ascontiguousarray(made.images.T)
    rows = max(1, (1 << 23) // args.pictures)
    start, used = time.perf_counter(), time.process_time()
    for row in range(0, len(texts), rows):
        texts[row : row + rows] @ columns
    product, product_used = time.perf_counter() - start, time.process_time() - used
    before = peak_mb()
    start, used = time.perf_counter(), time.process_time()
    answer = retrieval.ask(made)
    asked, asked_used = time.perf_counter() - start, time.process_time() - used
    found = {f.metric: f.value for f in answer.findings}
    recalls = f"R@1 {found['text_to_image_r1']:.3f}, {found['image_to_text_r1']:.3f}"
    print(f"{len(texts):,} captions × {args.pictures:,} pictures: {recalls}")
    print(f"{asked:.1f} s, {asked / product:.1f} × the bare product ({product:.1f} s)")
    print(f"processor seconds: {asked_used:.1f}, {asked_used / product_used:.1f} × those of the product ({product_used:.1f})")
    if args.of:
        print(f"computed, not measured: {asked * args.of / args.pictures:,.0f} s for {args.of:,} pictures")
    print(f"peak resident memory: {peak_mb():,.0f} MB ({before:,.0f} MB before, with the vectors)")
    if peak_mb() - before > BOUND_MB:
        raise SystemExit(f"more than {BOUND_MB} MB beside the vectors")


if __name__ == "__main__":
    main()
