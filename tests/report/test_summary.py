import math

import pytest

from eyechart.findings.run import read_run
from eyechart.report.summary import format_interval, format_value, headline_rows, metric_name, slice_text, summary_rows


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.63249, "fraction", "63.2%"),
        (1.0, "fraction", "100.0%"),
        (-0.05, "fraction", "−5.0%"),
        (0.0, "fraction", "0.0%"),
        (12345.0, "count", "12,345"),
        (1.5, "bits", "1.500 bits"),
        (0.00012, "number", "0.00012"),
        (123456.0, "number", "1.23e+05"),
        (-0.25, "number", "−0.250"),
        (0.0, "nats", "0.000 nats"),
        (None, "fraction", "–"),
        (math.nan, "fraction", "–"),
        (math.inf, "bits", "–"),
    ],
)
def test_numbers_are_written_as_a_reader_expects(value, unit, text):
    assert format_value(value, unit) == text


@pytest.mark.parametrize(
    ("low", "high", "unit", "text"),
    [
        (0.6, 0.7, "fraction", "60.0 to 70.0%"),
        (-0.01, 0.02, "fraction", "−1.0 to 2.0%"),
        (1.0, 2.0, "bits", "1.000 to 2.000 bits"),
        (3.0, 4.0, "count", "3 to 4"),
        (None, 0.5, "fraction", ""),
    ],
)
def test_intervals_name_their_unit_once(low, high, unit, text):
    assert format_interval(low, high, unit) == text


def test_an_undefined_bound_is_shown_as_such():
    assert format_interval(math.nan, 0.5, "fraction") == "– to 50.0%"


def test_a_slice_reads_as_words():
    assert slice_text('{"class": "tabby cat", "prompts": "openai-80", "k": 5}') == "class: tabby cat · prompts: openai-80 · k: 5"
    assert slice_text("{}") == ""


def test_metrics_have_names():
    assert (metric_name("top1"), metric_name("some_new_thing")) == ("top-1 accuracy", "some new thing")
    assert metric_name("chance") == "accuracy of guessing"


def test_what_guessing_reaches_stands_beside_its_accuracy(calm_run):
    rows = headline_rows(read_run(calm_run))
    assert {(r.metric, r.chance_text) for r in rows} == {
        ("top1", "guessing: 8.3%"),
        ("mean_per_class", "guessing: 8.3%"),
        ("worst_class", ""),
    }


def test_the_headline_is_each_metric_over_all_rows_and_the_single_worst_class(calm_run):
    rows = headline_rows(read_run(calm_run))
    first = [(r.metric, r.prompts, r.where) for r in rows if r.model == "ViT-B-32 · laion2b"]
    assert first == [
        ("top1", "openai-80", ""),
        ("top1", "single", ""),
        ("mean_per_class", "openai-80", ""),
        ("mean_per_class", "single", ""),
        ("worst_class", "openai-80", "class: tabby cat"),
        ("worst_class", "single", "class: tabby cat"),
    ]


def test_terminal_rows_are_text_but_for_n(calm_run):
    model, dataset, probe, metric, value, interval, n = summary_rows(read_run(calm_run))[0]
    assert (model, dataset, probe) == ("ViT-B-32 · laion2b", "garden visitors", "zero_shot")
    assert metric == "top-1 accuracy (prompts: openai-80)"
    assert value.endswith("%") and " to " in interval and n == 600


def test_of_very_many_numbers_the_first_of_each_question_is_told(calm_run):
    run = read_run(calm_run)
    every = summary_rows(run)
    assert summary_rows(run, most=len(every)) == every
    brief = summary_rows(run, most=len(every) - 1)
    assert [(row[0], row[2]) for row in brief] == [(model, "zero_shot") for model in run.models]
    assert all(row[3] == "top-1 accuracy (prompts: openai-80)" for row in brief)
