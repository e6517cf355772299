"""Findings and predictions as CSV files, for spreadsheets and scripts. Texts are exact; CSV's quotes protect them."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import pyarrow as pa

from eyechart.files.atomic import atomic_path, remove_abandoned
from eyechart.findings.prediction_query import PredictionQuery, select_predictions
from eyechart.findings.predictions import SCHEMA, TOP
from eyechart.findings.run import Run
from eyechart.report.exports.options import ExportOptions


def write_csv_tables(run: Run, folder: Path, options: ExportOptions) -> list[Path]:
    """`findings.csv`, and `predictions.csv` where the run has predictions."""
    findings = folder / "findings.csv"
    remove_abandoned(findings.parent, below=False)
    with atomic_path(findings) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as out:
        write_findings(out, run.findings)
    paths = [findings]
    if run.folder is not None and run.predictions_file.is_file():
        predictions = folder / "predictions.csv"
        pieces = select_predictions(run.open_predictions(), PredictionQuery())
        with atomic_path(predictions) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as out:
            write_predictions(out, pieces)
        paths.append(predictions)
    return paths


def write_findings(out: IO[str], findings: pa.Table) -> None:
    """All columns; numbers with all digits, so that a reader gets the same values."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(findings.column_names)
    for batch in findings.to_batches():
        writer.writerows(row.values() for row in batch.to_pylist())


def write_predictions(out: IO[str], pieces: Iterable[pa.Table]) -> int:
    """One row per picture and classifier, with columns for each of the five classes; returns the number of rows."""
    flat = [name for name in SCHEMA.names if not name.startswith("top5_")]
    ranked = [f"{what}_{place}" for place in range(1, TOP + 1) for what in ("label", "class", "probability")]
    writer, rows = csv.writer(out, lineterminator="\n"), 0
    writer.writerow([*flat, *ranked])
    for piece in pieces:
        for row in piece.to_pylist():
            top = zip(row["top5_labels"], row["top5_classes"], row["top5_probabilities"], strict=True)
            row["attributes"] = "; ".join(row["attributes"])
            cells = [*(row[name] for name in flat), *(cell for entry in top for cell in entry)]
            writer.writerow([f"{cell:.7g}" if isinstance(cell, float) else cell for cell in cells])
        rows += piece.num_rows
    return rows
