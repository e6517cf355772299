"""`eyechart run`: a plan of models, datasets and probes."""

import argparse
from pathlib import Path
from typing import Any

from eyechart.cli.options import add_running


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser("run", help="run a plan of several models and datasets", description=__doc__)
    parser.add_argument("plan", type=Path, metavar="PLAN.toml", help="`eyechart plan --init` writes a commented one")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the results (default: exams/ and the plan's name)")
    add_running(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.cli.examining import examine_and_print
    from eyechart.plan import read_plan

    return examine_and_print(args, read_plan(args.plan), args.out or Path("exams") / args.plan.stem)
