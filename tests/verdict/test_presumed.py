"""A value that presumes another one: without names that are found, a lead of the first object says nothing."""

import pytest
from tests.found import run_of, table_of

from eyechart.findings.finding import Finding
from eyechart.verdict.verdict import verdict_of


def lead(recall, chance, value=0.0):
    findings = [
        Finding(metric="first_object_lead", value=value, n=480, low=value - 0.03, high=value + 0.03),
        Finding(metric="top_n_recall", value=recall, n=480, low=recall - 0.01, high=recall + 0.01),
        Finding(metric="top_n_recall_chance", value=chance, n=480),
    ]
    return verdict_of(run_of(table_of(findings, probe="first_object")), "m")


def test_a_lead_is_not_good_where_hardly_any_name_is_found():
    verdict = lead(0.082, 0.05)
    (ruling,) = verdict.inconclusive
    assert ruling.remedy == "Not judged: objects retrieved among the n nearest names 8.2%, chance 5.0%."
    assert not verdict.good and verdict.areas["words and objects"] == "inconclusive"


@pytest.mark.parametrize(("recall", "chance"), [(0.6, 0.05), (0.9, 0.6)])
def test_a_lead_is_good_where_names_are_found(recall, chance):
    assert lead(recall, chance).areas["words and objects"] == "good"


def test_a_large_lead_stays_a_warning():
    assert lead(0.082, 0.05, value=0.4).areas["words and objects"] == "bad"


def test_without_the_other_number_the_value_is_judged_by_itself():
    findings = [Finding(metric="first_object_lead", value=0.0, n=480, low=-0.03, high=0.03)]
    assert verdict_of(run_of(table_of(findings, probe="first_object")), "m").areas["words and objects"] == "good"
