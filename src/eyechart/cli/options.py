"""Options that several commands share: the same flag has the same meaning everywhere."""

import argparse
from pathlib import Path

from eyechart.errors import UsageError


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
    parser.add_argument("--batch-size", type=positive, default=32, metavar="N", help="pictures per pass (default: 32)")
    parser.add_argument("--workers", type=positive, metavar="N", help="threads that decode pictures (default: by cores)")
    parser.add_argument(
        "--rehash", action="store_true", help="forget remembered file hashes and broken pictures; read every file again"
    )
    parser.add_argument("--charts", choices=("svg", "png"), action="append", help="also write every chart as a file; repeatable")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How a dataset is read."""
    parser.add_argument(
        "--classes", metavar="FILE|NAME", help="class names (and synonyms): a file, or a named list such as imagenet-1k"
    )
    parser.add_argument("--split", metavar="NAME", help="split of a Hugging Face dataset, or of a folder of splits")
    parser.add_argument("--root", metavar="DIR", help="folder that the paths in a table start from; for world-ood: photographs")
    roles = "path, image, id, label, captions"
    parser.add_argument(
        "--column", action="append", default=[], metavar="ROLE=COLUMN", help=f"where a table keeps a role: {roles}; repeatable"
    )


def columns_of(args: argparse.Namespace) -> dict[str, str]:
    found = {}
    for text in args.column:
        role, equals, column = text.partition("=")
        if not equals or not role or not column:
            raise UsageError(f"--column {text}: expected ROLE=COLUMN, such as label=category")
        found[role] = column
    return found


def positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return number


def whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 up")
    return int(text)
