"""Rates of the store beside plain np.save and np.load in the same run: `python benchmarks/store.py [VECTORS] [WIDTH]`.

Both write to the same disk and are synced to it; what is read comes from the page cache in both cases.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from eyechart.store import Store

MODEL = "be" * 32
PUT_ROWS = 4096


def timed(what: str, vectors: int, work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    print(f"  {what:<52} {seconds:8.3f} s {vectors / seconds:14,.0f} vectors/s")
    return seconds


def main(vectors: int = 200_000, width: int = 512) -> None:
    rng = np.random.default_rng(0)
    raw = rng.bytes(32 * vectors)
    keys = [raw[at : at + 32] for at in range(0, len(raw), 32)]
    values = rng.standard_normal((vectors, width), dtype=np.float32)
    order = rng.permutation(vectors)
    shuffled = [keys[i] for i in order]
    print(f"{vectors:,} vectors of width {width} ({values.nbytes / 1e6:,.0f} MB)")
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.npy"
        store_path = Path(folder) / "store"

        def save() -> None:
            with plain.open("wb") as file:
                np.save(file, values)
                file.flush()
                os.fsync(file.fileno())

        def put() -> None:
            shelf = Store(store_path).shelf(MODEL, "image")
            for start in range(0, vectors, PUT_ROWS):
                shelf.put(keys[start : start + PUT_ROWS], values[start : start + PUT_ROWS])

        saved = timed("np.save, one file", vectors, save)
        stored = timed(f"store: put, {PUT_ROWS} at a time, each durable", vectors, put)
        loaded = timed("np.load, then rows in another order", vectors, lambda: np.load(plain)[order])
        opened = timed("store: open and index", vectors, lambda: Store(store_path).shelf(MODEL, "image").refresh())
        got = timed(
            "store: open, index and get in another order", vectors, lambda: Store(store_path).shelf(MODEL, "image").get(shuffled)
        )
        timed("store: compact to one segment", vectors, lambda: Store(store_path).compact())
        timed("store: the same get after compaction", vectors, lambda: Store(store_path).shelf(MODEL, "image").get(shuffled))
        timed("store: verify", vectors, lambda: Store(store_path).verify())
        got_values = Store(store_path).shelf(MODEL, "image").get(shuffled)
        if not np.array_equal(got_values, values[order]):
            raise SystemExit("the store gave other vectors than were put")
        print(f"put takes {stored / saved:.1f} times np.save; open and get {got / loaded:.1f} times np.load; open {opened:.2f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
