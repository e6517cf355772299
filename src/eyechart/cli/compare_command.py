"""`eyechart compare`: models of one run or of several on the same pictures, with paired intervals and changed predictions."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.cli.options import add_json, results_folder
from eyechart.cli.output_files import output_file
from eyechart.cli.printing import print_json, say

if TYPE_CHECKING:
    import pyarrow as pa


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs", type=results_folder, nargs="+", metavar="RUN", help="folders of examinations, the reference first"
    )
    parser.add_argument("--model", action="append", default=[], metavar="M", help="compare only these models; repeatable")
    add_json(parser)
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write every changed prediction to this file")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write compare.json and changed.csv to this folder")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.cli.comparison_text import comparison_lines
    from eyechart.comparison.compare import compare

    comparison = compare(*args.runs, models=args.model)
    written = []
    if args.csv:
        written.append(_write_csv(args.csv, comparison.changed))
    if args.out:
        written.append(_write_csv(args.out / "changed.csv", comparison.changed))
        written.append(_write_json(args.out / "compare.json", comparison.to_dict()))
    if args.json:
        print_json(comparison.to_dict())
        return 0
    say(*comparison_lines(comparison))
    for path in written:
        say(f"written: {path}")
    return 0


def _write_csv(path: Path, table: "pa.Table") -> Path:
    from pyarrow import csv

    with output_file(path) as unfinished:
        csv.write_csv(table, unfinished)
    return path


def _write_json(path: Path, content: dict[str, object]) -> Path:
    with output_file(path) as unfinished:
        unfinished.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
