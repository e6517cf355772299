"""Options of both kinds of repair."""

import argparse
from typing import Any

from eyechart.cli.options import add_json, add_reading, add_store, columns_of, positive, whole


def add_model_and_data(parser: argparse.ArgumentParser, data: str) -> None:
    parser.add_argument("--model", metavar="M", help="such as open_clip:ViT-B-32/openai; see `eyechart models` (required)")
    parser.add_argument("--data", metavar="D", help=f"{data} (required)")


def add_encoding(parser: argparse.ArgumentParser) -> None:
    """How pictures are read and encoded."""
    add_reading(parser)
    parser.add_argument("--limit", type=positive, metavar="N", help="use a seeded sample of N pictures")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, mps or auto, for torch backends (default: cpu)")
    parser.add_argument("--precision", default="float32", choices=("float32", "bfloat16", "float16"))
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="seed of the split and of samples (default: 0)")
    add_store(parser)
    add_json(parser)
    parser.add_argument("--batch-size", type=positive, default=32, metavar="N", help="pictures per pass (default: 32)")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")


def check_required(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Check required flags. `eyechart repair captions` has them too, so the parser of `eyechart repair` cannot require them."""
    missing = [f"--{name}" for name in ("model", "data", "out") if getattr(args, name) is None]
    if missing:
        parser.error(f"the following arguments are required: {', '.join(missing)}")


def encoding_of(args: argparse.Namespace) -> dict[str, Any]:
    """The arguments that `repair_classifier` and `repair_captions` share."""
    from eyechart.encode.local import LocalEngine
    from eyechart.progress import SilentProgress, TerminalProgress

    return {
        "split": args.split,
        "root": args.root,
        "columns": columns_of(args),
        "limit": args.limit,
        "device": args.device,
        "precision": args.precision,
        "engine": LocalEngine(batch_size=args.batch_size),
        "progress": SilentProgress() if args.quiet else TerminalProgress(),
    }
