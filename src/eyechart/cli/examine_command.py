"""`eyechart examine`: one model, one dataset, every question that can be asked."""

import argparse
from pathlib import Path
from typing import Any

from eyechart.cli.options import add_running, positive
from eyechart.plan import DataPlan, ModelPlan, Plan


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser("examine", help="examine a model on a dataset", description=__doc__)
    parser.add_argument("--model", required=True, metavar="M", help="such as open_clip:ViT-B-32/openai; see `eyechart models`")
    parser.add_argument(
        "--data", required=True, metavar="D", help="a folder, table, tar or Hugging Face set; see `eyechart datasets`"
    )
    parser.add_argument(
        "--classes", metavar="FILE|NAME", help="class names (and synonyms): a file, or a named list such as imagenet-1k"
    )
    parser.add_argument(
        "--prompts",
        action="append",
        metavar="SET|FILE",
        help="prompt set, see `eyechart prompts`; repeat to compare several (default: openai-80)",
    )
    parser.add_argument("--probes", action="append", metavar="NAME", help="ask only this question; repeatable (default: all)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the results (default: exams/MODEL--DATA)")
    parser.add_argument("--name", metavar="NAME", help="what the findings call the dataset (default: from its path)")
    parser.add_argument("--split", metavar="NAME", help="split of a Hugging Face dataset")
    parser.add_argument("--root", metavar="DIR", help="folder that the paths in a table start from")
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="ROLE=COLUMN",
        help="where a table keeps a role: image, id, label, captions",
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="examine a seeded, class-balanced sample of N pictures")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, mps or auto, for torch backends (default: cpu)")
    parser.add_argument("--precision", default="float32", choices=("float32", "bfloat16", "float16"))
    parser.add_argument("--exif", default="apply", choices=("apply", "ignore"), help="turn pictures upright as their EXIF says")
    parser.add_argument("--alpha", default="drop", choices=("drop", "white", "black"), help="what lies under transparent pixels")
    parser.add_argument("--seed", type=int, default=0)
    add_running(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.cli.examining import examine_and_print
    from eyechart.exam import default_out

    plan = Plan(
        models=(ModelPlan(args.model, device=args.device, precision=args.precision),),
        datasets=(
            DataPlan(
                args.data,
                name=args.name,
                classes=args.classes,
                split=args.split,
                root=args.root,
                limit=args.limit,
                columns=dict(_role(text) for text in args.column),
            ),
        ),
        probes=tuple(args.probes) if args.probes else None,
        prompts=tuple(dict.fromkeys(args.prompts)) if args.prompts else None,
        exif=args.exif,
        alpha=args.alpha,
        seed=args.seed,
    )
    return examine_and_print(args, plan, args.out or default_out(plan))


def _role(text: str) -> tuple[str, str]:
    from eyechart.errors import UsageError

    role, equals, column = text.partition("=")
    if not equals or not role or not column:
        raise UsageError(f"--column {text}: expected ROLE=COLUMN, such as label=category")
    return role, column
