"""The metrics of the probe `shift`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(name="accuracy_drop", title="accuracy drop under a shift", difference=True, higher_is_better=False),
    Metric(name="mean_accuracy_drop", title="mean accuracy drop under shift", difference=True, higher_is_better=False),
    Metric(name="mean_shifted_accuracy", title="mean accuracy under shift"),
    Metric(name="shifted_accuracy", title="accuracy under a shift", rows="wrong"),
    Metric(name="source_accuracy", title="accuracy without the shift"),
    Metric(
        name="worst_accuracy_drop",
        title="accuracy drop under the worst shift",
        short="accuracy drop",
        difference=True,
        rows="wrong",
        higher_is_better=False,
        limits=Limits(
            area="robustness",
            presumes_accuracy=True,
            at_most=0.1,
            high="Accuracy drops by more than {limit} under distribution shift.",
            good="Accuracy drops by less than {limit} under distribution shift.",
            unclear="whether accuracy drops by more than {limit} under distribution shift",
        ),
    ),
    Metric(
        name="effective_robustness", title="effective robustness (accuracy above the line of standard models)", difference=True
    ),
)
