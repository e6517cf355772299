"""Whether prediction sets keep their promise, in sentences: in all, and where a class or group surely falls short of it."""

from collections.abc import Sequence

from eyechart.findings.finding import Finding
from eyechart.repair.repair import Repaired
from eyechart.repair.words import listed, who


def covered(repaired: Repaired, overall: Finding) -> str:
    """All pictures together, which is all that was promised."""
    size, promised = next(f for f in repaired.findings if f.metric == "set_size"), repaired.after.coverage or 0.0
    short = ", and that is surely missed" if _below(overall, promised) else ""
    return (
        f"Sets of {size.value:.2f} classes on average hold the right one for {_share(overall)}; promised were {promised:.0%} (the"
        f" line){short}."
    )


def missed(repaired: Repaired, found: Sequence[Finding]) -> str:
    """Of classes and groups the lowest, and those whose whole interval lies below what all were promised."""
    lowest, promised = min(found, key=lambda f: f.value or 0.0), repaired.after.coverage or 0.0
    below = [f"{who(f)} {_share(f)}" for f in found if _below(f, promised)]
    return (
        f"Within a class or group nothing is promised: the lowest is {who(lowest)} with {_share(lowest)}. Surely below"
        f" {promised:.0%}: {listed(below, '; ')}. Of {len(found)} that were looked at, chance alone would put"
        f" about {0.025 * len(found):.1f} there."
    )


def _share(finding: Finding) -> str:
    return f"{finding.value:.1%} ({100 * (finding.low or 0.0):.1f} to {100 * (finding.high or 0.0):.1f}, n = {finding.n:,})"


def _below(finding: Finding, promised: float) -> bool:
    return finding.high is not None and finding.high < promised
