"""The named datasets of the embedded world. Importing this imports none of them."""

from eyechart.registry import Registry

WORLD = "world"  # small samples of all of them
WORLD_DATASETS = Registry(
    "dataset of the embedded world",
    {
        "world-objects": "eyechart.world.datasets.objects:OBJECTS",
        "world-factors": "eyechart.world.datasets.factors:FACTORS",
        "world-cue-conflict": "eyechart.world.datasets.cue_conflict:CUE_CONFLICT",
        "world-ood": "eyechart.world.datasets.ood:OOD",
        "world-shifts": "eyechart.world.datasets.shifts:SHIFTS",
        "world-retrieval": "eyechart.world.datasets.retrieval:RETRIEVAL",
        "world-scenes": "eyechart.world.datasets.scenes:SCENES",
        "world-size-ratios": "eyechart.world.datasets.size_ratios:SIZE_RATIOS",
        "world-foils": "eyechart.world.datasets.foils:FOILS",
        "world-views": "eyechart.world.datasets.views:VIEWS",
        "world-people": "eyechart.world.datasets.people:PEOPLE",
        "world-prompts": "eyechart.world.datasets.prompts:PROMPTS",
        "world-long-tail": "eyechart.world.datasets.long_tail:LONG_TAIL",
    },
)
