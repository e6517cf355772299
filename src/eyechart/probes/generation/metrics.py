"""The metrics of the probe `generation`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(name="all_present", title="generated pictures that show all named objects", higher_is_better=None),
    Metric(
        name="first_object_present_effect",
        title="effect of being named first on being drawn",
        difference=True,
        higher_is_better=None,
    ),
    Metric(
        name="first_object_prominent",
        title="generated pictures in which the first-named object is the most prominent",
        higher_is_better=None,
    ),
    Metric(
        name="first_object_prominent_effect",
        title="effect of being named first on being the most prominent",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="present", title="objects drawn, by position in the prompt", higher_is_better=None),
    Metric(name="present_chance", title="objects detected that were not named", higher_is_better=None),
    Metric(name="present_change", title="objects drawn, this position minus another", difference=True, higher_is_better=None),
    Metric(name="prominent", title="object is the most prominent, by position in the prompt", higher_is_better=None),
    Metric(name="prominent_chance", title="chance of being the most prominent", higher_is_better=None),
    Metric(
        name="prominent_change",
        title="object is the most prominent, this position minus another",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="scorer_agreement", title="largest object ranked first by the scoring model"),
    Metric(name="scorer_recall", title="present objects detected by the scoring model"),
    Metric(name="scorer_false_positive_rate", title="absent objects detected by the scoring model", higher_is_better=False),
)
