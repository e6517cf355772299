"""The metrics of the probe `labels_by_group`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(name="label_rate_difference", title="label rate of a group minus all others", difference=True, higher_is_better=None),
    Metric(name="label_p_value", title="p-value of a label between groups", unit="number", higher_is_better=None),
    Metric(
        name="label_p_value_adjusted",
        title="p-value of a label between groups, Benjamini–Hochberg adjusted",
        unit="number",
        higher_is_better=None,
    ),
    Metric(name="label_rate", title="label rate of a group", higher_is_better=None),
    Metric(
        name="label_group_rate", title="pictures of a group of people with any label of a group of labels", higher_is_better=None
    ),
    Metric(
        name="label_group_rate_difference",
        title="rate of any label of a group of labels, a group of people minus all others",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="one_group_labels", title="labels in use that only this group gets", higher_is_better=None),
    Metric(name="labelled_share", title="pictures with any label", higher_is_better=None),
    Metric(
        name="largest_label_rate_difference_at",
        title="largest difference of a label rate between groups, at a threshold",
        difference=True,
        higher_is_better=None,
    ),
    Metric(
        name="largest_label_rate_difference",
        title="largest difference of a label rate between groups",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="skewed_labels", title="labels with different rates between groups", higher_is_better=False),
    Metric(name="skewed_labels_at", title="labels with different rates between groups, at a threshold", higher_is_better=False),
)
