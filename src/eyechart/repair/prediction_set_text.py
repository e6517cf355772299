"""Whether prediction sets reach their target coverage, as sentences."""

from collections.abc import Sequence

from eyechart.findings.finding import Finding
from eyechart.findings.numbers import format_value
from eyechart.repair.metrics import share_text, value_text
from eyechart.repair.repair import Repaired
from eyechart.repair.sentences import class_or_group, listed


def coverage_sentence(repaired: Repaired, overall: Finding) -> str:
    """Coverage over all pictures, which is all that split conformal prediction guarantees."""
    size, target = next(f for f in repaired.findings if f.metric == "set_size"), repaired.after.coverage or 0.0
    missed = " The coverage is below the target at 95% confidence." if _is_below(overall, target) else ""
    return (
        f"Prediction sets of {value_text(size)} on average contain the true class for {share_text(overall)}; the target (the"
        f" line) is {format_value(target, 'fraction')}.{missed}"
    )


def low_coverage_sentence(repaired: Repaired, found: Sequence[Finding]) -> str:
    """The class or group with the lowest coverage, and all that are significantly below the target."""
    lowest, target = min(found, key=lambda f: f.value or 0.0), repaired.after.coverage or 0.0
    below = [f"{class_or_group(f)} {share_text(f)}" for f in found if _is_below(f, target)]
    return (
        f"There is no guarantee within a class or group. The lowest is {class_or_group(lowest)} with {share_text(lowest)}."
        f" Below {format_value(target, 'fraction')} at 95% confidence: {listed(below, '; ')}. By chance alone, about"
        f" {0.025 * len(found):.1f} of {len(found)} would be."
    )


def _is_below(finding: Finding, target: float) -> bool:
    return finding.high is not None and finding.high < target
