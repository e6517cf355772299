"""The metrics of the probe `calibration`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(name="accuracy", title="accuracy", rows="wrong"),
    Metric(name="aurc", title="area under the risk–coverage curve (AURC)", higher_is_better=False),
    Metric(name="brier", title="Brier score", unit="number", higher_is_better=False),
    Metric(name="classwise_ece", title="class-wise calibration error (classwise ECE)", higher_is_better=False),
    Metric(
        name="confidence_auroc",
        title="confidence AUROC (correct predictions separated from errors)",
        short="AUROC of confidence",
        limits=Limits(
            area="calibration",
            at_least=0.7,
            low="Its confidence hardly separates correct answers from errors (AUROC below {limit}).",
            good="Its confidence separates correct answers from errors (AUROC above {limit}).",
            unclear="whether its confidence separates correct answers from errors (AUROC above {limit})",
        ),
    ),
    Metric(name="ece", title="expected calibration error (ECE)", short="ECE", higher_is_better=False),
    Metric(name="nll", title="negative log-likelihood (NLL)", unit="nats", higher_is_better=False),
    Metric(
        name="overconfidence",
        title="overconfidence (confidence − accuracy)",
        short="overconfidence",
        difference=True,
        higher_is_better=None,
        limits=Limits(
            area="calibration",
            at_least=-0.05,
            at_most=0.05,
            low="It is underconfident by more than {limit}: do not use its probabilities as they are.",
            high="It is overconfident by more than {limit}: do not use its probabilities as they are.",
            good="Its confidence matches its accuracy within {limit}.",
            unclear="whether its confidence matches its accuracy within {limit}",
        ),
    ),
    Metric(name="rms_ece", title="root-mean-square calibration error", higher_is_better=False),
    Metric(
        name="aurc_scaled", title="area under the risk–coverage curve (AURC), after temperature scaling", higher_is_better=False
    ),
    Metric(name="brier_scaled", title="Brier score, after temperature scaling", unit="number", higher_is_better=False),
    Metric(
        name="classwise_ece_scaled",
        title="class-wise calibration error (classwise ECE), after temperature scaling",
        higher_is_better=False,
    ),
    Metric(
        name="confidence_auroc_scaled",
        title="confidence AUROC (correct predictions separated from errors), after temperature scaling",
    ),
    Metric(name="ece_scaled", title="expected calibration error (ECE), after temperature scaling", higher_is_better=False),
    Metric(
        name="nll_scaled", title="negative log-likelihood (NLL), after temperature scaling", unit="nats", higher_is_better=False
    ),
    Metric(
        name="overconfidence_scaled",
        title="overconfidence (confidence − accuracy), after temperature scaling",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="rms_ece_scaled", title="root-mean-square calibration error, after temperature scaling", higher_is_better=False),
    Metric(name="aurc_change", title="change of AURC by temperature scaling", difference=True, higher_is_better=False),
    Metric(
        name="brier_change",
        title="change of Brier score by temperature scaling",
        unit="number",
        difference=True,
        higher_is_better=False,
    ),
    Metric(name="confidence_auroc_change", title="change of confidence AUROC by temperature scaling", difference=True),
    Metric(name="ece_change", title="change of ECE by temperature scaling", difference=True, higher_is_better=False),
    Metric(name="nll_change", title="change of NLL by temperature scaling", unit="nats", difference=True, higher_is_better=False),
    Metric(name="ece_if_calibrated", title="ECE that a calibrated model would show by chance", higher_is_better=None),
    Metric(name="logit_scale", title="logit scale of the model", unit="number", higher_is_better=None),
    Metric(name="selective_risk", title="error rate among the most confident predictions", higher_is_better=False),
    Metric(name="temperature", title="fitted temperature", unit="number", higher_is_better=None),
)
