"""The metrics of the probe `caption_order`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(
        name="largest_first",
        title="captions that name the largest object first",
        higher_is_better=None,
        chance="largest_first_chance",
    ),
    Metric(
        name="largest_first_chance", title="captions that would name the largest object first by chance", higher_is_better=None
    ),
    Metric(
        name="largest_first_difference",
        title="captions that name the largest object first, minus chance",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="largest_at_position", title="captions that name the largest object at this position", higher_is_better=None),
    Metric(
        name="size_effect",
        title="effect of being the larger object on being named first, for the same two names",
        difference=True,
        higher_is_better=None,
    ),
)
