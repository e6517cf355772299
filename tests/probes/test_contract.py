"""What a probe must declare and return; mistakes are named at once."""

from dataclasses import dataclass, replace
from typing import get_args

import pytest

from eyechart.findings.finding import Finding
from eyechart.findings.metric import Metric
from eyechart.probes.contract import Answer, DefaultCompanion, probe
from eyechart.probes.registry import get_probe
from eyechart.probes.testing import known_predictions

SHARE = Metric(name="share", title="share")


@dataclass(frozen=True)
class Settings:
    seed: int = 0


def made(ask=None, **changes):
    """A probe with these declarations."""

    def share(inputs):
        """How large is the share?"""
        return ask(inputs) if ask else Answer([Finding(metric="share", value=0.5, n=1)])

    return probe(**{"version": 1, "needs": ("images",), "settings": Settings(), "metrics": (SHARE,), **changes})(share)


def inputs():
    return known_predictions([0], [0], ["cat", "dog"], Settings())


def test_a_probe_answers():
    assert made().ask(inputs()).findings[0].value == 0.5


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"needs": ("photos",)}, "unknown need 'photos'"),
        ({"needs": "images"}, "needs is a tuple"),
        ({"headline": "share"}, "headline is a tuple"),
        ({"headline": ("other",)}, "names the metric 'other'"),
        ({"settings": {}}, "an instance of a frozen dataclass"),
        ({"settings": Settings}, "an instance of a frozen dataclass"),
        ({"metrics": (SHARE, SHARE)}, "declares share twice"),
        ({"wants": ("photos",)}, "unknown need 'photos'"),
        ({"profiles": ("photos",)}, "unknown profile 'photos'"),
        ({"default_companions": ("photos",), "compares": True}, "default_companions is a tuple of"),
        ({"default_companions": get_args(DefaultCompanion)[:1]}, "of a probe that compares"),
        ({"metrics": (Metric(name="share", title="share", baseline="guess"),)}, "names the metric 'guess'"),
        ({"metrics": (Metric(name="share", title="share", chance="guess"),)}, "names the metric 'guess'"),
    ],
)
def test_wrong_declarations_are_named(changes, reason):
    with pytest.raises(TypeError, match=reason):
        made(**changes)


def test_an_undeclared_metric_fails_where_it_is_reported():
    with pytest.raises(TypeError, match="reports the metric 'other', but does not declare it"):
        made(lambda _: Answer([Finding(metric="other", value=1.0, n=1)])).ask(inputs())


def test_two_records_of_predictions_for_one_classifier_are_refused():
    zero_shot = get_probe("zero_shot")
    (given,) = zero_shot.ask(replace(inputs(), settings=zero_shot.settings)).predictions
    with pytest.raises(TypeError, match="two records of predictions"):
        made(lambda _: Answer([], predictions=[given, given])).ask(inputs())


def test_an_answer_is_an_answer():
    with pytest.raises(TypeError, match="returned a list"):
        made(lambda _: []).ask(inputs())


def test_a_docstring_that_is_no_question_is_refused():
    def share(inputs):
        """The share."""

    with pytest.raises(TypeError, match="ending with"):
        probe(version=1, needs=(), settings=Settings(), metrics=())(share)


def test_companions_of_a_probe_that_compares_are_declared():
    known = get_args(DefaultCompanion)
    assert made(default_companions=known, compares=True).default_companions == known


def test_a_headline_may_fill_the_placeholder_of_a_metric():
    of_k = Metric(name="recall_at_{k}", title="recall at {k}")
    assert made(metrics=(SHARE, of_k), headline=("recall_at_5",)).headline == ("recall_at_5",)
