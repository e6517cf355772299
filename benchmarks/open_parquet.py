"""How long a Parquet dataset of a million rows takes to open, beside pyarrow's bare read of the same columns.

python benchmarks/open_parquet.py [ROWS]
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from eyechart.data.open import open_dataset

REPEATS = 5


def write(path: Path, rows: int, *, shuffled: bool, inline: bool) -> list[str]:
    """A table as people have them: pictures (named or inside), a label of 1,000, a caption, two attributes."""
    random = np.random.default_rng(0)
    order = random.permutation(rows) if shuffled else np.arange(rows)
    columns: dict[str, object] = {"path": [f"images/{n // 1000:04d}/{n:08d}.jpg" for n in order]}
    if inline:
        columns = {"id": columns["path"], "image": [b"\xff\xd8 picture %d" % n for n in range(rows)]}
    columns["label"] = pa.array([f"class {n:04d}" for n in range(1000)]).take(pa.array(random.integers(0, 1000, rows)))
    columns["caption"] = [f"a photo of thing number {n}" for n in range(rows)]
    columns["light"] = pa.array(["dim", "day", "night"]).take(pa.array(random.integers(0, 3, rows)))
    columns["size"] = random.random(rows)
    table = pa.table(columns)
    pq.write_table(table, path, row_group_size=100_000)
    return [name for name in table.column_names if name != "image"]


def median_of(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{rows:,} rows, median of {REPEATS}")
    with tempfile.TemporaryDirectory() as folder:
        for name, shuffled, inline in (
            ("paths in order", False, False),
            ("paths shuffled", True, False),
            ("bytes inside", True, True),
        ):
            path = Path(folder) / "pictures.parquet"
            columns = write(path, rows, shuffled=shuffled, inline=inline)
            ours = median_of(lambda path=path: open_dataset(path))
            bare = median_of(lambda path=path, columns=columns: pq.read_table(path, columns=columns))
            print(f"{name:16} open_dataset {ours:.3f} s   pyarrow.read_table {bare:.3f} s   ratio {ours / bare:.1f}")


if __name__ == "__main__":
    main()
