"""`eyechart study show`: show the content of a study; with measures, the models that have them."""

import argparse
from typing import TYPE_CHECKING

from eyechart.cli.options import add_json, positive
from eyechart.cli.printing import print_json, print_table, say
from eyechart.cli.study_options import add_study, opened

if TYPE_CHECKING:
    import pyarrow as pa


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("measures", nargs="*", metavar="MEASURE", help="list the models with these measures, sorted by the first")
    parser.add_argument(
        "--find", metavar="TEXT", help="only models (or, without measures, only measures) with this text in their name"
    )
    parser.add_argument("--limit", type=positive, default=40, metavar="N", help="lines to print (default: 40)")
    add_study(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    study = opened(args)
    if args.measures:
        return _models(args, study.table)
    from eyechart.study.contents import measures_held

    used, measures = study.used, measures_held(study.table)
    found = [m for m in measures if (args.find or "").lower() in m["measure"].lower()]
    if args.json:
        origins = [{"origin": t.origin, "models": t.models, "values": t.values, "shipped": t.shipped is not None} for t in used]
        print_json({"origins": origins, "measures": found})
        return 0
    print_table(["table", "models", "values", "source"], [[t.origin, f"{t.models:,}", f"{t.values:,}", t.source] for t in used])
    titles = [m["title"] if m["title"] != m["measure"] else "" for m in found]
    rows = [
        [m["measure"], title, f"{m['models']:,}", m["against"] or "", ", ".join(m["origins"])]
        for m, title in zip(found, titles, strict=True)
    ]
    print_table(["measure", "title", "models", "compared with", "tables"], rows[: args.limit])
    if len(rows) > args.limit:
        say(f"and {len(rows) - args.limit} more measures; narrow them with --find, or see all with --limit {len(rows)}")
    return 0


def _models(args: argparse.Namespace, study: "pa.Table") -> int:
    from eyechart.findings.numbers import format_value
    from eyechart.study.contents import models_with

    rows = [r for r in models_with(study, args.measures) if (args.find or "").lower() in r["model"].lower()]
    if args.json:
        print_json(rows)
        return 0
    shown = [
        [r["model"], r["group"] or "", r["source"] or "", *(format_value(r[m], r["units"][m]) for m in args.measures)]
        for r in rows[: args.limit]
    ]
    print_table(["model", "group", "source", *args.measures], shown)
    if len(rows) > args.limit:
        say(f"and {len(rows) - args.limit:,} more models; narrow them with --find, or see all with --limit {len(rows)}")
    return 0
