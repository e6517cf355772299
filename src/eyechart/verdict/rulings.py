"""How figures become a ruling: one sentence that they decide together, or what they leave open."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from eyechart.verdict.evidence import Figure

MOST = 0.5  # "all names are heard in most captions": in more than half
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


@dataclass(frozen=True)
class Ruling:
    """`sentence`: the advice, plain text; where nothing is decided, what stays open. `against`: figures that say the contrary."""

    sentence: str
    figures: tuple[Figure, ...]
    decided: bool = True
    against: tuple[Figure, ...] = ()


def inconclusive(what: str, figures: Sequence[Figure]) -> Ruling:
    return Ruling(what, tuple(figures), decided=False)


def prevailing(figures: Sequence[Figure], verdict: Callable[[Figure], Hashable]) -> tuple[Hashable, list[Figure]]:
    """The verdict of more than half of the figures and those that give it, where none gives another; else nothing, and all.

    A figure that does not decide gives a false verdict (0, None, ''). So one dataset of many that differs by chance says nothing.
    """
    given = [(verdict(f), f) for f in figures]
    said = {v for v, _ in given if v}
    if len(said) == 1:
        (one,) = said
        mine = [f for v, f in given if v == one]
        if 2 * len(mine) > len(figures):
            return one, mine
    return None, list(figures)


def signed(figures: Sequence[Figure], middle: float, above: str, below: str, what: str) -> Iterator[Ruling]:
    """One sentence for above the middle, one for below."""
    if not figures:
        return
    sign, deciding = prevailing(figures, lambda f: f.side_of(middle))
    yield Ruling(above if sign == 1 else below, tuple(deciding)) if sign else inconclusive(what, deciding)


@dataclass(frozen=True)
class Limit:
    """What is said of a number of things up to which all goes well: of `{k}` things where `{beyond}` is more, of one where even
    two are too many, and of all where no limit was met; and what stays open where nothing is decided."""

    most: str
    one: str
    all: str
    open: str


def limited(figures: Sequence[Figure], key: str, say: Limit) -> Iterator[Ruling]:
    """The largest number of things for which, and for every smaller one, surely more than half go well; of several datasets
    the smallest such number, unless some say even of the fewest things that they go well and others that they do not. `key`: of
    the slice, where the number of things stands."""
    by_dataset: dict[str, list[Figure]] = {}
    for f in sorted(figures, key=lambda f: f.where[key]):
        by_dataset.setdefault(f.dataset, []).append(f)
    # Two datasets with the very same figures were asked once.
    ladders = list({tuple((f.value, f.low, f.high, f.n) for f in of): of for of in by_dataset.values()}.values())
    if not ladders:
        return
    decided = [(_steps(of), of) for of in ladders if of[0].side_of(MOST)]
    if 2 * len(decided) <= len(ladders) or len({of[0].side_of(MOST) for _, of in decided}) > 1:
        # Those that say the least, or the opposite of most, first: they are why it is open.
        yield inconclusive(say.open, sorted((of[0] for of in ladders), key=lambda f: f.side_of(MOST)))
        return
    steps, ladder = min(decided, key=lambda pair: (pair[0], pair[0] == len(pair[1])))
    if not steps:
        yield Ruling(say.one, (ladder[0],))
        return
    k, deciding = ladder[steps - 1], tuple(ladder[steps - 1 : steps + 1])
    if len(deciding) == 1:
        yield Ruling(say.all.format(k=_number(k, key)), deciding)
        return
    beyond = f"with {_number(deciding[1], key)} {'they are not' if deciding[1].side_of(MOST) < 0 else 'it is not sure'}"
    yield Ruling(say.most.format(k=_number(k, key), beyond=beyond), deciding)


def _steps(ladder: Sequence[Figure]) -> int:
    """How many of the figures, from the first, are surely above half."""
    return next((i for i, f in enumerate(ladder) if f.side_of(MOST) <= 0), len(ladder))


def _number(figure: Figure, key: str) -> str:
    number = int(figure.where[key])
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)
