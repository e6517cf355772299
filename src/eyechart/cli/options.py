"""Options that several commands share: a flag has the same meaning everywhere."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from eyechart.data.role import Role
from eyechart.errors import UsageError
from eyechart.plan import DataPlan

if TYPE_CHECKING:  # so that --help stays fast
    from eyechart.clusters.choice import AnyEngine

DEFAULT_OOD = "default"  # as the source of an OOD dataset: pictures that the examination generates


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")


def add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store",
        metavar="DIR",
        help="where vectors are stored: a folder, or an address such as s3://bucket/store (default: EYECHART_STORE, or the "
        "user's cache folder)",
    )


def results_folder(text: str) -> Path:
    """The folder of an examination; from an address it is fetched into the cache. For arguments that name results to read."""
    from eyechart.files.remote import is_address

    if not is_address(text):
        return Path(text)
    from eyechart.store.mirror import Mirror

    mirror = Mirror(text, "results")
    mirror.fetch_all()
    return mirror.folder


def add_encoding(parser: argparse.ArgumentParser) -> None:
    """Options of every command that encodes pictures."""
    add_store(parser)
    parser.add_argument("--batch-size", type=positive, default=32, metavar="N", help="pictures per pass (default: 32)")
    parser.add_argument(
        "--workers", type=positive, metavar="N", help="threads that decode pictures, of each process (default: by cores)"
    )
    parser.add_argument(
        "--store-precision",
        choices=("float32", "float16"),
        help="precision of stored picture vectors; float16 takes half the space (default: float32)",
    )
    parser.add_argument(
        "--engine",
        default="local",
        metavar="E",
        help="where pictures are encoded: local (this process), local:N (N processes), ray or ray:ADDRESS (a Ray cluster), see "
        "`eyechart docs clusters` (default: local)",
    )
    parser.add_argument(
        "--shard-size",
        type=positive,
        metavar="N",
        help="pictures in a shard, which one worker makes at a time (default: by dataset)",
    )
    parser.add_argument(
        "--ray-workers", type=positive, metavar="N", help="actors to ask Ray for (default: as many as the cluster has room for)"
    )
    parser.add_argument("--cpus-per-worker", type=_amount, metavar="N", help="CPUs of each actor of Ray (default: 1)")
    parser.add_argument(
        "--gpus-per-worker",
        type=_amount,
        metavar="N",
        help="GPUs of each actor of Ray, such as 0.5 (default: 1 with --device cuda)",
    )


def add_running(parser: argparse.ArgumentParser) -> None:
    """Options of every command that runs an examination."""
    add_encoding(parser)
    add_json(parser)
    parser.add_argument(
        "--rehash", action="store_true", help="discard cached file hashes and lists of broken pictures; read every file again"
    )
    parser.add_argument("--charts", choices=("svg", "png"), action="append", help="also write every chart as a file; repeatable")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    parser.add_argument("--verbose", action="store_true", help="also print the headline numbers and the skipped probes")
    parser.add_argument(
        "--dry-run", action="store_true", help="show the probes, pictures, texts and time that it would take; encode nothing"
    )


def engine_of(args: argparse.Namespace) -> "AnyEngine":
    """The engine of --engine and the options that go with it."""
    from eyechart.clusters.choice import engine_of

    return engine_of(
        args.engine,
        batch_size=args.batch_size,
        workers=args.workers,
        shard_size=args.shard_size,
        ray_workers=args.ray_workers,
        cpus=args.cpus_per_worker,
        gpus=args.gpus_per_worker,
    )


def add_targets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="METRIC=N",
        help="limit of the verdict in place of the default one, such as top1=0.8 or calibration.ece=5%%; repeatable",
    )


def targets_of(args: argparse.Namespace) -> dict[str, float]:
    from eyechart.verdict.targets import parse_target

    return dict(parse_target(text) for text in args.target)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Options for reading a dataset."""
    parser.add_argument(
        "--classes", metavar="FILE|NAME", help="class names and synonyms: a file, or a named list such as imagenet-1k"
    )
    parser.add_argument("--split", metavar="NAME", help="split of a Hugging Face dataset or of a folder of splits")
    parser.add_argument(
        "--root", metavar="DIR", help="folder that paths in a table are relative to; for world-ood: a folder of photographs"
    )
    roles = "path, image, id, label, captions"
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="ROLE=COLUMN",
        help=f"column of a table that has a role: {roles}; repeatable",
    )


def add_identify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--identify", action="store_true", help="classify by labels even where the dataset identifies people (column identity)"
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
    """Options for datasets to compare the examined one with."""
    roles = {
        "shift": "the same classes under other conditions (distribution shift)",
        "ood": "pictures of none of the classes (out-of-distribution)",
        "gallery": "pictures of one object each, the gallery that objects of scenes are retrieved from",
    }
    for role, what in roles.items():
        parser.add_argument(f"--{role}", action="append", default=[], metavar="[NAME=]D", help=f"a dataset of {what}; repeatable")


def add_made_companions(parser: argparse.ArgumentParser) -> None:
    """Options for the datasets that an examination makes itself, to compare with."""
    parser.add_argument(
        "--corrupt",
        action="append",
        metavar="NAME[:SEVERITY]",
        help="corruptions under which a sample of the labeled pictures is copied in memory, as noise:3,fog:1; repeatable "
        "(default: noise, defocus_blur, fog and jpeg at severity 3)",
    )
    parser.add_argument("--no-corruptions", action="store_true", help="make no corrupted copies")
    parser.add_argument(
        "--no-ood",
        action="store_true",
        help="generate no out-of-distribution pictures (default: an easy, far OOD set where --ood gives none; `--ood default` "
        "adds it to others)",
    )


def corruptions_of(args: argparse.Namespace) -> tuple[str, ...] | None:
    """The corruptions that --corrupt names; () for --no-corruptions, None for the default."""
    if args.corrupt and args.no_corruptions:
        raise UsageError("--corrupt and --no-corruptions exclude each other; give one of them")
    return () if args.no_corruptions else tuple(args.corrupt) if args.corrupt else None


def default_ood_of(args: argparse.Namespace) -> bool | None:
    """Whether generated out-of-distribution pictures are compared with; None for where there are no others."""
    asked = DEFAULT_OOD in args.ood
    if asked and args.no_ood:
        raise UsageError("--ood default and --no-ood exclude each other; give one of them")
    return True if asked else False if args.no_ood else None


def companions_of(args: argparse.Namespace) -> list[DataPlan]:
    """The datasets of --shift, --ood and --gallery.

    `NAME=SOURCE` names a dataset. A source that contains "=" itself is not split where it exists, or has "/" or ":" before it.
    """
    found = []
    for role in get_args(Role):
        for text in getattr(args, role, ()):
            if (role, text) == ("ood", DEFAULT_OOD):
                continue
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
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return number


def _amount(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up")
    return number


def whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)
