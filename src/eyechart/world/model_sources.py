"""The model sources of the embedded world: `zoo:NAME` and `demo:`. The package adds them to those of `eyechart.models`."""

from eyechart.models.sources import DUAL_ENCODER, ModelSource

ZOO = ModelSource(
    prefix="zoo",
    target="eyechart.world.zoo:open",
    example="zoo:default",
    gives=(*DUAL_ENCODER, "patches", "attention"),
    description="a small model trained in the embedded world, healthy or with a planted defect",
)
DEMO = ModelSource(
    prefix="demo",
    target="eyechart.world.zoo:open_default",
    example="demo:",
    gives=(*DUAL_ENCODER, "patches", "attention"),
    description="the small model that ships with Eyechart, short for zoo:default",
    needs_name=False,
)
