"""Options that several commands share: the same flag has the same meaning everywhere."""

import argparse
from pathlib import Path


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")


def add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store", type=Path, metavar="DIR", help="where vectors are kept (default: EYECHART_STORE, else the user's cache folder)"
    )


def add_running(parser: argparse.ArgumentParser) -> None:
    """What every command that examines takes."""
    add_store(parser)
    add_json(parser)
    parser.add_argument("--batch-size", type=positive, default=64, metavar="N", help="pictures per pass (default: 64)")
    parser.add_argument("--workers", type=positive, metavar="N", help="threads that decode pictures (default: by cores)")
    parser.add_argument(
        "--rehash", action="store_true", help="forget remembered file hashes and broken pictures; read every file again"
    )
    parser.add_argument("--charts", choices=("svg", "png"), action="append", help="also write every chart as a file; repeatable")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")


def positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return number
