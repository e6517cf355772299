"""Rulings: a sentence with the figures that decide it, or a clause that they leave open."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from eyechart.verdict.evidence import Figure

MOST = 0.5  # "most captions": more than half
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


@dataclass(frozen=True)
class Advice:
    """A sentence and its evidence.

    sentence: Plain text; where the figures are inconclusive, the clause that stays open.
    figures: The figures that decide it.
    decided: Whether the figures decide.
    against: Figures for the opposite, such as datasets within the limits.
    """

    sentence: str
    figures: tuple[Figure, ...]
    decided: bool = True
    against: tuple[Figure, ...] = ()


def inconclusive(what: str, figures: Sequence[Figure]) -> Advice:
    return Advice(what, tuple(figures), decided=False)


def prevailing(figures: Sequence[Figure], decision: Callable[[Figure], Hashable]) -> tuple[Hashable, list[Figure]]:
    """The decision of more than half of the figures with the figures for it, where no figure decides otherwise; else None and all
    figures.

    A figure that does not decide gives a false value (0, None, ''). So one dataset of many that differs by chance has no effect.
    """
    given = [(decision(f), f) for f in figures]
    decisions = {v for v, _ in given if v}
    if len(decisions) == 1:
        (one,) = decisions
        mine = [f for v, f in given if v == one]
        if 2 * len(mine) > len(figures):
            return one, mine
    return None, list(figures)


def signed(figures: Sequence[Figure], middle: float, above: str, below: str, what: str) -> Iterator[Advice]:
    """One sentence for figures above the neutral value, one for figures below."""
    if not figures:
        return
    sign, deciding = prevailing(figures, lambda f: f.side_of(middle))
    yield Advice(above if sign == 1 else below, tuple(deciding)) if sign else inconclusive(what, deciding)


@dataclass(frozen=True)
class CountLimit:
    """The sentences about the number of objects up to which a model works.

    most: Up to {k} objects; {beyond} describes more.
    one: One object; two are too many already.
    all: All tested numbers work; {k} is the largest.
    unclear: The clause for inconclusive figures.
    """

    most: str
    one: str
    all: str
    unclear: str


def limited(figures: Sequence[Figure], key: str, limit: CountLimit) -> Iterator[Advice]:
    """The largest number of objects for which, as for every smaller one, more than half succeed at 95% confidence.

    Of several datasets the smallest number counts. It is inconclusive where datasets disagree about the fewest objects.

    Args:
        key: The slice key that holds the number of objects.
        limit: The sentences.
    """
    by_dataset: dict[str, list[Figure]] = {}
    for f in sorted(figures, key=lambda f: f.where[key]):
        by_dataset.setdefault(f.dataset, []).append(f)
    # Two datasets with identical figures are one measurement.
    ladders = list({tuple((f.value, f.low, f.high, f.n) for f in of): of for of in by_dataset.values()}.values())
    if not ladders:
        return
    decided = [(_steps(of), of) for of in ladders if of[0].side_of(MOST)]
    if 2 * len(decided) <= len(ladders) or len({of[0].side_of(MOST) for _, of in decided}) > 1:
        # The figures that do not decide, or that decide otherwise, come first.
        yield inconclusive(limit.unclear, sorted((of[0] for of in ladders), key=lambda f: f.side_of(MOST)))
        return
    steps, ladder = min(decided, key=lambda pair: (pair[0], pair[0] == len(pair[1])))
    if not steps:
        # With more than two objects as the fewest, nothing is known of two.
        few = int(ladder[0].where[key]) == 2
        yield Advice(limit.one, (ladder[0],)) if few else inconclusive(limit.unclear, [ladder[0]])
        return
    k, deciding = ladder[steps - 1], tuple(ladder[steps - 1 : steps + 1])
    if len(deciding) == 1:
        yield Advice(limit.all.format(k=_number(k, key)), deciding)
        return
    beyond = f"with {_number(deciding[1], key)}, {'they are not' if deciding[1].side_of(MOST) < 0 else 'it is inconclusive'}"
    yield Advice(limit.most.format(k=_number(k, key), beyond=beyond), deciding)


def _steps(ladder: Sequence[Figure]) -> int:
    """How many figures, from the first on, are significantly above half."""
    return next((i for i, f in enumerate(ladder) if f.side_of(MOST) <= 0), len(ladder))


def _number(figure: Figure, key: str) -> str:
    number = int(figure.where[key])
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)
