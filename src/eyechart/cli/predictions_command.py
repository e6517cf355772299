"""`eyechart predictions`: what was predicted for each picture, chosen by class and correctness, as a table, CSV or JSON."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from eyechart.cli.options import add_json, positive
from eyechart.cli.output_files import output_file
from eyechart.cli.printing import print_table, say
from eyechart.errors import UsageError
from eyechart.notice import counted

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 20  # rows of a table for people; CSV and JSON have all rows
_SORTS = ("confidence", "margin", "rank", "ood")  # as findings.prediction_query.ORDERS, which would load pyarrow here


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of an examination")
    parser.add_argument("--model", metavar="M", help="only this model, as the findings call it")
    parser.add_argument("--dataset", metavar="D", help="only pictures of this dataset")
    parser.add_argument("--prompts", metavar="P", help="only this prompt set")
    parser.add_argument("--class", dest="label", metavar="C", help="only pictures of this class (label or class name)")
    parser.add_argument("--predicted", metavar="C", help="only pictures that were predicted as this class")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--wrong", action="store_true", help="only wrong predictions")
    which.add_argument("--right", action="store_true", help="only correct predictions")
    parser.add_argument(
        "--sort",
        choices=_SORTS,
        help="confidence: highest first; margin: closest decisions first; rank: true class farthest down first; "
        "ood: lowest OOD score first, so the least in-distribution",
    )
    parser.add_argument("--reverse", action="store_true", help="turn the order of --sort around")
    parser.add_argument("--limit", type=positive, metavar="N", help=f"at most N rows (default: {SHOWN}; all for CSV and JSON)")
    parser.add_argument("--csv", action="store_true", help="print CSV, with a column for each of the five classes")
    add_json(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead: .csv, or .json with --json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.findings.prediction_query import PredictionQuery, count_predictions, select_predictions
    from eyechart.findings.predictions import read_predictions
    from eyechart.findings.run import read_run
    from eyechart.report.exports.csv_tables import write_predictions

    if args.csv and args.json:
        raise UsageError("--csv and --json exclude each other")
    if args.reverse and not args.sort:
        raise UsageError("--reverse needs --sort")
    to_csv = args.csv or (args.out is not None and not args.json)
    query = PredictionQuery(
        model=args.model,
        dataset=args.dataset,
        prompts=args.prompts,
        label=args.label,
        predicted=args.predicted,
        correct=False if args.wrong else True if args.right else None,
        sort=args.sort,
        reverse=args.reverse,
        limit=args.limit if args.limit or to_csv or args.json else SHOWN,
    )
    file = read_predictions(read_run(args.folder).predictions_file)
    pieces = select_predictions(file, query)
    if to_csv or args.json:
        with _output(args.out) as out:
            rows = write_predictions(out, pieces) if to_csv else _write_json(out, pieces)
        if args.out:
            say(f"{counted(rows, 'prediction')}: {args.out}")
    else:
        _print_rows([row for piece in pieces for row in piece.to_pylist()], count_predictions(file, query))
    return 0


@contextmanager
def _output(path: Path | None) -> Iterator[IO[str]]:
    """Standard output, or a file that appears when it is complete."""
    if path is None:
        yield sys.stdout
        return
    with output_file(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
        yield file


def _write_json(out: IO[str], pieces: "Iterable[pa.Table]") -> int:
    """One JSON document, a list with one object per row, written piece by piece."""
    rows = 0
    out.write("[")
    for piece in pieces:
        for row in piece.to_pylist():
            out.write((",\n " if rows else "\n ") + json.dumps(row))
            rows += 1
    out.write("\n]\n")
    return rows


def _print_rows(rows: list[dict[str, Any]], of: int) -> None:
    if not rows:
        say("no prediction matches")
        return
    constant = {name: rows[0][name] for name in ("model", "dataset", "prompts") if _same(rows, name)}
    varying = [name for name in ("model", "dataset", "prompts") if name not in constant]
    say(", ".join(f"{name} {value}" for name, value in constant.items() if value is not None))
    columns = [*varying, "id", "class", "predicted", "confidence", "margin", "rank", "OOD score"]
    print_table(columns, [[*(row[name] or "–" for name in varying), *_cells(row)] for row in rows])
    more = "; --limit N shows more, --csv gives all" if len(rows) < of else ""
    say(f"{len(rows):,} of {counted(of, 'prediction')} that match{more}")


def _same(rows: list[dict[str, Any]], name: str) -> bool:
    return all(row[name] == rows[0][name] for row in rows)


def _cells(row: dict[str, Any]) -> list[str]:
    def number(value: float | None, form: str) -> str:
        return "–" if value is None else format(value, form)

    return [
        row["id"],
        row["class"] or "–",
        row["predicted_class"],
        number(row["confidence"], ".1%"),
        "–" if row["margin"] is None else f"{100 * row['margin']:.1f} points",
        number(row["rank"], "d"),
        number(row["ood_score"], ".4g"),
    ]
