"""Numbers as text: the one place where values, intervals and slices are formatted, for page, terminal, Markdown and exports."""

import json
import math
from typing import Any

NO_VALUE = "–"


def format_value(value: float | None, unit: str) -> str:
    """A value with its unit.

    Fractions are shown in percent and differences of fractions in points, both with one decimal; counts as whole numbers; all
    else with three decimals and the unit's name.

    >>> format_value(0.972, "fraction"), format_value(-0.031, "points"), format_value(1.25, "nats")
    ('97.2%', '−3.1 points', '1.250 nats')
    """
    number, sign = number_and_unit(value, unit)
    return f"{number}{sign}" if sign in {"", "%"} else f"{number} {sign}"


def number_and_unit(value: float | None, unit: str) -> tuple[str, str]:
    """The digits, and the unit after them: "%", a name, or nothing."""
    if value is None or not math.isfinite(value):
        return NO_VALUE, ""
    if unit in {"fraction", "points"}:
        return _signed(f"{100 * value:.1f}"), "%" if unit == "fraction" else unit
    if unit == "count":
        return _signed(f"{value:,.0f}"), ""
    if unit == "p-value":
        return p_value(value), ""
    if unit == "rank":
        return f"{value:,.1f}".removesuffix(".0"), ""
    # Three decimals, unless that would round to zero or show more digits than are significant.
    digits = f"{value:.3f}" if 0.01 <= abs(value) < 1000 or value == 0 else f"{value:.3g}"
    return digits.replace("-", "−"), "" if unit in {"number", "1"} else unit


def percent(value: float | None) -> str:
    """A fraction in percent, for a sentence.

    >>> percent(0.972), percent(None)
    ('97.2%', '–')
    """
    return format_value(value, "fraction")


def level_text(value: float) -> str:
    """A chosen fraction, such as a confidence level or a threshold, without decimals that are zero.

    >>> level_text(0.95), level_text(0.025)
    ('95%', '2.5%')
    """
    return f"{100 * value:.4g}%"


def points(value: float | None) -> str:
    """A difference of fractions in points; '1.0 points' too.

    >>> points(-0.031)
    '−3.1 points'
    """
    return format_value(value, "points")


def signed_points(value: float | None) -> str:
    """A difference of fractions in points, with its sign.

    >>> signed_points(0.031), signed_points(-0.031), signed_points(0.0)
    ('+3.1 points', '−3.1 points', '0.0 points')
    """
    text = points(value)
    return f"+{text}" if value is not None and value > 0 and text.strip("0. points") else text


def number(value: float | None) -> str:
    """A number without a unit, such as a ratio or a correlation.

    >>> number(0.4567), number(-12.5)
    ('0.457', '−12.500')
    """
    return format_value(value, "number")


def p_value(p: float) -> str:
    """A p-value: three decimals, or that it is below 0.001.

    >>> p_value(0.0123), p_value(2e-5)
    ('0.012', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_equals(p: float) -> str:
    """A p-value for a sentence.

    >>> p_equals(0.0123), p_equals(2e-5)
    ('p = 0.012', 'p < 0.001')
    """
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _signed(digits: str) -> str:
    """With a minus sign for a hyphen, and none before zero."""
    return digits.replace("-", "−") if digits.strip("-0.,") else digits.lstrip("-")


def format_interval(low: float | None, high: float | None, unit: str) -> str:
    """An interval with its unit once; empty where there is none.

    >>> format_interval(0.951, 0.983, "fraction"), format_interval(-0.05, -0.01, "points")
    ('95.1 to 98.3%', '−5.0 to −1.0')
    """
    if low is None or high is None:
        return ""
    if unit == "fraction":
        return f"{format_value(low, unit).removesuffix('%')} to {format_value(high, unit)}"
    if unit == "points":  # the value next to it has the unit
        return f"{number_and_unit(low, unit)[0]} to {number_and_unit(high, unit)[0]}"
    first = format_value(low, unit)
    return f"{first.removesuffix(' ' + unit)} to {format_value(high, unit)}"


def format_estimate(value: float | None, low: float | None, high: float | None, unit: str) -> str:
    """A value with its interval in brackets, where it has one.

    >>> format_estimate(-0.031, -0.05, -0.01, "points")
    '−3.1 points (−5.0 to −1.0)'
    """
    interval = format_interval(low, high, unit)
    return format_value(value, unit) + (f" ({interval})" if interval else "")


def slice_text(key: str) -> str:
    """A slice as text; empty for all rows.

    >>> slice_text('{"class": "tabby cat", "prompts": "openai-80"}')
    'class: tabby cat · prompts: openai-80'
    """
    parts = json.loads(key)
    return " · ".join(f"{name}: {word(value)}" for name, value in parts.items())


def word(value: Any) -> str:
    """A slice's value as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
