"""`eyechart encode`: encode the pictures of a dataset into the store, all of them or one part of a job array."""

import argparse
import re
from contextlib import closing
from dataclasses import asdict

from eyechart.cli.options import add_encoding, add_json, add_reading, columns_of, engine_of, positive, whole
from eyechart.cli.printing import print_json, say
from eyechart.errors import UsageError
from eyechart.notice import counted
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.world.datasets.registry import WORLD

_FEW = 5  # pictures that could not be used and are named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", required=True, metavar="M", help="such as open_clip:ViT-B-32/openai, see `eyechart models`")
    parser.add_argument(
        "--data", required=True, metavar="D", help="a folder, table, tar or other dataset, see `eyechart datasets`"
    )
    parser.add_argument(
        "--shard",
        metavar="I/N",
        help="encode part I of N parts, counted from 0: --shard 0/8 to --shard 7/8, each in a job of its own",
    )
    add_reading(parser)
    parser.add_argument(
        "--limit", type=positive, metavar="N", help="the same sample of N pictures that `examine --limit N` takes"
    )
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="seed of that sample (default: 0)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, mps or auto, for torch backends (default: cpu)")
    parser.add_argument("--precision", default="float32", choices=("float32", "bfloat16", "float16"))
    parser.add_argument(
        "--exif", default="apply", choices=("apply", "ignore"), help="apply the EXIF orientation (default: apply)"
    )
    parser.add_argument(
        "--alpha", default="drop", choices=("drop", "white", "black"), help="background of transparent pixels (default: drop)"
    )
    add_encoding(parser)
    add_json(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    part = None if args.shard is None else _part(args.shard)
    if part is not None and args.engine.startswith("ray"):
        raise UsageError("--shard and --engine ray exclude each other: Ray divides the work itself; give one of them")
    if args.data == WORLD:
        raise UsageError(f"--data {WORLD} is several datasets; name one of them, see `eyechart datasets`")
    from eyechart.clusters.engine import ShardEngine
    from eyechart.clusters.executor import InProcess
    from eyechart.clusters.listing import encode_listing
    from eyechart.progress import SilentProgress, TerminalProgress
    from eyechart.store.store import Store

    chosen = engine_of(args)
    engine = (
        chosen if isinstance(chosen, ShardEngine) else ShardEngine(InProcess(), args.batch_size, args.workers, args.shard_size)
    )
    progress = SilentProgress() if args.quiet else TerminalProgress()
    with closing(Store(args.store, fetch_segments=False)) as store:
        done = encode_listing(_plan(args), store, engine, progress, part)
    if args.json:
        print_json({**asdict(done), "store": store.place})
        return 0
    what = f"part {part[0]} of {part[1]}: " if part else ""
    known = done.pictures - done.encoded - len(done.set_aside)
    say(
        f"{what}{counted(done.pictures, 'picture')} in {counted(done.shards, 'shard')}: {done.encoded:,} encoded, "
        f"{known:,} known before, {len(done.set_aside):,} not readable; store: {store.place}"
    )
    for place, reason in list(done.set_aside.items())[:_FEW]:
        say(f"not readable: {place}: {reason}")
    if len(done.set_aside) > _FEW:
        say(f"not readable: {len(done.set_aside) - _FEW:,} more (--json lists all)")
    return 0


def _part(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if not found:
        raise UsageError(f"--shard {text}: expected I/N, such as 0/8 for the first of eight parts")
    part, parts = int(found[1]), int(found[2])
    if not part < parts:
        last = f": 0/{parts} to {parts - 1}/{parts}" if parts else ""
        raise UsageError(f"--shard {text}: there is no such part; parts are counted from 0{last}")
    return part, parts


def _plan(args: argparse.Namespace) -> Plan:
    data = DataPlan(
        args.data,
        classes=args.classes,
        split=args.split,
        root=args.root,
        limit=args.limit,
        columns=columns_of(args),
    )
    model = ModelPlan(args.model, device=args.device, precision=args.precision)
    kept = args.store_precision or "float32"
    return Plan(models=(model,), datasets=(data,), exif=args.exif, alpha=args.alpha, seed=args.seed, store_precision=kept)
