"""How many more pictures would decide an inconclusive ruling."""

import math
from collections.abc import Sequence

from eyechart.findings.numbers import slice_text
from eyechart.metrics.intervals.sample_size import POWER, design_effect, n_for_share, n_for_value
from eyechart.notice import shortened
from eyechart.verdict.evidence import Bounds, Figure

AT_LIMIT = "More pictures would hardly decide it: the value is at the limit."
NO_INTERVAL = "It has no 95% interval, so it is not known how many pictures would decide it."
NAME = 25  # letters of a class name
FEW = "Fewer than "  # how a sentence about too few pictures begins
MOST = 1_000_000  # beyond which a number of pictures is no advice


def needed_n(figure: Figure, least_n: int) -> float:
    """The n at which the figure would decide with 80% power, if the true value is the measured one; infinite where none would."""
    if figure.value is None or figure.low is None or figure.high is None:
        return math.inf
    bounds = figure.bounds or Bounds()
    limits = [b for b in (bounds.low, bounds.high) if b is not None]
    outside = [b for b in limits if (b == bounds.low) == (figure.value < b)]
    # Beyond a limit, that one must be excluded; between two, both.
    return max([float(least_n), *(_n_to_exclude(figure, limit) for limit in outside or limits)])


def _n_to_exclude(figure: Figure, limit: float) -> float:
    value, low, high = figure.value or 0.0, figure.low or 0.0, figure.high or 0.0
    if figure.unit == "fraction" and 0 <= value <= 1 and 0 < limit < 1:
        # A value beyond its limit must stay so after Bonferroni's correction; one within is judged by its own interval.
        tests = figure.bounds.tests if figure.bounds and value < limit else 1
        return n_for_share(value, limit, level=1 - 0.05 / tests) * design_effect(value, low, high, figure.n)
    return n_for_value(value, low, high, figure.n, limit)


def what_would_decide(figures: Sequence[Figure], least_n: int) -> str:
    """How many more pictures would decide, in one sentence.

    Args:
        figures: The figures that do not decide.
        least_n: The smallest n that counts.
    """
    power = f"{POWER:.0%} power"
    if len(figures) > 1 and all("class" in f.where for f in figures):
        # One class that is bad decides the ruling; it is good only where all are.
        below = [f for f in figures if f.value is not None and f.bounds and f.value < (f.bounds.low or 0.0)]
        needed = [(needed_n(f, least_n) - f.n, str(f.where["class"])) for f in below or figures]
        if not below and any(n > MOST for n, _ in needed):
            return AT_LIMIT
        more = sorted((math.ceil(n), name) for n, name in needed if 0 < n <= MOST)
        if len(more) == 1:
            ((n, name),) = more
            return f"{n:,} more labeled pictures of {_cut(name)} would decide it ({power})."
        listed = shortened([f"{_cut(name)} {n:,} more" for n, name in more])
        which = "any one" if len(below) > 1 else "each"
        return f"More labeled pictures of {which} of these classes would decide it ({power}): {listed}." if listed else AT_LIMIT
    hardest = max(figures, key=lambda f: needed_n(f, least_n))
    said = _for_one(hardest, least_n)
    # The first figure stands beside the sentence, which may be about another one.
    return said if hardest == figures[0] or not said else f"Hardest to decide: {_named(hardest)}. {said}"


def _for_one(figure: Figure, least_n: int) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return NO_INTERVAL
    n = needed_n(figure, least_n)
    deciding = f"would decide it at {POWER:.0%} power, if the value stays the same."
    if figure.has_fewer_than(least_n) and (figure.n >= least_n or round(figure.independent) < figure.n):
        few = f"{FEW}{least_n} different pictures decide nothing: {_different(figure)}"
        # Of two sets that are compared, more pictures of the smaller one are needed; how many of both is not known.
        if figure.originals_of or not n <= MOST:
            return f"{few}. Add others."
        return f"{few}. About {_rounded(max(least_n, n * figure.independent / figure.n)):,} different ones {deciding}"
    if not n <= MOST:
        return AT_LIMIT
    few = f"{FEW}{least_n} pictures decide nothing. " if figure.n < least_n else ""
    return f"{few}n ≈ {_rounded(n):,} {deciding}" if n > figure.n else ""


def _different(figure: Figure) -> str:
    """'12 of photos', '12 are out-of-distribution'; 'about 12 of photos' where the number is read from the interval."""
    which = f"are {figure.originals_of}" if figure.originals_of else f"of {figure.dataset}"
    if figure.originals is not None and figure.originals < figure.n:
        return f"{round(figure.originals):,} {which}"
    return f"about {round(figure.independent):,} {which}"


def _named(figure: Figure) -> str:
    """'photos (domain = sketch) 4.9 points (1.0 to 8.8), n = 40'"""
    sliced = slice_text(figure.slice)
    return f"{figure.dataset}{f' ({sliced})' if sliced else ''} {figure.text}"


def _cut(name: str) -> str:
    return name if len(name) <= NAME else name[: NAME - 1] + "…"


def _rounded(n: float) -> int:
    """Two significant digits, upwards: more would pretend."""
    step: int = 10 ** max(0, math.floor(math.log10(n)) - 1)
    return math.ceil(n / step) * step
