"""Millions of predictions: memory of writing the table, and of a query, beside what was there before.

python benchmarks/predictions_scale.py --rows 10000000
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from eyechart.findings.prediction_query import PredictionQuery, select_predictions
from eyechart.findings.predictions import Predictions, read_predictions, write_part, write_predictions

PART = 1_000_000


def anonymous() -> float:
    """Megabytes of this process, without mapped files."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return int(fields["RssAnon"].split()[0]) / 1024


def part(number: int, rows: int) -> Predictions:
    rng = np.random.default_rng(number)
    names = [f"class {n}" for n in range(1000)]
    top = rng.integers(0, 1000, (rows, 5))
    p = np.sort(rng.dirichlet(np.ones(5), rows).astype(np.float32), axis=1)[:, ::-1]
    return Predictions(
        ids=[f"photos/{number:02d}/{row:08d}.jpg" for row in range(rows)], clusters=np.arange(rows), labels=names, titles=names,
        truth=rng.integers(0, 1000, rows), top=top, probabilities=p, margin=p[:, 0] - p[:, 1], rank=rng.integers(0, 1000, rows),
        ood_score=p[:, 0], prompts="single",
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as work:
        files = []
        for number in range(max(1, rows // PART)):
            files.append(Path(work) / f"{number}.predictions")
            write_part(files[-1], [part(number, min(rows, PART))], model=f"m{number}", dataset="photos", roles={"photos": "exam"})
        before, began = anonymous(), time.process_time()
        table = Path(work) / "predictions.parquet"
        write_predictions(table, files)
        written, middle = anonymous(), time.process_time()
        file = read_predictions(table)
        queries = {
            "all models": PredictionQuery(sort="confidence", limit=20),
            "one model": PredictionQuery(model="m0", sort="confidence", limit=20),
        }
        size = table.stat().st_size / 1e6
        print(f"{file.metadata.num_rows:,} rows, {size:,.0f} MB, written: +{written - before:.0f} MB, {middle - began:.0f} CPU s")
        for name, query in queries.items():
            began = time.process_time()
            (found,) = select_predictions(file, query)
            seconds = time.process_time() - began
            print(f"{name}: the first {found.num_rows} rows with +{anonymous() - before:.0f} MB in {seconds:.1f} CPU s")


if __name__ == "__main__":
    main()
