"""`eyechart corrupt`: write corrupted copies of your pictures as `<corruption>/<severity>/<path of the picture>`."""

import argparse
import sys
from pathlib import Path

from eyechart.cli.options import add_json, positive, whole
from eyechart.cli.printing import print_json, say

_LARGE = 512  # pixels of the shorter side; models downsample larger pictures, which averages much of the noise away


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", type=Path, metavar="IN", help="a folder of pictures, with or without subfolders")
    parser.add_argument("out", type=Path, metavar="OUT", help="a new or empty folder, or that of an interrupted run")
    parser.add_argument(
        "--corruption",
        action="append",
        metavar="NAME",
        help="only this corruption, by its own name or that of ImageNet-C; repeatable (default: all that are possible)",
    )
    parser.add_argument(
        "--severity",
        action="append",
        type=int,
        choices=(1, 2, 3, 4, 5),
        help="only this severity; repeatable (default: all five)",
    )
    parser.add_argument(
        "--depth",
        type=Path,
        metavar="DIR",
        help="depth maps (.npy or 16-bit .png) with the pictures' paths, for fog_3d and others",
    )
    parser.add_argument(
        "--size", type=positive, metavar="PX", help="first downsample the shorter side to this (default: no resizing)"
    )
    parser.add_argument("--split", metavar="NAME", help="split of a folder of splits, such as val")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="seed of noise, fog and directions (default: 0)")
    parser.add_argument("--quality", type=positive, default=95, metavar="Q", help="JPEG quality, up to 100 (default: 95)")
    parser.add_argument("--workers", type=positive, metavar="N", help="threads (default: by cores)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    add_json(parser)
    parser.set_defaults(run=run, if_interrupted="all written files are complete; run the same command again to continue")


def run(args: argparse.Namespace) -> int:
    from eyechart.corruptions.copies import CorruptionSettings
    from eyechart.corruptions.folder import corrupt_folder
    from eyechart.corruptions.registry import CORRUPTIONS
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
        raise DataError(f"no picture could be corrupted; the first is {path}: {reason}")
    if args.json:
        set_aside = [{"picture": path, "reason": reason} for path, reason in outcome.set_aside]
        print_json({"out": str(args.out), "written": outcome.written, "kept": outcome.kept, "set_aside": set_aside})
        return 0
    say(f"{outcome.written:,} pictures written, {outcome.kept:,} already existed")
    if not args.corruption and args.depth is None:
        deep = ", ".join(name for name, corruption in CORRUPTIONS.items() if corruption.needs_depth)
        say(f"note: left out, since they need depth maps (--depth DIR): {deep}")
    if outcome.shortest > _LARGE:
        say(f"note: the shorter side is {outcome.shortest} pixels; models downsample that and remove noise; consider --size 256")
    for path, reason in outcome.set_aside:
        say(f"skipped: {path}: {reason}", file=sys.stderr)
    say(f"examine a model on it with: --data {args.source} --shift corrupted:{args.out}")
    return 0
