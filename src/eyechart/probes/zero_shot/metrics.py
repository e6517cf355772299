"""The metrics of the probe `zero_shot`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(
        name="top1",
        title="top-1 accuracy",
        short="top-1",
        chance="chance",
        baseline="majority",
        rows="wrong",
        limits=Limits(
            area="accuracy",
            at_least="halfway",
            low="Top-1 accuracy is below the target ({limit}).",
            good="Top-1 accuracy reaches the target ({limit}).",
            unclear="whether top-1 accuracy reaches the target ({limit})",
        ),
    ),
    Metric(name="top5", title="top-5 accuracy", rows="below_top5"),
    Metric(name="mean_per_class", title="mean per-class accuracy", chance="chance", rows="wrong"),
    Metric(name="class_accuracy", title="accuracy of a class", short="accuracy", rows="wrong"),
    Metric(name="chance", title="chance accuracy", higher_is_better=None),
    Metric(name="majority", title="accuracy of always predicting the most frequent class", higher_is_better=None),
    Metric(
        name="worst_class",
        title="accuracy of the worst class",
        short="worst class",
        chance="chance",
        baseline="mean_per_class",
        rows="wrong",
        limits=Limits(
            area="worst classes",
            presumes_accuracy=True,
            values="class_accuracy",
            by="class",
            at_least="half",
            low="Some classes are never right, or are below the limit ({limit}).",
            good="Every class is above the limit ({limit}).",
            unclear="whether every class is above the limit ({limit})",
            least_n=10,
        ),
    ),
    Metric(name="confusion", title="pictures of a class predicted as another", higher_is_better=False, rows="all"),
    Metric(name="predicted_share", title="unlabeled pictures predicted as a class", higher_is_better=None, rows="all"),
    Metric(name="ties", title="tied predictions", higher_is_better=False),
    Metric(name="top1_merged", title="top-1 accuracy, duplicate classes merged"),
    Metric(name="mean_per_class_merged", title="mean per-class accuracy, duplicate classes merged"),
)
