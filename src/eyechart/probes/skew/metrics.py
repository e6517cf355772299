"""The metrics of the probe `skew`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(name="bias_at_k", title="bias@k of a query towards a group", unit="number", higher_is_better=None),
    Metric(name="group_accuracy", title="accuracy of a group", rows="wrong"),
    Metric(name="largest_skew_above_chance", title="largest MaxSkew@k above chance", unit="number", higher_is_better=False),
    Metric(name="max_skew", title="MaxSkew@k of a query", unit="number", higher_is_better=False),
    Metric(name="mean_max_skew", title="MaxSkew@k, mean over queries", unit="number", higher_is_better=False),
    Metric(name="mean_ndkl", title="NDKL, mean over queries", unit="number", higher_is_better=False),
    Metric(name="ndkl", title="NDKL of a query", unit="number", higher_is_better=False),
    Metric(name="skew_above_chance", title="MaxSkew@k above chance", unit="number", higher_is_better=False),
    Metric(name="worst_group_accuracy", title="accuracy of the worst group", rows="wrong"),
    Metric(
        name="worst_group_gap",
        title="accuracy of the worst group minus the others",
        short="worst group",
        difference=True,
        rows="wrong",
        limits=Limits(
            area="groups",
            presumes_accuracy=True,
            at_least=-0.05,
            low="Accuracy on one group is more than {limit} below the others.",
            good="No group is more than {limit} below the others in accuracy.",
            unclear="whether accuracy on one group is more than {limit} below the others",
        ),
    ),
    Metric(
        name="association",
        title="association of a group with pleasant words (effect size d)",
        unit="number",
        higher_is_better=None,
    ),
    Metric(name="association_p_value", title="p-value of the association", unit="number", higher_is_better=None),
)
