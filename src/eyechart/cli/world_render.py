"""`eyechart world render`: write pictures, depth maps and a table of their ground truth, from a bank or an embedded dataset."""

import argparse
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from eyechart.cli.options import add_json, positive, whole
from eyechart.cli.printing import print_json, print_table, say
from eyechart.errors import UsageError

_BANK_ONLY = ("single", "objects", "large", "ratio", "background", "gray", "light", "layout")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", type=Path, metavar="OUT", help="a new or empty folder")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--bank",
        metavar="DIR|simco",
        help="a folder of pictures with transparency, named after their objects, or the world's solids",
    )
    source.add_argument("--dataset", metavar="NAME", help="a dataset of the embedded world, such as world-scenes")
    parser.add_argument("--n", type=positive, metavar="N", help="how many pictures (default: enough for an exactly balanced set)")
    parser.add_argument("--seed", type=whole, default=0, metavar="S", help="seed of the scenes (default: 0)")
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--side", type=positive, metavar="PX", help="side of a picture, up to 512 (default: 224 for a bank, 64 for a dataset)"
    )
    size.add_argument("--model", metavar="M", help="render at the input resolution of this model")
    parser.add_argument("--overwrite", action="store_true", help="replace an earlier rendering in the folder")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    add_json(parser)
    scenes = parser.add_argument_group("scenes of a bank")
    scenes.add_argument("--single", action="store_true", default=None, help="one picture per object, instead of scenes")
    scenes.add_argument("--objects", type=_counts, metavar="N-M", help="objects in a scene: 4, 2-5 or 2,4 (default: 2-5)")
    scenes.add_argument(
        "--large", type=float, metavar="SHARE", help="share of the picture that the large object covers (default: 0.07)"
    )
    scenes.add_argument("--ratio", type=float, metavar="R", help="mean ratio of its area to that of a small object (default: 10)")
    scenes.add_argument("--background", metavar="NAME", help="plain, shaded, striped, tiled or cloudy (default: plain)")
    scenes.add_argument("--gray", type=whole, metavar="G", help="gray level of the background, 0 to 255 (default: 178)")
    scenes.add_argument("--light", metavar="FROM", help="direction of the light: left, right or front (default: left)")
    scenes.add_argument("--layout", metavar="NAME", help="row, or diagonal: from the back left to the front right (default: row)")
    parser.set_defaults(run=run, if_interrupted="no partial files remain")


def run(args: argparse.Namespace) -> int:
    from eyechart.progress import SilentProgress, TerminalProgress
    from eyechart.world.rendered_folder import check_folder, write_rendered

    check_folder(args.out, args.overwrite)
    side = _resolution_of(args.model) if args.model else args.side or (224 if args.bank else 64)
    dataset, settings = _of_bank(args, side) if args.bank else _of_world(args, side)
    progress = SilentProgress() if args.quiet else TerminalProgress()
    table = write_rendered(dataset, args.out, settings, progress, overwrite=args.overwrite)
    known = {"table": str(table), "pictures": len(dataset), **settings, "notices": [str(n) for n in dataset.notices]}
    if args.json:
        print_json(known)
        return 0
    rows = [[key, value] for key, value in known.items() if key not in ("table", "notices")]
    print_table(["", ""], [*rows, *(["note", str(notice)] for notice in dataset.notices)])
    say(f"examine a model on it with: --data {table}")
    return 0


def _resolution_of(spec: str) -> int:
    """The input resolution of a model, known without its network."""
    from eyechart.models import open_model

    side = open_model(spec).card.resolution
    if side is None:
        raise UsageError(f"{spec}: its input resolution is not known; give --side PX")
    return side


def _of_bank(args: argparse.Namespace, side: int) -> tuple[Any, dict[str, Any]]:
    from dataclasses import replace

    from eyechart.data.open import default_name
    from eyechart.world.bank_dataset import scenes_of, singles_of
    from eyechart.world.bank_scenes import Staging
    from eyechart.world.datasets.open import follow
    from eyechart.world.folder_bank import open_bank
    from eyechart.world.simco_bank import NAME, simco_bank

    if args.single and (args.n or args.objects or args.ratio or args.large or args.layout):
        raise UsageError("--single renders one picture per object; leave out --n, --objects, --large, --ratio and --layout")
    given = {name: getattr(args, name) for name in _BANK_ONLY[1:] if getattr(args, name) is not None}
    staging = Staging(**given)
    if args.bank == NAME:
        bank, name = simco_bank("targets" if args.single else "scenes"), NAME
    else:
        bank, name = open_bank(Path(args.bank)), default_name(args.bank)
    recipe = singles_of(bank, f"{name}-single", staging) if args.single else scenes_of(bank, f"{name}-scenes", staging)
    dataset = follow(recipe, n=args.n, seed=args.seed, side=side)
    staged = asdict(staging)
    if args.single:
        staged = {key: staged[key] for key in ("background", "gray", "light")}
    settings = {"bank": bank.digest, "names": len(bank.names), "seed": args.seed, "side": side, **staged}
    return replace(dataset, notices=(*bank.notices, *dataset.notices)), settings


def _of_world(args: argparse.Namespace, side: int) -> tuple[Any, dict[str, Any]]:
    from eyechart.world.datasets.open import open_world

    if given := [f"--{name}" for name in _BANK_ONLY if getattr(args, name) is not None]:
        raise UsageError(f"{', '.join(given)}: these apply to scenes of a bank, not to {args.dataset}; leave them out")
    dataset = open_world(args.dataset, n=args.n, seed=args.seed, side=side)
    return dataset, {"source": args.dataset, "seed": args.seed, "side": side}


def _counts(text: str) -> tuple[int, ...]:
    """'4' → (4,); '2-5' → (2, 3, 4, 5); '2,4' → (2, 4)."""
    if not re.fullmatch(r"\d{1,3}(-\d{1,3})?(,\d{1,3}(-\d{1,3})?)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of objects; use 4, 2-5 or 2,4")
    found: set[int] = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        found |= set(range(int(low), int(high or low) + 1))
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is an empty range; write the smaller number first, such as 2-5")
    return tuple(sorted(found))
