"""The few numbers that are worth publishing: what a model card, a leaderboard or a tracker shows."""

import math

from eyechart.findings.run import Run
from eyechart.report.summary import HeadlineRow, headline_rows


def headline_metrics(run: Run, model: str) -> list[HeadlineRow]:
    """The first headline metric of each probe and those that the verdict judges.

    Only numbers of the leading prompt set, on datasets that are examined and not only compared with, and with a value.

    Args:
        run: The run.
        model: The model.
    """
    leading = {None, *run.prompts[:1]}
    return [
        row
        for row in headline_rows(run)
        if row.model == model
        and row.dataset not in run.companions
        and row.prompts in leading
        and row.value is not None
        and math.isfinite(row.value)
        and (row.record.limits is not None or row.metric == run.headline(row.probe)[0])
    ]
