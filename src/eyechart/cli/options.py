"""Options that several commands share: the same flag has the same meaning everywhere."""

import argparse
from pathlib import Path
from typing import get_args

from eyechart.data.role import Role
from eyechart.errors import UsageError
from eyechart.plan import DataPlan


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


def add_companions(parser: argparse.ArgumentParser) -> None:
    """Datasets that the examined one is compared with."""
    says = {
        "shift": "the same classes under other conditions, to compare with",
        "ood": "pictures that show none of the classes, to tell apart",
        "targets": "pictures of one thing each, to look for the things of scenes among",
    }
    for role, what in says.items():
        parser.add_argument(f"--{role}", action="append", default=[], metavar="[NAME=]D", help=f"a dataset of {what}; repeatable")


def companions_of(args: argparse.Namespace) -> list[DataPlan]:
    """`NAME=SOURCE` names a dataset; a source that has the sign itself stays whole where it exists or has / or : before."""
    found = []
    for role in get_args(Role):
        for text in getattr(args, role, ()):
            name, equals, source = text.partition("=")
            if not equals or set(name) & {"/", ":"} or Path(text).exists():
                name, source = None, text
            elif not name or not source:
                raise UsageError(f"--{role} {text}: expected a dataset or NAME=DATASET")
            found.append(DataPlan(source, name=name, limit=args.limit, role=role))
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
