"""Shares as findings: values, numbers of rows and intervals against SciPy."""

import numpy as np
import pytest
from scipy.stats import binomtest

from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, clustered_share, share_difference
from eyechart.models.answering import Reply
from eyechart.probes.tasks.answer_reading import ReadReply
from eyechart.probes.tasks.reply_counts import reply_findings
from eyechart.probes.tasks.share_findings import difference_finding, named_share_finding, share_finding

SEVEN, FIVE = (clustered_share(np.arange(10) < hits, np.arange(10)) for hits in (7, 5))


def test_a_share_has_wilsons_interval_and_its_own_number_of_rows():
    found = share_finding("top1", SEVEN, {"a": 1})
    expected = binomtest(7, 10).proportion_ci(method="wilson")
    assert (found.metric, found.value, found.n, found.slice, found.interval) == ("top1", 0.7, 10, {"a": 1}, HOW)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    other = share_finding("top1", SEVEN, n=0, interval="another")
    assert (other.n, other.interval, other.slice) == (0, "another", {})


def test_a_difference_subtracts_the_second_share():
    found = difference_finding("gain", SEVEN, FIVE, {"a": 1}, baseline="five")
    assert (found.value, found.n, found.baseline, found.interval) == (pytest.approx(0.2), 10, "five", HOW_TWO)
    assert (found.low, found.high) == tuple(share_difference(SEVEN, FIVE)) and found.low < 0.2 < found.high
    assert difference_finding("gain", SEVEN, FIVE, n=3).n == 3


def test_a_mean_over_scenes_that_share_names():
    found = named_share_finding("tor", [1.0, 0.0, 1.0, 1.0], np.array([[0, 1], [1, 2], [3, 4], [4, 5]]), {"b": 2}, baseline="c")
    assert (found.value, found.n, found.slice, found.baseline) == (0.75, 4, {"b": 2}, "c")
    assert 0 <= found.low < 0.75 < found.high <= 1


def test_replies_are_counted_by_their_outcome_and_tokens_where_they_are_known():
    outcomes = ["several", "none", "refused", "empty", "unreadable", "unreadable", "named", "named"]
    read = [ReadReply(outcome=outcome) for outcome in outcomes]
    replies = [Reply(text="", prompt_tokens=10 if i < 3 else None, reply_tokens=i, cost=None) for i in range(8)]
    found = {f.metric: f for f in reply_findings(replies, read, np.array([5, 5, 1, 1, 2, 2, 3, 3]), {"s": 1})}
    assert {name: f.value for name, f in found.items() if name != "prompt_tokens" and name != "reply_tokens"} == {
        "undecided": 0.25, "refused": 0.125, "empty": 0.125, "unreadable": 0.25,
    }  # fmt: skip
    assert (found["prompt_tokens"].value, found["prompt_tokens"].n) == (30.0, 3)
    assert (found["reply_tokens"].value, found["reply_tokens"].n) == (28.0, 8)
    assert all(f.slice == {"s": 1} for f in found.values()) and found["undecided"].n == 8
