"""What became of the questions of a probe."""

import numpy as np

from eyechart.models.answering import Reply
from eyechart.probes.tasks.answer_reading import read_words
from eyechart.probes.tasks.reply_counts import reply_findings, reply_notices


def test_reasoning_alone_is_an_empty_reply_and_its_tokens_count():
    replies = [
        Reply("<think>a dog", cut=True, reply_tokens=64),
        Reply("dog", reply_tokens=3),
        Reply("", "unreadable"),
        Reply("cat"),
    ]
    found = {f.metric: f.value for f in reply_findings(replies, [read_words(r) for r in replies], np.arange(4), {})}
    assert found == {"undecided": 0.0, "refused": 0.0, "empty": 0.25, "unreadable": 0.25, "reply_tokens": 67.0}


def test_replies_that_end_before_an_answer_are_named_with_a_remedy():
    cut = [Reply("<think>a dog", cut=True), Reply("", "empty", cut=True)]
    answered = [Reply("a dog that", cut=True), Reply("<think>a dog"), Reply("", "empty")]
    (notice,) = reply_notices("photos", [*cut, *answered])
    assert "2 of 5 replies end at the limit of tokens before an answer" in str(notice) and "tokens=1024" in str(notice)
    assert reply_notices("photos", answered) == []
