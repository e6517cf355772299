"""`world` as a dataset: small samples of all sets of the embedded world, each of which some questions need."""

from dataclasses import fields, replace

from eyechart.errors import UsageError
from eyechart.plan import DataPlan, Plan
from eyechart.world.datasets.registry import WORLD

# Small enough for a look, large enough for intervals that say something.
SAMPLES = {
    "world-objects": 540,
    "world-factors": 480,
    "world-cue-conflict": 200,
    "world-ood": 360,
    "world-shifts": 396,
    "world-retrieval": 400,
    "world-scenes": 252,
    "world-size-ratios": 396,
    "world-foils": 180,
    "world-views": 80,
    "world-people": 336,
    "world-long-tail": 360,
    "world-prompts": 216,
}


def with_whole_world(plan: Plan) -> Plan:
    """The plan with all sets of the world in place of `world`, as many pictures of each as its `limit` says."""
    return replace(plan, datasets=tuple(part for entry in plan.datasets for part in _parts(entry)))


def _parts(entry: DataPlan) -> tuple[DataPlan, ...]:
    if entry.source != WORLD:
        return (entry,)
    usual = DataPlan(WORLD)
    said = [
        f.name for f in fields(entry) if f.name not in ("source", "limit") and getattr(entry, f.name) != getattr(usual, f.name)
    ]
    if said:
        listed = " and no ".join(said)
        raise UsageError(f"{WORLD} is all sets of the embedded world and takes no {listed}; leave them out, or name one set")
    return tuple(DataPlan(name, limit=min(entry.limit or most, most)) for name, most in SAMPLES.items())
