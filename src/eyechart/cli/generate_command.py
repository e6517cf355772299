"""`eyechart generate`: prompts with the same objects in every rotation, and pictures of them by a text-to-image model."""

import argparse
from pathlib import Path

from eyechart.cli.options import add_json, positive, whole
from eyechart.cli.printing import print_json, say
from eyechart.notice import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", type=Path, metavar="OUT", help="a new or empty folder, or that of an interrupted run")
    parser.add_argument(
        "--generator", metavar="G",
        help="diffusers:MODEL, or world:first-largest or world:no-order, which compose pictures (default: none, only prompts)",
    )  # fmt: skip
    parser.add_argument(
        "--names", metavar="LIST|FILE", help="a class list or a file of names (default: coco-80; the world's own for world:HABIT)"
    )
    parser.add_argument("--objects", type=positive, default=3, metavar="N", help="objects in a prompt, 2 to 8 (default: 3)")
    parser.add_argument("--sets", type=positive, default=50, metavar="N", help="sets of objects (default: 50)")
    parser.add_argument("--seeds", type=positive, default=1, metavar="N", help="pictures per prompt (default: 1)")
    parser.add_argument("--template", default="{}", metavar="TEXT", help="such as 'a photo of {}' (default: {})")
    parser.add_argument("--every-order", action="store_true", help="all permutations of a set, not only its rotations")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="seed of the choice of sets (default: 0)")
    parser.add_argument("--device", default="cpu", help="device of a pipeline: cpu, cuda or mps (default: cpu)")
    parser.add_argument("--steps", type=positive, metavar="N", help="inference steps of a pipeline (default: its own)")
    parser.add_argument("--guidance", type=float, metavar="X", help="guidance scale of a pipeline (default: its own)")
    parser.add_argument("--side", type=positive, default=224, metavar="PX", help="side of composed pictures (default: 224)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    add_json(parser)
    parser.set_defaults(run=run, if_interrupted="all generated pictures are complete; run the same command again to continue")


def run(args: argparse.Namespace) -> int:
    from eyechart.generators.folder import draw_all, write_prompts
    from eyechart.generators.open import open_generator
    from eyechart.generators.prompt_plan import plan_prompts
    from eyechart.progress import SilentProgress, TerminalProgress

    jobs = plan_prompts(
        _names(args),
        objects=args.objects,
        sets=args.sets,
        seeds=args.seeds,
        template=args.template,
        every_order=args.every_order,
        seed=args.seed,
    )
    drawn = 0
    if args.generator is None:
        write_prompts(args.out, jobs, "unnamed")
    else:
        generator = open_generator(args.generator, device=args.device, steps=args.steps, guidance=args.guidance, side=args.side)
        drawn = draw_all(args.out, jobs, generator, SilentProgress() if args.quiet else TerminalProgress())
    if args.json:
        print_json({"out": str(args.out), "prompts": len(jobs), "drawn": drawn})
        return 0
    say(f"{counted(len(jobs), 'prompt')} in {args.out / 'prompts.jsonl'}, {counted(drawn, 'picture')} generated")
    if args.generator is None:
        say("generate a picture for each prompt with its seed, and save it at the path in the table")
    say(f"examine with: eyechart examine --model M --data generated:{args.out} --probes generation")
    return 0


def _names(args: argparse.Namespace) -> list[str]:
    """The names of the objects. The world draws its own objects only."""
    from eyechart.data.class_file import read_classes
    from eyechart.errors import UsageError
    from eyechart.notice import shortened
    from eyechart.world.drawing import NAMES

    of_world = args.generator is not None and args.generator.startswith("world:")
    if args.names is None and of_world:
        return list(NAMES)
    names = [c.name for c in read_classes(args.names or "coco-80")]
    absent = [name for name in names if name not in NAMES] if of_world else []
    if absent:
        raise UsageError(
            f"--names {args.names}: the world cannot draw {shortened(absent)} ({len(absent)} of {len(names)} names); leave out "
            f"--names for its own objects ({', '.join(NAMES)}), or use another generator: --generator diffusers:MODEL"
        )
    return names
