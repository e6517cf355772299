import math

import pytest

from eyechart.findings.numbers import format_interval, format_value, level_text, p_equals, p_value, signed_points, slice_text


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
        (0.0004, "p-value", "< 0.001"),
        (0.0512, "p-value", "0.051"),
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


def test_differences_of_fractions_are_in_points():
    assert format_value(-0.031, "points") == "−3.1 points"
    assert format_interval(-0.05, 0.01, "points") == "−5.0 to 1.0"


def test_ranks_have_no_needless_decimals_and_zero_has_no_sign():
    assert format_value(2500.0, "rank") == "2,500" and format_value(2.5, "rank") == "2.5"
    assert format_value(-0.0001, "points") == "0.0 points"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0312, "+3.1 points"), (-0.0312, "−3.1 points"), (0.0, "0.0 points"), (0.0004, "0.0 points"), (-0.0004, "0.0 points"),
     (None, "–")],
)  # fmt: skip
def test_points_have_a_sign_unless_they_are_shown_as_zero(value, text):
    assert signed_points(value) == text


def test_p_values_have_one_form():
    assert [p_value(p) for p in (1.0, 0.04999, 0.001, 0.00099)] == ["1.000", "0.050", "0.001", "< 0.001"]
    assert [p_equals(p) for p in (0.001, 0.00099)] == ["p = 0.001", "p < 0.001"]


def test_chosen_levels_have_no_empty_decimals():
    assert [level_text(x) for x in (0.95, 0.001, 1 / 3)] == ["95%", "0.1%", "33.33%"]
