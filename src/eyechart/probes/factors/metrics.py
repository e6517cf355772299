"""The metrics of the probe `factors`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(name="conjunction_accuracy", title="accuracy under a combination of factors", rows="wrong"),
    Metric(name="overall_accuracy", title="accuracy on all pictures", rows="wrong"),
    Metric(name="error_ratio", title="error rate under a factor relative to all pictures", unit="ratio", higher_is_better=False),
    Metric(name="factor_accuracy", title="accuracy under a factor", rows="wrong"),
    Metric(
        name="factor_gap",
        title="accuracy under a factor minus accuracy on all pictures",
        short="accuracy change",
        difference=True,
        rows="wrong",
        limits=Limits(
            area="robustness",
            presumes_accuracy=True,
            at_least=-0.1,
            by="factor",
            low="Visual factors cost more than {limit} of accuracy.",
            good="No visual factor costs {limit} of accuracy.",
            unclear="whether a visual factor costs more than {limit} of accuracy",
        ),
    ),
    Metric(name="worst_factor_accuracy", title="accuracy under the worst factor", rows="wrong"),
    Metric(name="worst_factor_gap", title="accuracy under the worst factor minus accuracy on all pictures", difference=True),
    Metric(
        name="paired_drop",
        title="accuracy lost when a factor is added to the same scene",
        difference=True,
        higher_is_better=False,
    ),
    Metric(
        name="worst_conjunction_p_value",
        title="p-value of the worst combination of factors",
        unit="p-value",
        higher_is_better=None,
    ),
    Metric(name="worst_conjunction_accuracy", title="accuracy under the worst combination of factors", rows="wrong"),
)
