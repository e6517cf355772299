"""`eyechart study place`: rank a model among all others, and compute its effective robustness on every shift."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.cli.options import add_json, positive
from eyechart.cli.printing import print_json, print_table, say
from eyechart.cli.study_options import (
    add_fitting,
    add_page,
    add_study,
    as_json,
    check_page,
    distance_texts,
    opened,
    print_end,
    settings_of,
    tables_line,
    write_page,
)
from eyechart.errors import UsageError
from eyechart.notice import counted

if TYPE_CHECKING:
    from eyechart.notice import Notice
    from eyechart.report.exhibit_page import ExhibitPage
    from eyechart.study.open_study import OpenedStudy
    from eyechart.study.placing import Placement, Standing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL|DIR", help="a model of the study, or the folder of an examination")
    parser.add_argument(
        "--as", dest="renamed", action="append", default=[], metavar="DATASET=MEASURE",
        help="with a folder: your dataset is a published one, such as photos=imagenet; repeatable",
    )  # fmt: skip
    add_fitting(parser, baseline="standard")
    parser.add_argument("--limit", type=positive, default=24, metavar="N", help="measures to print (default: 24)")
    parser.add_argument("--all", action="store_true", help="also list measures that no other model has")
    add_page(parser)
    add_study(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.study.baselines import find_baseline
    from eyechart.study.placing import place

    check_page(args)
    study, models, notices = _open(args)
    found = [place(study.table, model, find_baseline(args.baseline), settings_of(args)) for model in models]
    notices += tuple(notice for placement in found for notice in placement.notices)
    page = write_page(args, _page(found, notices, tables_line(study.used)))
    if args.json:
        records = {p.model: [asdict(standing) for standing in p.standings] for p in found}
        tables = [{"origin": t.origin, "models": t.models, "shipped": t.shipped is not None} for t in study.used]
        print_json(as_json({"models": records, "tables": tables, "page": page, "notices": [str(n) for n in notices]}))
        return 0
    for placement in found:
        _print_placement(placement, args.limit, every=args.all)
    print_end(notices, page, tables_line(study.used))
    return 0


def _print_placement(placement: "Placement", limit: int, *, every: bool) -> None:
    """The measures that other models have too; the others have no rank."""
    listed = [standing for standing in placement.standings if every or standing.of > 1]
    if listed:
        print_table(_HEADS, [_cells(s) for s in listed[:limit]], title=placement.model)
    if (more := len(listed) - limit) > 0:
        say(f"and {more:,} more measures; see them with --limit {len(listed)}")
    alone = len(placement.standings) - len(listed)
    if alone and listed:
        say(f"and {counted(alone, 'measure')} that no other model has; --all lists them")
    elif alone:
        say(
            f"{placement.model}: no other model has any of its {counted(alone, 'measure')}, so there is no rank; --all lists them"
        )


def _open(args: argparse.Namespace) -> "tuple[OpenedStudy, list[str], tuple[Notice, ...]]":
    """The study (with the examination where a folder is given; nothing is written), and the models to place."""
    from eyechart.cli.study_add import renamed_of
    from eyechart.findings.mark import is_examination
    from eyechart.study.importers.findings import read_findings

    study, folder = opened(args), Path(args.model)
    if not (folder.is_dir() and is_examination(folder)):
        if args.renamed:
            raise UsageError(f"--as needs the folder of an examination, and {args.model} is not one")
        return study, [args.model], ()
    imported = read_findings(folder, renamed_of(args.renamed))
    return study.with_findings(imported.table), imported.table["model"].unique().to_pylist(), imported.notices


_HEADS = ["measure", "prompts", "pictures", "value", "rank", "expected", "effective robustness", "95% interval", "line"]


def _cells(s: "Standing") -> list[str]:
    from eyechart.findings.numbers import format_value

    value = format_value(s.value, s.unit)
    pictures = (f"{s.n:,}" if s.n else "") + (f" ({s.half} half)" if s.half else "")
    rank = f"{s.rank:,} of {s.of:,}" if s.of > 1 else ""
    if s.robustness is None or s.expected is None or s.low is None or s.high is None:
        return [s.measure, s.prompts or "", pictures, value, rank, "", "", "", ""]
    above = [format_value(s.expected, s.unit), *distance_texts(s.robustness, s.low, s.high, s.unit), s.line or ""]
    return [s.measure, s.prompts or "", pictures, value, rank, *above]


def _page(found: "list[Placement]", notices: "tuple[Notice, ...]", tables: str) -> "ExhibitPage":
    import pyarrow as pa

    from eyechart.findings.exhibit import Exhibit
    from eyechart.report.exhibit_page import ExhibitPage, Section
    from eyechart.study.exhibits import trend_exhibit

    sections = []
    for placement in found:
        rows = [dict(zip(_HEADS, _cells(standing), strict=True)) for standing in placement.standings]
        table = pa.Table.from_pylist(rows)
        if not any(row["prompts"] for row in rows):
            table = table.drop_columns(["prompts"])
        sentence = (
            "Its rank in every measure, and its effective robustness on each shift: the distance above the line of the baseline."
        )
        heading = f"{placement.model} among published models" if len(found) > 1 else "Among published models"
        charts = (trend_exhibit(trend) for trend in placement.trends)
        sections.append(Section(heading, "", (*charts, Exhibit("standing", "All measures", sentence, table, kind="table"))))
    return ExhibitPage("Study", ", ".join(p.model for p in found), f"among published models ({tables})", tuple(sections), notices)
