"""`eyechart gate`: fail where a condition on the findings is met, decided on intervals; for continuous integration."""

import argparse
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.cli.options import add_json, results_folder
from eyechart.cli.output_files import output_file, write_errors
from eyechart.cli.printing import print_json, say
from eyechart.errors import StoreError, UsageError
from eyechart.notice import one_line

if TYPE_CHECKING:
    from eyechart.gate.decide import Decision

FAILED = 8  # exit code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=results_folder, metavar="RUN", help="the folder of an examination")
    parser.add_argument("--baseline", type=results_folder, metavar="RUN0", help="the run that drops and rises are measured from")
    parser.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="CONDITION",
        help="such as 'top1 < 0.8', 'ece@calibration of photos > 5%%' or 'worst_class drops 5 points'; repeatable",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="a TOML file with a table [gate], such as a plan")
    parser.add_argument(
        "--on-inconclusive",
        choices=("fail", "pass"),
        help="what a condition means that the interval does not decide (default: fail)",
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML, one test case per condition")
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="write a Markdown summary (default: append to $GITHUB_STEP_SUMMARY, if set)"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.findings.run import read_run
    from eyechart.gate.condition import parse_condition
    from eyechart.gate.config import GateConfig, read_gate
    from eyechart.gate.decide import decide
    from eyechart.gate.junit import junit_xml
    from eyechart.gate.summary import gate_summary

    config = read_gate(args.config) if args.config else GateConfig()
    conditions = [parse_condition(text) for text in dict.fromkeys([*config.fail_if, *args.fail_if])]
    if not conditions:
        raise UsageError("a gate needs a condition; give --fail-if 'top1 < 0.8', or --config with a table [gate]")
    baseline = args.baseline or (Path(config.baseline) if config.baseline else None)
    on_inconclusive = args.on_inconclusive or config.on_inconclusive or "fail"
    decisions = decide(conditions, read_run(args.folder), None if baseline is None else read_run(baseline))
    title = str(args.folder) + (f" against {baseline}" if baseline else "")
    outcomes = {decision.outcome for decision in decisions}
    failed = "fails" in outcomes or ("inconclusive" in outcomes and on_inconclusive == "fail")

    if args.junit:
        _write(args.junit, junit_xml(decisions, title, on_inconclusive))
    summary = gate_summary(decisions, title, on_inconclusive)
    if args.summary:
        _write(args.summary, summary)
    elif step := os.environ.get("GITHUB_STEP_SUMMARY"):
        _append(Path(step), summary)
    if args.json:
        shown = [asdict(decision) | {"outcome": decision.outcome} for decision in decisions]
        print_json({"failed": failed, "on_inconclusive": on_inconclusive, "decisions": shown})
    else:
        _print(decisions, failed, on_inconclusive)
    return FAILED if failed else 0


def _print(decisions: "list[Decision]", failed: bool, on_inconclusive: str) -> None:
    from eyechart.gate.junit import check_lines

    for decision in decisions:
        say(one_line(f"{decision.outcome:<13}{decision.condition.text}"))
        for line in check_lines(decision):
            say(one_line(f"             {line}"))
    unsure = sum(decision.outcome == "inconclusive" for decision in decisions)
    note = f"; {unsure} inconclusive, which counts as {on_inconclusive} (--on-inconclusive)" if unsure else ""
    say(f"gate {'failed' if failed else 'passed'}{note}")


def _write(path: Path, text: str) -> None:
    with output_file(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def _append(path: Path, text: str) -> None:
    """GitHub shows what all steps have written to this file."""
    from eyechart.files.readable import require_regular

    with write_errors(path):
        if path.exists():
            require_regular(path, error=StoreError)  # to open a pipe that nobody reads would wait forever
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
