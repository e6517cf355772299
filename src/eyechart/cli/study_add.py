"""`eyechart study add`: add published tables, or your own findings, to a study. Adding a table again replaces its rows."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.cli.options import add_json
from eyechart.cli.printing import print_json, say
from eyechart.cli.study_options import add_study
from eyechart.errors import UsageError
from eyechart.notice import Notice, counted

if TYPE_CHECKING:
    from eyechart.study.importers.text_files import Imported

KINDS = ("open_clip", "timm", "testbed", "model_soups", "robustbench", "imagenet_x", "per_class", "findings")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--from", dest="kind", required=True, choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument(
        "sources", nargs="+", metavar="SOURCE", help="files, folders or https addresses; for findings, folders of examinations"
    )
    parser.add_argument(
        "--as", dest="renamed", action="append", default=[], metavar="DATASET=MEASURE",
        help="with findings: your dataset is a published one, such as photos=imagenet; repeatable",
    )  # fmt: skip
    add_study(parser)
    add_json(parser)
    parser.set_defaults(run=run, if_interrupted="the study was not changed")


def run(args: argparse.Namespace) -> int:
    from eyechart.study.study_file import add_to_study, default_study_path, read_study

    path = args.study or default_study_path()
    read_study(path, may_be_new=True)  # what is not a study is refused before anything is fetched
    rows, models, notices, tables = 0, set[str](), list["Notice"](), []
    for imported in _import(args):
        tables.append(imported.table)
        rows += imported.table.num_rows
        models |= set(imported.table["model"].unique().to_pylist())
        notices += imported.notices
    study = add_to_study(path, tables)
    if args.json:
        known = {"study": str(path), "rows": rows, "models": len(models), "rows_in_all": study.num_rows}
        print_json(known | {"notices": [str(n) for n in notices]})
        return 0
    say(
        f"{counted(rows, 'value')} of {counted(len(models), 'model')} from {args.kind}; the study {path} has "
        f"{counted(study.num_rows, 'value')}"
    )
    for notice in notices:
        say(f"note: {notice}")
    return 0


def _import(args: argparse.Namespace) -> "list[Imported]":
    from eyechart.study.importers.registry import FINDINGS, TABLES
    from eyechart.study.sources import open_tables

    if args.kind != FINDINGS:
        if args.renamed:
            raise UsageError("--as applies only to your own findings (--from findings)")
        return [TABLES.get(args.kind)(open_tables(args.sources))]
    from eyechart.study.importers.findings import read_findings

    return [read_findings(Path(folder), renamed_of(args.renamed)) for folder in args.sources]


def renamed_of(texts: list[str]) -> dict[str, str]:
    """DATASET=MEASURE as a mapping; the measure must be one that published tables have."""
    from eyechart.errors import did_you_mean
    from eyechart.study.measures import known_measures

    renamed = {}
    for text in texts:
        dataset, equals, measure = text.rpartition("=")
        if not equals or not dataset:
            raise UsageError(f"--as {text}: expected DATASET=MEASURE, such as photos=imagenet")
        if measure not in known_measures():
            hint = did_you_mean(measure, known_measures())
            raise UsageError(f"--as {text}: no published table has a measure {measure!r}{hint}")
        renamed[dataset] = measure
    return renamed
