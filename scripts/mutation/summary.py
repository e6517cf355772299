"""What a run found: the survivors, and the share that was noticed, by folder."""

from collections import Counter
from collections.abc import Mapping
from math import sqrt
from pathlib import Path

from mutation.mutants import Mutant
from mutation.tests_of import SOURCE


def summarize(outcomes: Mapping[Mutant, str]) -> str:
    """Survivors in the order of the files, then a line for each folder and one for all. Mutants that time out are noticed."""
    found = sorted(outcomes.items(), key=lambda item: (item[0].path, item[0].line, item[0].id))
    lines = [f"{outcome}: {mutant.id} {mutant}" for mutant, outcome in found if outcome in ("survived", "timed out", "untested")]
    folders = {mutant: str(Path(mutant.path).relative_to(SOURCE).parent) for mutant in outcomes}
    packages = {mutant: Path(mutant.path).relative_to(SOURCE).parts[0] for mutant in outcomes}
    for label in sorted({*folders.values(), *packages.values()}):
        lines.append(_line(label, [o for m, o in outcomes.items() if label in (folders[m], packages[m])]))
    return "\n".join([*lines, _line("all", list(outcomes.values()))])


def _line(label: str, outcomes: list[str]) -> str:
    counts = Counter(outcomes)
    noticed = counts["killed"] + counts["timed out"]
    tried = noticed + counts["survived"]
    rest = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("timed out", "equivalent", "untested") if counts[outcome])
    if tried == 0:
        return f"{label}: none tried ({rest})"
    low, high = _wilson(noticed, tried)
    return f"{label}: {noticed} of {tried} noticed, {noticed / tried:.1%} (95% CI {low:.1%} to {high:.1%}); {rest or 'none else'}"


def _wilson(hits: int, n: int) -> tuple[float, float]:
    """Not Eyechart's own: nothing of it may be imported before a trial."""
    z, p = 1.959964, hits / n
    middle, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)
