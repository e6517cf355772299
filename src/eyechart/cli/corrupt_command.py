"""`eyechart corrupt`: your pictures under corruptions at five severities: `<corruption>/<severity>/<path of the picture>`."""

import argparse
import sys
from pathlib import Path
from typing import Any

from eyechart.cli.options import add_json, positive, whole
from eyechart.cli.printing import print_json

_LARGE = 512  # pixels of the shorter side from which on a model would average much of the noise away


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser("corrupt", help="spoil your pictures in known ways", description=__doc__)
    parser.add_argument("source", type=Path, metavar="IN", help="a folder of pictures, in subfolders or not")
    parser.add_argument("out", type=Path, metavar="OUT", help="a new or empty folder, or one of an earlier run to go on with")
    parser.add_argument(
        "--corruption", action="append", metavar="NAME", help="only this one; repeatable (default: all that can be made)"
    )
    parser.add_argument(
        "--severity", action="append", type=int, choices=(1, 2, 3, 4, 5), help="only this one; repeatable (default: all five)"
    )
    parser.add_argument(
        "--depth",
        type=Path,
        metavar="DIR",
        help="depth maps (.npy or 16-bit .png) under the pictures' paths, for fog_3d and more",
    )
    parser.add_argument(
        "--size", type=positive, metavar="PX", help="first bring the shorter side down to this (default: leave it)"
    )
    parser.add_argument("--split", metavar="NAME", help="of a folder of splits, such as val")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="of noise, fog and directions (default: 0)")
    parser.add_argument("--quality", type=positive, default=95, metavar="Q", help="of JPEG pictures, up to 100 (default: 95)")
    parser.add_argument("--workers", type=positive, metavar="N", help="threads (default: by cores)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    add_json(parser)
    parser.set_defaults(run=run, if_interrupted="what is written is whole, and the same command goes on from here")


def run(args: argparse.Namespace) -> int:
    from eyechart.corruptions.folder import CorruptionSettings, corrupt_folder
    from eyechart.encode.cores import usable_cores
    from eyechart.errors import DataError, UsageError
    from eyechart.progress import SilentProgress, TerminalProgress

    if args.quality > 100:
        raise UsageError(f"--quality {args.quality}: choose a number from 1 to 100")
    outcome = corrupt_folder(
        args.source,
        args.out,
        args.corruption,
        args.severity or (1, 2, 3, 4, 5),
        SilentProgress() if args.quiet else TerminalProgress(),
        settings=CorruptionSettings(args.size, args.seed, args.quality),
        depth=args.depth,
        split=args.split,
        workers=args.workers or usable_cores(),
    )
    if not outcome.written and not outcome.kept:
        path, reason = outcome.set_aside[0]
        raise DataError(f"not one picture could be corrupted, the first {path}: {reason}")
    if args.json:
        set_aside = [{"picture": path, "reason": reason} for path, reason in outcome.set_aside]
        print_json({"out": str(args.out), "written": outcome.written, "kept": outcome.kept, "set_aside": set_aside})
        return 0
    print(f"{outcome.written:,} pictures written, {outcome.kept:,} were there already")
    if outcome.shortest > _LARGE:
        print(f"note: the shorter side is {outcome.shortest} pixels; models shrink that, and noise with it: consider --size 256")
    for path, reason in outcome.set_aside:
        print(f"set aside: {path}: {reason}", file=sys.stderr)
    print(f"examine a model on it with: --data {args.source} --shift corrupted:{args.out}")
    return 0
