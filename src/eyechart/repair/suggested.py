"""What an examination suggests about the class list, for a repair that applies it."""

import json
from pathlib import Path

from eyechart.errors import UsageError
from eyechart.findings.run import read_run


def suggested_change(folder: Path) -> tuple[str, str]:
    """The change that `class_change` found best, and the class design that it changes.

    Only one that surely lowers the harm on the half of the pictures that had no part in the choice is given."""
    found = [f for f in read_run(folder).findings.to_pylist() if f["metric"] == "suggested_harm_rate_change"]
    if not found:
        raise UsageError(f"{folder} suggests no change of classes; examine with --probes class_change and candidates first")
    sure = {(json.loads(f["slice"])["change"], f["baseline"]): f for f in found if f["high"] is not None and f["high"] < 0}
    if not sure:
        raise UsageError(f"what {folder} suggests may be chance (its interval holds 0), so it is not applied; see its page")
    if len(sure) > 1:
        listed = "; ".join(f"--design {design} --change='{change}'" for change, design in sure)
        raise UsageError(f"{folder} suggests several changes; apply one of them: {listed}")
    ((change, design),) = sure
    return change, design
