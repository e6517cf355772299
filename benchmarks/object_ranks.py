"""A million captions of four names × 90 names, ranked and counted with intervals: `python benchmarks/object_ranks.py [CAPTIONS]`.

The vectors come in blocks, as from a store. Prints the time of ranks and shares against that of the bare product of all scores in
the same blocks, and the peak resident memory; bounds: 60 s and 1 GB. All vectors at once would take 2 GB, all scores 360 MB.
"""

import resource
import sys
import time
from collections.abc import Iterator

import numpy as np

from eyechart.arrays import Floats
from eyechart.metrics.intervals.shared_names import named_share
from eyechart.metrics.scenes.object_ranks import object_ranks
from eyechart.metrics.vectors import unit

BOUND_SECONDS, BOUND_MB = 60, 1000
NAMES, COUNT, WIDTH, BLOCK = 90, 4, 512, 20_000


class Blocks:
    """Caption vectors, made when they are asked for; `spent` is the time that making them took, which is not ours to measure."""

    def __init__(self, targets: Floats, objects: np.ndarray) -> None:
        self.targets, self.objects, self.spent = targets, objects, 0.0
        self.noise = np.random.default_rng(1).standard_normal((BLOCK, WIDTH), dtype=np.float32) * np.float32(1 / WIDTH**0.5)

    def __iter__(self) -> Iterator[Floats]:
        for start in range(0, len(self.objects), BLOCK):
            began = time.perf_counter()
            rows = self.objects[start : start + BLOCK]
            summed = sum(self.targets[column] for column in rows.T) + self.noise[: len(rows)]
            block = unit(np.asarray(summed, np.float32))
            self.spent += time.perf_counter() - began
            yield block


def timed(blocks: Blocks, began: float) -> float:
    return time.perf_counter() - began - blocks.spent


def main(captions: int = 1_000_000) -> int:
    rng = np.random.default_rng(0)
    targets = unit(rng.standard_normal((NAMES, WIDTH), dtype=np.float32))
    sets = captions // COUNT
    first = np.argpartition(rng.random((sets, NAMES), dtype=np.float32), COUNT, axis=1)[:, :COUNT]
    objects = np.concatenate([np.roll(first, -turn, axis=1) for turn in range(COUNT)])
    clusters = np.tile(np.arange(sets), COUNT)

    blocks, began = Blocks(targets, objects), time.perf_counter()
    for block in blocks:
        (block @ targets.T).max()
    product = timed(blocks, began)

    blocks, began = Blocks(targets, objects), time.perf_counter()
    ranks = object_ranks(blocks, targets, objects)
    ranked = timed(blocks, began)
    kept = ranks.kept
    for column in ranks.top.T:
        named_share(column, objects, clusters=clusters)
        named_share(column * kept, objects, sizes=kept, clusters=clusters)
    whole = timed(blocks, began)

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1024)
    print(f"{len(objects):,} captions × {NAMES} names: product alone {product:.1f} s")
    print(f"ranks {ranked:.1f} s; with {2 * COUNT} shares and intervals {whole:.1f} s, bound {BOUND_SECONDS} s")
    print(f"peak memory {peak:.0f} MB, bound {BOUND_MB} MB; kept {kept.mean():.1%}, shares {np.round(ranks.shares(), 3)}")
    return int(whole > BOUND_SECONDS or peak > BOUND_MB)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
