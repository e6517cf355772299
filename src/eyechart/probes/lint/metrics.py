"""The metrics of the probe `lint`."""

from eyechart.findings.metric import Metric

METRICS = (
    Metric(name="suspected_label_errors", title="suspected label errors", higher_is_better=False),
    Metric(name="near_duplicates", title="pictures with a near-duplicate of another class", higher_is_better=False),
    Metric(name="leaked_pictures", title="pictures with a near-duplicate in another dataset", higher_is_better=False),
    Metric(name="name_issues", title="class names that look wrong", unit="count", higher_is_better=False),
    Metric(name="unknown_names", title="class names that the model does not seem to know", unit="count", higher_is_better=False),
    Metric(name="one_class_two_names", title="pairs of classes with the same pictures", unit="count", higher_is_better=False),
    Metric(name="permuted_labels", title="classes whose labels look swapped or shifted", unit="count", higher_is_better=False),
)
