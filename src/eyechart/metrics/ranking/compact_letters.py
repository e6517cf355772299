"""Compact letter display: models that share a letter cannot be separated."""

from string import ascii_lowercase

from eyechart.arrays import Flags


def compact_letters(different: Flags) -> list[str]:
    """The letters of each model by insertion and absorption (Piepho, 2004), for models in the order of a ranking.

    Two models share a letter exactly where `different` is False for them.

    Args:
        different: [models, models], symmetric: whether two models differ.

    >>> import numpy as np
    >>> compact_letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
    ['a', 'ab', 'b']
    """
    count = len(different)
    columns = [frozenset(range(count))]
    for one in range(count):
        for other in range(one + 1, count):
            if different[one, other]:
                columns = _absorbed([part for column in columns for part in _split(column, one, other)])
    columns.sort(key=lambda column: sorted(column))
    return ["".join(_letter(place) for place, column in enumerate(columns) if model in column) for model in range(count)]


def _split(column: frozenset[int], one: int, other: int) -> list[frozenset[int]]:
    return [column - {one}, column - {other}] if one in column and other in column else [column]


def _absorbed(columns: list[frozenset[int]]) -> list[frozenset[int]]:
    """Without columns that are part of another one."""
    distinct = list(dict.fromkeys(columns))
    return [column for column in distinct if not any(column < other for other in distinct)]


def _letter(place: int) -> str:
    """a, b, …, z, then a1, b1, …"""
    again, place = divmod(place, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(again) if again else "")
