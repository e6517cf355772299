"""Precision and recall of suspected label errors that are planted in the embedded world; prints the table of docs/probes/lint.md.

python scripts/measure_lint.py
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import eyechart
from eyechart.cli.main import main
from eyechart.probes.lint import exhibits
from eyechart.store import Store

MODELS, RATES, SEEDS = ("demo:",), (0.01, 0.05, 0.10), range(5)


def measure(model: str, rate: float, table: pa.Table, folder: Path, store: Store) -> tuple[int, int, int]:
    """(planted, flagged, flagged and planted), summed over seeds."""
    labels, ids = np.array(table["label"].to_pylist()), np.array(table["id"].to_pylist())
    classes = sorted(set(labels))
    total = np.zeros(3, np.int64)
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        wrong = rng.choice(len(labels), round(rate * len(labels)), replace=False)
        planted = labels.copy()
        for row in wrong:
            planted[row] = rng.choice([name for name in classes if name != labels[row]])
        column = table.column_names.index("label")
        pq.write_table(table.set_column(column, "label", pa.array(planted)), folder / "planted.parquet")
        exam = eyechart.examine(
            model, folder / "planted.parquet", probes=["lint"], prompts="single", out=folder / "out", store=store
        )
        shown = [e.exhibit.table for e in exam.run.exhibits if e.exhibit.name == "suspected-label-errors"]
        flagged = set(shown[0]["id"].to_pylist()) if shown else set()
        total += [len(wrong), len(flagged), len(flagged & set(ids[wrong].tolist()))]
    return int(total[0]), int(total[1]), int(total[2])


def write() -> None:
    exhibits.SHOWN = 10_000  # all of them, not only those that the page shows
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        main(["world", "render", str(folder / "world"), "--dataset", "world-objects", "--quiet"])
        table, store = pq.read_table(folder / "world" / "dataset.parquet"), Store(folder / "store")
        print("| model | planted | precision | recall |\n| --- | ---: | ---: | ---: |")
        for model in MODELS:
            for rate in RATES:
                planted, flagged, hits = measure(model, rate, table, folder / "world", store)
                print(f"| `{model}` | {rate:.0%} ({planted}) | {hits / max(flagged, 1):.0%} | {hits / planted:.0%} |")


if __name__ == "__main__":
    write()
