"""Shift and corruption on 50,000 pictures × 1,000 classes, against the bare product of the scores.

    python benchmarks/shift.py [--pictures 50000] [--classes 1000] [--width 512] [--rounds 3]

The source has that many pictures; beside it stand a shifted set of a fifth of them with all classes, one with a fifth of these,
and a corrupted one of fifteen cells. Both sides work on the same vectors in the same run and take turns. Prints the median ratio
of the probes' time to that of one product, the seconds beyond it, and the largest memory of the process.
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.models.card import ModelCard
from eyechart.probes.corruption import corruption
from eyechart.probes.probe import Given
from eyechart.probes.shift import shift
from eyechart.prompts.prompt_set import PromptSet


class NoPictures:
    """Nobody looks at the pictures: the vectors are there."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


class Bench:
    def __init__(self, classes: int, width: int) -> None:
        self.rng = np.random.default_rng(0)
        self.names = [f"class {i}" for i in range(classes)]
        self.place = {name: i for i, name in enumerate(self.names)}
        self.heads = unit(self.rng.standard_normal((classes, width), dtype=np.float32))

    def given(self, n: int, name: str, kept: int, **columns: Any) -> Given:
        truth = self.rng.integers(0, kept, n)
        noise = self.rng.standard_normal((n, self.heads.shape[1]), dtype=np.float32)
        images = unit(self.heads[truth] + np.float32(3 / np.sqrt(self.heads.shape[1])) * noise)
        classes = ClassList("bench", tuple(PictureClass(text, text) for text in self.names[:kept]))
        table = pa.table({"id": [f"{name}-{i}" for i in range(n)], "label": [self.names[t] for t in truth], **columns})
        return Given(
            model="bench",
            card=ModelCard("bench", "bench"),
            dataset=Dataset(name, table, NoPictures(n), classes, role="exam" if name == "source" else "shift"),
            images=images,
            clusters=np.arange(n),
            texts=lambda texts: self.heads[[self.place[text] for text in texts]],
            prompts=(PromptSet("bare", ("{}",), "bench"),),
            settings=None,
        )


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=50_000)
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    bench, n = Bench(args.classes, args.width), args.pictures
    cells, part = 15, max(1, n // 5)
    spoiled = {
        "attr.shift": [f"c{i // 5}" for i in range(cells) for _ in range(part // 5)],
        "attr.severity": [i % 5 + 1 for i in range(cells) for _ in range(part // 5)],
        "attr.source_id": [f"source-{i}" for _ in range(cells) for i in range(part // 5)],
    }
    sets = [
        bench.given(n, "source", args.classes),
        bench.given(part, "shifted", args.classes),
        bench.given(part, "fewer", max(2, args.classes // 5)),
        bench.given(cells * (part // 5), "corrupted", args.classes, **spoiled),
    ]
    rows = sum(len(g.images) for g in sets)

    def ask(probe: Any) -> None:
        source = {**sets[0].__dict__, "settings": probe.settings, "among": {g.dataset.name: g for g in sets}}
        probe.ask(Given(**source))

    def product() -> None:
        for given in sets:
            for start in range(0, len(given.images), 4096):
                (given.images[start : start + 4096] @ bench.heads.T).argmax(axis=1)

    ratios, extra = [], []
    for _ in range(args.rounds):
        bare, ours = timed(product), sum(timed(lambda p=p: ask(p)) for p in (shift, corruption))
        ratios.append(ours / bare)
        extra.append(ours - bare)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{rows:,} pictures x {args.classes:,} classes, width {args.width}")
    print(f"shift and corruption: {statistics.median(ratios):.2f} x one product, {statistics.median(extra):.1f} s beyond it")
    print(f"peak memory of the process: {peak:.2f} GB, of which vectors {sum(g.images.nbytes for g in sets) / 1024**3:.2f} GB")


if __name__ == "__main__":
    main()
