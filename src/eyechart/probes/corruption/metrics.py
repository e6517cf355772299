"""The metrics of the probe `corruption`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(name="clean_accuracy", title="accuracy on clean pictures"),
    Metric(
        name="corrupted_error_rate", title="error rate under a corruption at a severity", higher_is_better=False, rows="wrong"
    ),
    Metric(
        name="corruption_error_rate",
        title="error rate under a corruption, mean over severities",
        higher_is_better=False,
        rows="wrong",
    ),
    Metric(name="mean_corrupted_accuracy", title="accuracy on corrupted pictures"),
    Metric(
        name="relative_accuracy",
        title="accuracy on corrupted pictures relative to clean ones",
        short="accuracy kept when corrupted",
        limits=Limits(
            area="robustness",
            presumes_accuracy=True,
            at_least=0.9,
            low="On corrupted pictures it keeps less than {limit} of its accuracy.",
            good="On corrupted pictures it keeps more than {limit} of its accuracy.",
            unclear="whether it keeps {limit} of its accuracy on corrupted pictures",
        ),
    ),
    Metric(
        name="worst_corruption_error_rate", title="error rate under the worst corruption", higher_is_better=False, rows="wrong"
    ),
    Metric(name="ce", title="corruption error (CE, AlexNet = 1)", unit="number", higher_is_better=False),
    Metric(name="mce", title="mean corruption error (mCE, AlexNet = 1)", unit="number", higher_is_better=False),
)
