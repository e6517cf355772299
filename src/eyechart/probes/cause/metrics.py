"""The metrics of the probe `cause`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(
        name="strongest_training_effect",
        title="strongest effect of a training difference",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="training_effect", title="effect of a training difference", difference=True, higher_is_better=None),
)
