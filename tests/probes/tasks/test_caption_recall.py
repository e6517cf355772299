"""Shares of positions by hand: of all captions, and of those whose names are all retrieved."""

import numpy as np
import pytest
from tests.probes.staged import object_ranks_of

from eyechart.findings.finding import Finding
from eyechart.probes.tasks.caption_recall import CaptionRetrieval, position_summary
from eyechart.probes.tasks.template_captions import TemplateCaptions


def retrieval(top, found, sets=None):
    """Captions of two names, of which no two share a name."""
    n = len(top)
    objects = np.arange(2 * n).reshape(n, 2)
    captions = TemplateCaptions("bare", objects, np.arange(n) if sets is None else np.asarray(sets), tuple(map(str, range(n))))
    return CaptionRetrieval(captions, object_ranks_of(np.array(top, np.float32), np.array(found, np.int8)), "bare")


FIRST, SECOND, OTHER = [1, 0], [0, 1], [0, 0]


def test_conditional_shares_are_of_the_captions_whose_names_are_all_retrieved():
    """Of eight captions five are kept: the first name is nearest in four of these, and in six of all."""
    top = [FIRST, FIRST, FIRST, FIRST, SECOND, FIRST, FIRST, OTHER]
    shares = retrieval(top, [2, 2, 2, 2, 2, 1, 1, 0])
    assert [(f.value, f.n) for f in shares.shares] == [(pytest.approx(6 / 8), 8), (pytest.approx(1 / 8), 8)]
    assert [(f.value, f.n) for f in shares.shares_conditional] == [(pytest.approx(4 / 5), 5), (pytest.approx(1 / 5), 5)]
    by_metric = {f.metric: f for f in shares.findings() if "position" not in f.slice}
    assert by_metric["all_objects_retrieved"].value == pytest.approx(5 / 8)
    assert by_metric["top_n_recall"].value == pytest.approx((5 * 2 + 1 + 1) / 16)
    assert by_metric["first_object_lead"].value == pytest.approx(6 / 8 - 1 / 8)


def test_without_a_kept_caption_there_is_no_conditional_share():
    assert [(f.value, f.n) for f in retrieval([FIRST, SECOND], [1, 0]).shares_conditional] == [(None, 0), (None, 0)]


def test_captions_of_one_set_are_not_independent():
    """Forty captions that agree within ten sets say as much as ten captions: the interval is about twice as wide."""
    top, found = [FIRST if i % 40 < 24 else SECOND for i in range(40)], [2] * 40
    apart, together = (retrieval(top, found, sets).shares[0] for sets in (None, np.arange(40) // 4))
    assert together.value == apart.value == pytest.approx(0.6)
    assert 1.6 < (together.high - together.low) / (apart.high - apart.low) < 2.4


def share(low, value, high):
    return Finding(metric="share", value=value, n=100, low=low, high=high)


@pytest.mark.parametrize(
    ("shares", "lead", "expected"),
    [
        ([(0.5, 0.6, 0.7), (0.1, 0.2, 0.3), (0.2, 0.3, 0.4)], (0.1, 0.3, 0.5), "the first object is found best"),
        ([(0.1, 0.2, 0.3), (0.1, 0.2, 0.3), (0.4, 0.5, 0.6)], (-0.3, -0.1, 0.1), "the third object is found best"),
        # The intervals of the first and the third touch; the third has the higher value of the others.
        (
            [(0.4, 0.5, 0.6), (0.0, 0.1, 0.2), (0.2, 0.3, 0.4)],
            (0.1, 0.3, 0.5),
            "the first object is found better than the mean of the others, but not better than the third at 95% confidence",
        ),
        (
            [(0.4, 0.5, 0.6), (0.3, 0.4, 0.5), (0.2, 0.3, 0.4)],
            (0.1, 0.2, 0.3),
            "the first object is found better than the mean of the others, but not better than the second at 95% confidence",
        ),
        (
            [(0.0, 0.1, 0.2), (0.2, 0.3, 0.4), (0.2, 0.3, 0.4)],
            (-0.3, -0.2, -0.1),
            "the first object is found worse than the mean of the others",
        ),
        *(
            (
                [(0.2, 0.3, 0.4)] * 3,
                lead,
                "the first object does not differ from the mean of the others at 95% confidence",
            )
            for lead in [(-0.1, 0.0, 0.1), (0.0, 0.1, 0.2), (-0.2, -0.1, 0.0), (None, None, None)]
        ),
        # Shares without an interval may be anything.
        (
            [(0.5, 0.6, 0.7), (None, None, None), (0.1, 0.2, 0.3)],
            (-0.1, 0.0, 0.1),
            "the first object does not differ from the mean of the others at 95% confidence",
        ),
    ],
)
def test_the_sentence_says_which_position_is_best_at_95_percent(shares, lead, expected):
    assert position_summary([share(*s) for s in shares], share(*lead), "found") == expected
