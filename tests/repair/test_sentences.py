"""Names in sentences, and rows of the table in the terminal, by hand."""

import pytest

from eyechart.findings.finding import Finding
from eyechart.repair.sentences import capital, class_or_group, listed, summary_rows, title_of


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, "none"),
        (1, "n0"),
        (8, "n0, n1, n2, n3, n4, n5, n6, n7"),
        (9, "n0, n1, n2, n3, n4, n5, n6, n7 and 1 more"),
        (12, "n0, n1, n2, n3, n4, n5, n6, n7 and 4 more"),
    ],
)
def test_eight_names_are_listed(count, expected):
    assert listed([f"n{i}" for i in range(count)]) == expected


def test_another_separator():
    assert listed(["a", "b"], "; ") == "a; b"


def test_a_class_is_its_name_and_a_group_its_attributes():
    assert class_or_group(Finding(metric="class_accuracy_change", value=0.1, n=3, slice={"class": "tabby cat"})) == "tabby cat"
    group = {"age": "child", "gender": "female"}
    assert class_or_group(Finding(metric="x", value=0.1, n=3, slice=group)) == "age: child × gender: female"


def test_a_capital_letter_comes_first_and_the_rest_stays():
    assert (capital("top-1 Accuracy"), capital(""), capital("é")) == ("Top-1 Accuracy", "", "É")
    assert title_of("no such metric") == "no such metric"


def finding(metric, value, where=None, **more):
    return Finding(metric=metric, value=value, n=1234, slice=where or {}, **more)


def test_rows_are_overall_numbers_with_both_values_and_an_interval():
    before, after = ({"classifier": name} for name in ("before", "after"))
    change = {"low": 0.01, "high": 0.05, "baseline": "before"}
    findings = [
        finding("top1", 0.7, before),
        finding("top1", 0.73, after),
        finding("top1_change", 0.03, **change),
        finding("worst_at_k", 0.1, {**before, "k": 2}),
        finding("worst_at_k", 0.2, {**after, "k": 2}),
        finding("worst_at_k_change", 0.1, {"k": 2}, **change),
        finding("class_accuracy", 0.5, {**before, "class": "cat"}),
        finding("class_accuracy", 0.6, {**after, "class": "cat"}),
        finding("class_accuracy_change", 0.1, {"class": "cat"}, **change),  # not overall
        finding("ece_change", 0.1, **change),  # without its two values
        finding("harm_rate", 0.1, before),
        finding("harm_rate", 0.2, after),
        finding("harm_rate_change", 0.1, baseline="before"),  # without an interval
        finding("mean_per_class", 0.1, before),
        finding("mean_per_class", 0.2, after),
        finding("mean_per_class_change", 0.1, low=0.0, high=0.2),  # of nothing
    ]
    rows = summary_rows(findings)
    assert [row[0] for row in rows] == [title_of("top1"), title_of("worst_at_k")]
    assert rows[0][1:] == ["70.0%", "73.0%", "3.0 points", "1.0 to 5.0", "1,234"]
