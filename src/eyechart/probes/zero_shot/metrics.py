"""The metrics of the probe `zero_shot`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(
        name="top1",
        title="top-1 accuracy",
        chance="chance",
        limits=Limits(
            area="accuracy",
            at_least="chance",
            low="Accuracy is not above chance at 95% confidence.",
            good="Accuracy is above chance.",
            unclear="whether accuracy is above chance",
        ),
    ),
    Metric(name="top5", title="top-5 accuracy"),
    Metric(name="mean_per_class", title="mean per-class accuracy", chance="chance"),
    Metric(name="class_accuracy", title="accuracy of a class"),
    Metric(name="chance", title="chance accuracy", higher_is_better=None),
    Metric(name="worst_class", title="accuracy of the worst class"),
    Metric(name="confusion", title="pictures of a class predicted as another", higher_is_better=False),
    Metric(name="ties", title="tied predictions", higher_is_better=False),
    Metric(name="top1_merged", title="top-1 accuracy, duplicate classes merged"),
    Metric(name="mean_per_class_merged", title="mean per-class accuracy, duplicate classes merged"),
)
