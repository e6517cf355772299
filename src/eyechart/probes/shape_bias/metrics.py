"""The metrics of the probe `shape_bias`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(name="category_shape_bias", title="shape bias of a category", higher_is_better=None),
    Metric(name="cue_share", title="decisions for the shape or the texture category", higher_is_better=None),
    Metric(
        name="shape_bias",
        title="shape bias (shape decisions among shape and texture decisions)",
        higher_is_better=None,
        limits=Limits(
            area="shape and texture",
            at_least=0.5,
            low="Where shape and texture disagree, it decides by texture.",
            good="Where shape and texture disagree, it decides by shape.",
            unclear="whether it decides by shape or by texture",
        ),
    ),
    Metric(name="shape_share", title="decisions for the shape category", higher_is_better=None),
    Metric(name="texture_share", title="decisions for the texture category", higher_is_better=None),
    Metric(name="stylized_accuracy", title="top-1 accuracy on stylized pictures"),
    Metric(name="gap_to_humans", title="shape bias minus that of humans", difference=True, higher_is_better=None),
    Metric(name="agreeing_accuracy", title="accuracy where shape and texture agree", higher_is_better=None),
)
