"""The title of a run: the same on the page, in the Markdown summary and in the model card."""

from collections.abc import Sequence

from eyechart.findings.run import Run

_NAMED = 3  # names in a title; more are counted


def run_title(run: Run, models: Sequence[str] | None = None) -> str:
    """What was examined on which datasets. Datasets that others are only compared with are not part of it.

    Args:
        run: The run.
        models: Its models; all by default.
    """
    exams = [name for name in run.datasets if name not in run.companions]
    return f"Eye examination of {_listed(run.models if models is None else models)} on {_listed(exams or run.datasets)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
