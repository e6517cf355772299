"""The metrics of the probe `ood`."""

from eyechart.findings.metric import DIFFERENT_PICTURES, Limits, Metric

COUNT = "ood_pictures"  # how many out-of-distribution pictures there are; n counts the others too
METRICS = (
    Metric(name="aupr_in", title="AUPR, in-distribution pictures as positives", outside=COUNT),
    Metric(name="aupr_out", title="AUPR, out-of-distribution pictures as positives", outside=COUNT),
    Metric(name="auroc", title="AUROC of an OOD score", outside=COUNT),
    Metric(name="auroc_mean_per_class", title="AUROC of an OOD score, mean over classes", outside=COUNT),
    Metric(
        name=DIFFERENT_PICTURES,
        title="different pictures of the in-distribution and of the out-of-distribution set",
        unit="count",
        higher_is_better=None,
    ),
    Metric(name="fpr95", title="FPR95 of an OOD score", higher_is_better=False, rows="accepted", outside=COUNT),
    Metric(
        name="fpr95_mean_per_class",
        title="FPR95 of an OOD score, mean over classes",
        higher_is_better=False,
        outside=COUNT,
    ),
    Metric(
        name="ood_auroc",
        title="AUROC: in-distribution separated from out-of-distribution pictures",
        short="OOD AUROC",
        outside=COUNT,
    ),
    Metric(
        name="ood_fpr95",
        title="FPR95: out-of-distribution pictures accepted at 95% TPR",
        short="FPR95",
        higher_is_better=False,
        rows="accepted",
        outside=COUNT,
        limits=Limits(
            area="out-of-distribution",
            at_most=0.2,
            high="More than {limit} of out-of-distribution pictures are accepted at 95% TPR.",
            good="Less than {limit} of out-of-distribution pictures are accepted at 95% TPR.",
            unclear="whether more than {limit} of out-of-distribution pictures are accepted at 95% TPR",
        ),
    ),
    Metric(name=COUNT, title="out-of-distribution pictures", unit="count", higher_is_better=None),
)
