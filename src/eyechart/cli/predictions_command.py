"""`eyechart predictions`: what was predicted for each picture, chosen by class and correctness, as a table, CSV or JSON;
or the accuracy of each class."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, product
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from eyechart.cli.options import add_json, positive, results_folder
from eyechart.cli.output_files import output_file
from eyechart.cli.printing import Terminal, print_json, print_table, say
from eyechart.errors import DataError, UsageError, did_you_mean
from eyechart.notice import counted

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from eyechart.findings.run import Run

ALL = "all"  # prompt sets
SHOWN = 20  # rows of a table for people; CSV and JSON have all rows
_SORTS = ("confidence", "margin", "rank", "ood")  # as findings.prediction_query.ORDERS, which would load pyarrow here


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=results_folder, metavar="DIR", help="the folder of an examination")
    parser.add_argument("--model", metavar="M", help="only this model, as the findings call it")
    parser.add_argument("--dataset", metavar="D", help="only pictures of this dataset")
    parser.add_argument("--design", metavar="NAME", help="predictions among the classes of this class design")
    parser.add_argument("--prompts", metavar="P", help="this prompt set, or all; by default the first, which the verdict judges")
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="only pictures with this attribute; repeat it for several",
    )
    parser.add_argument("--class", dest="label", metavar="C", help="only pictures of this class (label or class name)")
    parser.add_argument("--predicted", metavar="C", help="only pictures that were predicted as this class")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--wrong", action="store_true", help="only wrong predictions")
    which.add_argument("--right", action="store_true", help="only correct predictions")
    parser.add_argument("--by-class", action="store_true", help="the accuracy of each class instead, the lowest first")
    parser.add_argument(
        "--sort",
        choices=_SORTS,
        help="confidence: highest first; margin: closest decisions first; rank: true class farthest down first; "
        "ood: lowest OOD score first, so the least in-distribution",
    )
    parser.add_argument("--reverse", action="store_true", help="turn the order of --sort around")
    parser.add_argument("--limit", type=positive, metavar="N", help=f"at most N rows (default: {SHOWN}; all for CSV and JSON)")
    parser.add_argument(
        "--csv",
        nargs="?",
        const=True,
        type=Path,
        metavar="FILE",
        help="print CSV, with a column for each of the five classes; with FILE, write it to this file",
    )
    add_json(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead: .csv, or .json with --json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.findings.prediction_query import PredictionQuery, count_predictions, select_predictions
    from eyechart.findings.run import read_run
    from eyechart.report.exports.csv_tables import write_predictions

    if args.csv and args.json:
        raise UsageError("--csv and --json exclude each other")
    if isinstance(args.csv, Path):
        if args.out is not None:
            raise UsageError("--csv FILE and --out FILE both name a file; give one")
        args.out = args.csv
    if args.reverse and not args.sort:
        raise UsageError("--reverse needs --sort")
    if args.by_class:
        return _by_class(args, read_run(args.folder))
    to_csv = args.csv or (args.out is not None and not args.json)
    examined = read_run(args.folder)
    query = PredictionQuery(
        model=args.model,
        dataset=args.dataset,
        design=args.design,
        prompts=None if args.prompts == ALL else args.prompts,
        without_prompts=() if args.prompts else tuple(examined.prompts[1:]),
        without_datasets=_copies(args, examined),
        where=tuple(_attribute(text) for text in args.where),
        label=args.label,
        predicted=args.predicted,
        correct=False if args.wrong else True if args.right else None,
        sort=args.sort,
        reverse=args.reverse,
        limit=args.limit if args.limit or to_csv or args.json else SHOWN,
    )
    file = examined.open_predictions()
    if not file.metadata.num_rows:
        raise DataError(_without_predictions(examined, args.folder))
    pieces = select_predictions(file, query)
    first = next(pieces, None)  # a name that no row has is an error before anything is written
    pieces = iter(()) if first is None else chain([first], pieces)
    if to_csv or args.json:
        with _output(args.out) as out:
            rows = write_predictions(out, pieces) if to_csv else _write_json(out, pieces)
        if args.out:
            say(f"{counted(rows, 'prediction')}: {args.out}")
    else:
        _print_rows([row for piece in pieces for row in piece.to_pylist()], count_predictions(file, query))
    return 0


def _without_predictions(examined: "Run", folder: Path) -> str:
    """That no picture was classified, and where the misses of retrieval are."""
    what = f"{folder} has no predictions: no picture was classified in this examination"
    missed = [placed for placed in examined.probe_exhibits("retrieval") if placed.exhibit.name.startswith("missed-")]
    if missed:
        page, files = folder / "report" / "index.html", folder / "exhibits" / "retrieval"
        return f"{what}; see {page} (All findings, R@1) or {files} for the queries that retrieval missed"
    return f"{what}; give pictures with labels, or class names (--classes FILE)"


def _copies(args: argparse.Namespace, examined: "Run") -> tuple[str, ...]:
    """Corrupted copies and other pictures that the examination made are listed where they are asked for: by name or attribute."""
    if args.dataset or args.where:
        return ()
    return tuple(name for name in examined.datasets if examined.dataset_facts(name).get("made"))


def _attribute(text: str) -> str:
    """Findings name a corruption; the attribute of its pictures is the shift."""
    return text.replace("corruption=", "shift=", 1) if text.startswith("corruption=") else text


def _by_class(args: argparse.Namespace, run: "Run") -> int:
    """Print the accuracy of each class, and what it is most often mistaken for, under the first prompt set."""
    from eyechart.report.class_rows import class_rows

    row_options = ("design", "prompts", "where", "label", "predicted", "wrong", "right", "sort", "csv", "out")
    if given := [name for name in row_options if getattr(args, name)]:
        flags = ", ".join("--class" if name == "label" else f"--{name}" for name in given)
        raise UsageError(f"--by-class lists classes; it takes no {flags}, which choose pictures")
    models = [_known("model", args.model, run.models)] if args.model else run.models
    datasets = [_known("dataset", args.dataset, run.datasets)] if args.dataset else run.datasets
    found = []
    file = run.open_predictions()
    for model, dataset in product(models, datasets):
        if rows := class_rows(run, model, dataset):
            mistakes = _mistakes(file, model, dataset, run.prompts)
            found += [{"model": model, "dataset": dataset, **row, **mistakes.get(row["class"], {})} for row in rows]
    found.sort(key=lambda row: row["value"])  # the worst of all datasets first
    if args.json:
        shown = [{k: v for k, v in row.items() if k not in ("text", "interval")} for row in found[: args.limit]]
        print_json(shown)
        return 0
    if not found:
        say("no class has an accuracy by zero_shot: there are no labels, or it was not run; the page has those of answers")
        return 0
    columns = ["model", "dataset", "class", "accuracy", "95% interval", "n", "most often mistaken for"]
    cells = [
        [row["model"], row["dataset"], row["class"], row["text"], row["interval"], f"{row['n']:,}", _mistaken_for(row)]
        for row in found[: args.limit or SHOWN]
    ]
    print_table(columns, cells)
    if len(cells) < len(found):
        say(f"{len(cells):,} of {counted(len(found), 'class', 'classes')}; --limit N shows more")
    return 0


def _mistakes(file: "pq.ParquetFile", model: str, dataset: str, prompts: list[str]) -> dict[str, dict[str, Any]]:
    """Class → the class that it is mistaken for most often, and how many pictures that are."""
    from eyechart.findings.prediction_query import PredictionQuery, count_confusions

    query = PredictionQuery(model=model, dataset=dataset, prompts=prompts[0] if prompts else None)
    most: dict[str, dict[str, Any]] = {}
    for (true, predicted), count in count_confusions(file, query).most_common():
        most.setdefault(true, {"mistaken_for": predicted, "mistakes": count})
    return most


def _mistaken_for(row: dict[str, Any]) -> str:
    return f"{row['mistaken_for']} ({row['mistakes']:,} of {row['n']:,})" if "mistakes" in row else "–"


def _known(what: str, name: str, names: list[str]) -> str:
    if name not in names:
        raise UsageError(f"there is no {what} {name!r}{did_you_mean(name, names)} (there are: {', '.join(names)})")
    return name


@contextmanager
def _output(path: Path | None) -> Iterator[IO[str]]:
    """Standard output, or a file that appears when it is complete."""
    if path is None:
        yield Terminal() if sys.stdout.isatty() else sys.stdout
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
