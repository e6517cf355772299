"""What became of the questions of a probe: undecided replies by their reason, tokens and cost."""

from collections.abc import Mapping, Sequence

import numpy as np

from eyechart.arrays import Indices
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Metric
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.models.answering import Reply
from eyechart.notice import Notice, counted
from eyechart.probes.tasks.answer_reading import ReadReply
from eyechart.probes.tasks.share_findings import share_finding

REPLY_METRICS = (
    Metric(name="undecided", title="replies that name no option, or several", higher_is_better=False),
    Metric(name="refused", title="refused replies", higher_is_better=False),
    Metric(name="empty", title="empty replies", higher_is_better=False),
    Metric(name="unreadable", title="unreadable replies", higher_is_better=False),
    Metric(name="prompt_tokens", title="tokens of questions and pictures", unit="count", higher_is_better=None),
    Metric(name="reply_tokens", title="tokens of replies", unit="count", higher_is_better=None),
    Metric(name="cost", title="cost of the replies at the given prices", unit="number", higher_is_better=None),
)


def reply_notices(where: str, replies: Sequence[Reply]) -> list[Notice]:
    """A warning where replies end at the limit of tokens before they have an answer, as long reasoning does."""
    cut = sum(reply.cut and reply.answer_kind == "empty" for reply in replies)
    if not cut:
        return []
    of = counted(len(replies), "reply", "replies")
    what = f"{cut:,} of {of} end at the limit of tokens before an answer; they count as empty"
    remedy = "allow longer replies (add ,tokens=1024 to the model's name, for chat: and lmm:), or turn off its reasoning"
    return [Notice(where, what, remedy)]


def reply_findings(
    replies: Sequence[Reply], read: Sequence[ReadReply], clusters: Indices, slice: Mapping[str, object]
) -> list[Finding]:
    """Shares of undecided replies by their reason, and what all replies took. `clusters` marks replies about one picture."""
    units = np.unique(clusters, return_inverse=True)[1]
    groups = {
        "undecided": ("several", "none"),
        "refused": ("refused",),
        "empty": ("empty",),
        "unreadable": ("unreadable",),
    }
    found = [
        share_finding(name, clustered_share(np.array([r.outcome in outcomes for r in read]), units), slice)
        for name, outcomes in groups.items()
    ]
    for name in ("prompt_tokens", "reply_tokens", "cost"):
        numbers = [value for reply in replies if (value := getattr(reply, name)) is not None]
        if numbers:
            found.append(Finding(metric=name, value=float(sum(numbers)), n=len(numbers), slice=slice))
    return found
