"""`eyechart report`: write the page of an examination again, or export it for other tools."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.cli.options import add_json, results_folder
from eyechart.cli.output_files import write_errors
from eyechart.cli.printing import print_json, say
from eyechart.errors import UsageError, did_you_mean
from eyechart.notice import counted

if TYPE_CHECKING:
    from eyechart.findings.run import Run
    from eyechart.report.exports.options import ExportOptions

# As report.exports.registry.EXPORTS, which would load pyarrow here.
KINDS = ("csv", "eval-results", "every-eval-ever", "fiftyone", "mlflow", "wandb")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=results_folder, metavar="DIR", help="the folder of an examination")
    parser.add_argument("--charts", choices=("svg", "png"), action="append", help="also write every chart as a file; repeatable")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown summary instead")
    parser.add_argument(
        "--model-card", nargs="?", const="", metavar="MODEL", help="print a Hugging Face model-card block instead"
    )
    parser.add_argument("--export", choices=KINDS, action="append", help="write files for another tool instead; repeatable")
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="with --export: where to (default: exports in DIR)")
    parser.add_argument(
        "--hub-dataset", action="append", default=[], metavar="DATASET=OWNER/NAME[:TASK]",
        help="with --export: the benchmark on the Hugging Face Hub that a dataset is; repeatable",
    )  # fmt: skip
    parser.add_argument("--organization", metavar="NAME", help="with --export every-eval-ever: who ran the examination")
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.findings.run import read_run

    if not args.export and (args.to or args.hub_dataset or args.organization):
        raise UsageError(f"--to, --hub-dataset and --organization need --export KIND (one of: {', '.join(KINDS)})")
    found = read_run(args.folder)
    if args.markdown:
        from eyechart.report.exports.markdown import markdown_summary

        sys.stdout.write(markdown_summary(found))
        return 0
    if args.model_card is not None:
        from eyechart.report.exports.model_card import model_card_block

        sys.stdout.write(model_card_block(found, args.model_card or None))
        return 0
    if args.export:
        return _export(args, found)
    from eyechart.report.exports.static_charts import write_charts
    from eyechart.report.page import write_report
    from eyechart.report.page_stamp import write_stamp

    page = write_report(args.folder, found)
    charts = [path for kind in dict.fromkeys(args.charts or ()) for path in write_charts(args.folder, kind, found)]
    write_stamp(args.folder)
    if args.json:
        print_json({"page": str(page), "charts": [str(c) for c in charts], "findings": found.findings.num_rows})
    else:
        say(f"page: {page}", *([f"charts: {counted(len(charts), 'file')} in {charts[0].parent}"] if charts else []))
    return 0


def _export(args: argparse.Namespace, found: "Run") -> int:
    from eyechart.report.exports.registry import export_run

    options, to = _options(args, found), args.to or args.folder / "exports"
    written: dict[str, list[str]] = {}
    for kind in dict.fromkeys(args.export):
        with write_errors(to / kind):
            written[kind] = [str(path) for path in export_run(found, kind, to, options)]
    if args.json:
        print_json(written)
        return 0
    for kind, paths in written.items():
        say(*([f"{kind}: {path}" for path in paths] or [f"{kind}: nothing to export"]))
    return 0


def _options(args: argparse.Namespace, found: "Run") -> "ExportOptions":
    from eyechart.report.exports.options import ExportOptions, HubDataset

    named = {}
    for text in args.hub_dataset:
        dataset, _, rest = text.rpartition("=")
        hub, _, task = rest.partition(":")
        if not dataset or hub.count("/") != 1 or not all(hub.split("/")):
            raise UsageError(f"--hub-dataset {text}: expected DATASET=OWNER/NAME or DATASET=OWNER/NAME:TASK")
        if dataset not in found.datasets:
            hint = did_you_mean(dataset, found.datasets) or f"; it has: {', '.join(found.datasets)}"
            raise UsageError(f"--hub-dataset {text}: the examination has no dataset {dataset!r}{hint}")
        named[dataset] = HubDataset(hub, task or None)
    return ExportOptions(named, args.organization)
