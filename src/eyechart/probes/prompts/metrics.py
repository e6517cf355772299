"""The metrics of the probe `prompts`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(name="changed_predictions", title="predictions that change with the prompt set", higher_is_better=None),
    Metric(name="unstable_predictions", title="predictions that change with any prompt set", higher_is_better=False),
    Metric(name="ece", title="expected calibration error (ECE)", higher_is_better=False),
    Metric(name="ece_difference", title="ECE minus that of the first prompt set", difference=True, higher_is_better=False),
    Metric(name="factor_difference", title="accuracy under a factor minus that of the first prompt set", difference=True),
    Metric(
        name="largest_top1_change",
        title="largest change of top-1 accuracy by another prompt set",
        short="top-1 change",
        difference=True,
        higher_is_better=None,
        limits=Limits(
            area="class names",
            presumes_accuracy=True,
            at_least=-0.02,
            at_most=0.02,
            low="Other prompts lose more than {limit} of accuracy: the wording matters.",
            high="Other prompts gain more than {limit} of accuracy: the wording matters.",
            good="Other prompts change accuracy by less than {limit}.",
            unclear="whether other prompts change accuracy by more than {limit}",
        ),
    ),
    Metric(name="nll", title="negative log-likelihood (NLL)", unit="nats", higher_is_better=False),
    Metric(
        name="nll_difference",
        title="NLL minus that of the first prompt set",
        unit="nats",
        difference=True,
        higher_is_better=False,
    ),
    Metric(name="ood_auroc", title="AUROC: in-distribution separated from out-of-distribution pictures"),
    Metric(name="ood_auroc_difference", title="OOD AUROC minus that of the first prompt set", difference=True),
    Metric(
        name="ood_fpr95",
        title="FPR95: out-of-distribution pictures accepted at 95% TPR",
        short="FPR95",
        higher_is_better=False,
    ),
    Metric(
        name="ood_fpr95_difference", title="FPR95 minus that of the first prompt set", difference=True, higher_is_better=False
    ),
    Metric(name="top1", title="top-1 accuracy"),
    Metric(name="top1_difference", title="top-1 accuracy minus that of the first prompt set", difference=True),
    Metric(name="worst_factor_accuracy", title="accuracy under the worst factor"),
)
