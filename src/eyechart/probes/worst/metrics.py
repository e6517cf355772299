"""The metrics of the probe `worst`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(name="worst_curve", title="mean accuracy of the k worst classes, for several k"),
    Metric(name="geometric_mean", title="geometric mean of class accuracies"),
    Metric(name="geometric_mean_smoothed", title="geometric mean of class accuracies, smoothed"),
    Metric(name="harmonic_mean", title="harmonic mean of class accuracies"),
    Metric(name="harmonic_mean_smoothed", title="harmonic mean of class accuracies, smoothed", short="harmonic mean of classes"),
    Metric(name="zero_accuracy_share", title="classes at 0% accuracy", higher_is_better=False),
    Metric(name="confusion", title="pictures of a worst class predicted as another", higher_is_better=False, rows="all"),
    Metric(
        name="worst_at_k",
        title="mean accuracy of the k worst classes (worst@k)",
        short="worst@k",
        chance="worst_at_k_chance",
        limits=Limits(
            area="worst classes",
            presumes_accuracy=True,
            below_chance=0.1,
            low="The average hides weak classes: the worst classes are more than {limit} below what chance would give "
            "if all classes were equally accurate.",
            good="The worst classes are within {limit} of what chance would give if all classes were equally accurate.",
            unclear="whether the average hides weak classes",
            least_n=10,
        ),
    ),
    Metric(name="worst_at_k_chance", title="worst@k if all classes were equally accurate", higher_is_better=None),
)
