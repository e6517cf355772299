"""`eyechart examine`: examine one or several models on a dataset or on the embedded world."""

import argparse

from eyechart.cli.options import (
    add_companions,
    add_identify,
    add_made_companions,
    add_reading,
    add_running,
    add_targets,
    columns_of,
    companions_of,
    corruptions_of,
    default_ood_of,
    positive,
    targets_of,
    whole,
)
from eyechart.cli.setting_options import add_settings, with_settings
from eyechart.errors import UsageError
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.profiles import PROFILES
from eyechart.world.datasets.registry import WORLD


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        required=True,
        action="append",
        metavar="M",
        help="such as open_clip:ViT-B-32/openai, see `eyechart models`; repeat to compare several",
    )
    parser.add_argument(
        "--data",
        action="append",
        metavar="D",
        help="a folder, table, tar, Hugging Face dataset or world-NAME, see `eyechart datasets` (default: world, small samples "
        "of all datasets of the embedded world)",
    )
    add_companions(parser)
    add_made_companions(parser)
    parser.add_argument(
        "--prompts",
        action="append",
        metavar="SET|FILE",
        help="prompt set, see `eyechart prompts`; repeat to compare several (default: openai-80)",
    )
    parser.add_argument(
        "--profile",
        action="append",
        metavar="NAME",
        help=f"list of probes: {', '.join(PROFILES)}; as a,b or repeated (default: by what the data has)",
    )
    parser.add_argument("--probes", action="append", metavar="NAME", help="run only these, as a,b,c; repeatable")
    parser.add_argument("--out", metavar="DIR", help="folder or address for the results (default: exams/MODEL--DATA)")
    parser.add_argument("--name", metavar="NAME", help="what the findings call the dataset (default: from its path)")
    parser.add_argument("--model-name", metavar="NAME", help="what the findings call the model (default: as given)")
    add_reading(parser)
    parser.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        help="a seeded sample of N pictures of each dataset, stratified by class",
    )
    add_identify(parser)
    parser.add_argument("--device", default="cpu", help="cpu, cuda, mps or auto, for torch backends (default: cpu)")
    parser.add_argument("--precision", default="float32", choices=("float32", "bfloat16", "float16"))
    parser.add_argument(
        "--exif", default="apply", choices=("apply", "ignore"), help="apply the EXIF orientation (default: apply)"
    )
    parser.add_argument(
        "--alpha", default="drop", choices=("drop", "white", "black"), help="background of transparent pixels (default: drop)"
    )
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="seed of samples and resampling (default: 0)")
    add_targets(parser)
    add_settings(parser)
    add_running(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.cli.examining import examine_and_print
    from eyechart.inputs import default_out

    if args.probes and args.profile:
        raise UsageError("--probes and --profile exclude each other: a profile is a list of probes; give one of them")
    models = list(dict.fromkeys(args.model))
    if args.model_name and len(models) > 1:
        raise UsageError("--model-name names one model; use a plan to name several (eyechart plan --init)")
    if args.data and len(args.data) > 1:
        raise UsageError("--data takes one dataset; use a plan for several (eyechart plan --init)")
    plan = Plan(
        models=tuple(ModelPlan(m, name=args.model_name, device=args.device, precision=args.precision) for m in models),
        datasets=(
            DataPlan(
                args.data[0] if args.data else WORLD,
                name=args.name,
                classes=args.classes,
                split=args.split,
                root=args.root,
                limit=args.limit,
                columns=columns_of(args),
            ),
            *companions_of(args),
        ),
        probes=_split(args.probes),
        profile=_split(args.profile),
        prompts=tuple(dict.fromkeys(args.prompts)) if args.prompts else None,
        targets=targets_of(args),
        exif=args.exif,
        alpha=args.alpha,
        seed=args.seed,
        corruptions=corruptions_of(args),
        default_ood=default_ood_of(args),
        identify=args.identify,
    )
    return examine_and_print(args, with_settings(plan, args), args.out or default_out(plan))


def _split(given: list[str] | None) -> tuple[str, ...] | None:
    """`--probes a,b --probes c` → (a, b, c)."""
    return tuple(name for names in given for name in names.split(",") if name) if given else None
