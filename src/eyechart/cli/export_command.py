"""`eyechart export`: export a torch model to an ONNX folder that runs without torch, and compare it with the original."""

import argparse
from dataclasses import asdict
from pathlib import Path

from eyechart.cli.options import add_json
from eyechart.cli.printing import print_json, print_table, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="M", help="such as open_clip:ViT-B-32/openai; see `eyechart models`")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that does not exist yet")
    parser.add_argument("--overwrite", action="store_true", help="replace the folder if it is an exported model")
    parser.add_argument(
        "--all-blocks", action="store_true", help="export the class token's attention of every block, not only of the last"
    )
    parser.add_argument(
        "--precision",
        default="float32",
        choices=("float32", "int8"),
        help="int8: matrix products of the image encoder in 8-bit integers, about twice as fast on a CPU, with other vectors "
        "(default: float32)",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.models.export import export_model

    report = export_model(args.model, args.folder, overwrite=args.overwrite, all_blocks=args.all_blocks, precision=args.precision)
    known = asdict(report)
    if args.json:
        print_json(known)
    else:
        print_table(["", ""], [[k.replace("_", " "), v] for k, v in known.items()])
        say(f"examine it with: --model onnx:{args.folder}")
    return 0
