"""`eyechart world bank`: make a bank of everyday objects from a package of pictures."""

import argparse
from pathlib import Path

from eyechart.cli.options import add_json
from eyechart.cli.printing import print_json, say
from eyechart.notice import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind", choices=("fluent-emoji-3d",), metavar="KIND", help="fluent-emoji-3d: npm's @lobehub/fluent-emoji-3d"
    )
    parser.add_argument("package", type=Path, metavar="PACKAGE", help="the unpacked package, with assets/ in it")
    parser.add_argument("out", type=Path, metavar="OUT", help="a new or empty folder")
    add_json(parser)
    parser.set_defaults(run=run, if_interrupted="some files may have been copied; empty the folder and start again")


def run(args: argparse.Namespace) -> int:
    from eyechart.world.packaged_bank import copy_bank

    names = copy_bank(args.kind, args.package, args.out)
    if args.json:
        print_json({"bank": str(args.out), "names": names})
    else:
        say(
            f"{counted(len(names), 'object')} in {args.out}; render scenes of them with: eyechart world render OUT "
            f"--bank {args.out}"
        )
    return 0
