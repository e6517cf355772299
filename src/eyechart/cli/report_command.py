"""`eyechart report`: write the page of an examination again, or export it as charts, Markdown or a model card."""

import argparse
import sys
from pathlib import Path

from eyechart.cli.options import add_json
from eyechart.cli.printing import print_json
from eyechart.notice import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of an examination")
    parser.add_argument("--charts", choices=("svg", "png"), action="append", help="also write every chart as a file; repeatable")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown summary instead")
    parser.add_argument(
        "--model-card", nargs="?", const="", metavar="MODEL", help="print a Hugging Face model-card block instead"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.findings.run import read_run

    found = read_run(args.folder)
    if args.markdown:
        from eyechart.report.exports.markdown import markdown_summary

        sys.stdout.write(markdown_summary(found))
        return 0
    if args.model_card is not None:
        from eyechart.report.exports.model_card import model_card_block

        sys.stdout.write(model_card_block(found, args.model_card or None))
        return 0
    from eyechart.report.exports.static_charts import write_charts
    from eyechart.report.page import write_report

    page = write_report(args.folder, found)
    charts = [path for kind in dict.fromkeys(args.charts or ()) for path in write_charts(args.folder, kind, found)]
    if args.json:
        print_json({"page": str(page), "charts": [str(c) for c in charts], "findings": found.findings.num_rows})
    else:
        print(f"page: {page}" + (f"\ncharts: {counted(len(charts), 'file')} in {charts[0].parent}" if charts else ""))
    return 0
