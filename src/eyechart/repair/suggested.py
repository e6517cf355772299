"""The change of the class list that an examination suggests, for a repair that applies it."""

import json
from pathlib import Path

from eyechart.data.class_design import design_names, read_design
from eyechart.errors import UsageError
from eyechart.findings.run import read_run


def suggested_change(folder: Path, design: str = "") -> tuple[str, str]:
    """The change that the probe `class_change` found best, and the class design that it applies to.

    Only a change that significantly lowers the harm rate on held-out pictures is returned.

    Args:
        folder: The folder of an examination.
        design: The class design that was examined, where it is a file.

    Raises:
        UsageError: Where the examination suggests no change, none that is significant, or several; or for another design.
    """
    found = [f for f in read_run(folder).findings.to_pylist() if f["metric"] == "suggested_harm_rate_change"]
    if not found:
        raise UsageError(f"{folder} suggests no change of classes; first examine with --probes class_change and candidates")
    significant = {(json.loads(f["slice"])["change"], f["baseline"]): f for f in found if f["high"] is not None and f["high"] < 0}
    if not significant:
        raise UsageError(f"the change that {folder} suggests is not significant (its interval includes 0), so it is not applied")
    if len(significant) > 1:
        listed = "; ".join(f"--design {design} --change='{change}'" for change, design in significant)
        raise UsageError(f"{folder} suggests several changes; apply one of them: {listed}")
    ((change, examined),) = significant
    if design and read_design(design).name != examined:
        raise UsageError(f"{folder} suggests a change of the class design {examined}, not of {design}")
    if not design and examined not in design_names():
        raise UsageError(f"{folder} suggests a change of your class design {examined}; give its file: --design {examined}.toml")
    return change, design or examined
