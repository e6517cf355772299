"""Mean corruption error (mCE): error rates under corruption divided by AlexNet's (Hendrycks and Dietterich, 2019)."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

SEVERITIES = (1, 2, 3, 4, 5)


def reference_errors(benchmark: str | None) -> Mapping[str, float]:
    """AlexNet's error by corruption, mean over severities, on a published set; empty where it is not known."""
    content = _content()
    return dict(content[benchmark]["errors"]) if benchmark in content and benchmark != "about" else {}


def mean_corruption_error(errors: Mapping[str, float], reference: Mapping[str, float]) -> float:
    """mCE = mean over corruptions c of (mean over severities of the error) / (the same of the reference); both are given by
    corruption, as means over severities 1 to 5.

    >>> mean_corruption_error({"fog": 0.4, "snow": 0.9}, {"fog": 0.8, "snow": 0.9})
    0.75
    """
    return sum(errors[c] / reference[c] for c in errors) / len(errors)


@cache
def _content() -> dict:  # type: ignore[type-arg]
    content: dict = json.loads((files("eyechart.metrics.classification") / "alexnet_errors.json").read_text(encoding="utf-8"))  # type: ignore[type-arg]
    return content
