"""`eyechart demo`: examine the built-in model on small samples of the embedded world, offline."""

import argparse
from pathlib import Path

from eyechart.cli.options import add_running
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.world.datasets.registry import WORLD

# The zoo shows planted defects next to healthy twins, and the effects of training.
_ZOO_SAMPLES = {
    "world-objects": 360,
    "world-factors": 480,
    "world-cue-conflict": 200,
    "world-retrieval": 300,
    "world-scenes": 252,
    "world-foils": 180,
    "world-people": 336,
}
_ZOO_PROBES = (
    "zero_shot", "factors", "shape_bias", "calibration", "retrieval", "first_object", "large_object", "composition",
    "class_groups", "cause", "progression", "answers", "picture_use", "self_agreement", "object_hallucination",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("demo"), metavar="DIR", help="folder for the results (default: demo)")
    parser.add_argument(
        "--full",
        action="store_true",
        help="all models of the zoo, and the effects of their training (takes minutes; see docs/zoo.md)",
    )
    add_running(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.cli.examining import examine_and_print

    return examine_and_print(args, full_plan() if args.full else small_plan(), args.out)


def small_plan() -> Plan:
    return Plan(models=(ModelPlan("demo:"),), datasets=(DataPlan(WORLD),), prompts=("single", "bare"))


def full_plan() -> Plan:
    """Every installed model of the zoo, checkpoints included; only the default model where the zoo is not installed."""
    from eyechart.world.zoo import checkpoints, present

    models = tuple(ModelPlan(f"zoo:{name}") for name in (*present(), *checkpoints()))
    datasets = tuple(DataPlan(name, limit=limit) for name, limit in _ZOO_SAMPLES.items())
    return Plan(models=models, datasets=datasets, probes=_ZOO_PROBES, prompts=("single",))
