"""Small numbers as words, for the sentences and labels of charts."""

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def number_word(number: int) -> str:
    """A whole number from 0 up.

    >>> number_word(4), number_word(12)
    ('four', '12')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def ordinal(rank: int) -> str:
    """A rank from 1 up.

    >>> ordinal(2), ordinal(12)
    ('second', '12th')
    """
    return ORDINALS[rank - 1] if rank <= len(ORDINALS) else f"{rank}th"


def size_rank_label(rank: int, count: int) -> str:
    """The object of a size rank among `count` objects.

    >>> [size_rank_label(rank, 3) for rank in (1, 2, 3)]
    ['largest', 'second largest', 'smallest']
    """
    return "largest" if rank == 1 else "smallest" if rank == count else f"{ordinal(rank)} largest"
