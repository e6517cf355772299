"""`eyechart run`: run a plan of models, datasets and probes."""

import argparse
from pathlib import Path

from eyechart.cli.options import add_running
from eyechart.cli.setting_options import add_settings, with_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", type=Path, metavar="PLAN.toml", help="`eyechart plan --init` writes a commented one")
    parser.add_argument("--out", metavar="DIR", help="folder or address for the results (default: exams/NAME of the plan)")
    add_settings(parser)
    add_running(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.cli.examining import examine_and_print
    from eyechart.plan import read_plan

    plan = with_settings(read_plan(args.plan), args)
    return examine_and_print(args, plan, args.out or Path("exams") / args.plan.stem)
