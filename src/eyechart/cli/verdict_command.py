"""`eyechart verdict`: print the verdict on an examination again, also with other targets."""

import argparse

from eyechart.cli.options import add_json, add_targets, results_folder, targets_of
from eyechart.cli.printing import print_json, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=results_folder, metavar="DIR", help="the folder of an examination")
    add_targets(parser)
    parser.add_argument("--verbose", action="store_true", help="also print the headline numbers, and what the outcomes mean")
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.cli.examining import print_headline, print_verdicts, skip_lines
    from eyechart.findings.run import read_run
    from eyechart.report.summary import summary_rows
    from eyechart.verdict.verdict import NOT_JUDGED, verdicts

    found = read_run(args.folder)
    targets = {**found.targets, **targets_of(args)}
    if args.json:
        print_json([verdict.to_dict() for verdict in verdicts(found, targets=targets)])
        return 0
    rows, judged = summary_rows(found), verdicts(found, targets=targets)
    if rows and (args.verbose or not judged):
        print_headline(rows)
    print_verdicts(found, targets, verbose=args.verbose)
    if rows and not judged:
        say(NOT_JUDGED)
    if rows:
        return 0
    say("no probe could be run")
    for line in skip_lines(found.skips.to_pylist()):
        say(f"skipped: {line}")
    return 7
