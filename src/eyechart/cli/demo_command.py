"""`eyechart demo`: the embedded exam: the built-in model on built-in pictures, offline."""

import argparse
from pathlib import Path
from typing import Any

from eyechart.cli.options import add_running
from eyechart.plan import DataPlan, ModelPlan, Plan


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser("demo", help="the embedded exam, offline", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("demo"), metavar="DIR", help="folder for the results (default: demo)")
    add_running(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.cli.examining import examine_and_print

    plan = Plan(models=(ModelPlan("demo:"),), datasets=(DataPlan("demo:"),), prompts=("openai-80", "single", "bare"))
    return examine_and_print(args, plan, args.out)
