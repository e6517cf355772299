"""The options of choices, in two orders, and the wording of the questions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.data.classes import ClassList
from eyechart.probes.answers.settings import Settings
from eyechart.probes.tasks.answer_reading import plain
from eyechart.probes.tasks.asked_rows import rng_of

CHOICE = "What is the main object in this picture? Choose one of the following: {}. Answer with the name only."
FREE = "What is the main object in this picture? Answer with a word or a short phrase."


@dataclass(frozen=True)
class Choice:
    """The options of one picture, in two orders: the second is the reverse of the first.

    classes: The classes of the options, in the first order.
    """

    classes: tuple[int, ...]

    def orders(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return self.classes, self.classes[::-1]


def choice_text(classes: ClassList, options: Sequence[int]) -> str:
    return CHOICE.format(", ".join(classes[c].name for c in options))


def option_count(classes: ClassList, settings: Settings) -> int:
    """How many options a choice has; fewer where there are not enough classes."""
    return min(settings.options or len(classes), len(classes))


def choices(
    classes: ClassList, truth: Indices, ids: Sequence[str], settings: Settings, confusable: Indices | None
) -> list[Choice]:
    """The options of every picture.

    Args:
        classes: The classes.
        truth: The true class of every picture.
        ids: Its id.
        settings: The probe's settings.
        confusable: [n, classes] all classes from the most to the least confusable; None draws at random.
    """
    count, made = option_count(classes, settings), []
    written = [plain(c.name) for c in classes]
    for place, (true, id) in enumerate(zip(truth, ids, strict=True)):
        rng = rng_of(id, settings.seed, "options")
        ranked = rng.permutation(len(classes)) if confusable is None else confusable[place]
        # A class that is called like the true one cannot be told from it in words.
        wrong = [int(c) for c in ranked if c != true and written[c] != written[true]][: count - 1]
        made.append(Choice(tuple(int(c) for c in rng.permutation([int(true), *wrong]))))
    return made


def confusable_classes(scores: Doubles, truth: Indices, half: Flags) -> Indices:
    """[n, classes]: for every picture the classes from the most to the least confusable with its true class.

    Ranked by how often the pictures of that class in the *other* half are predicted so, then by their mean score. So a picture's
    own prediction has no part in the choice of its options. Where the other half has no picture of the class, the mean over its
    own half without the picture itself would be the only source; the mean score of all other pictures is taken instead.
    """
    predicted = scores.argmax(axis=1)
    found = np.empty(scores.shape, np.int64)
    for side in (False, True):
        other = half != side
        for label in np.unique(truth[half == side]):
            pool = np.flatnonzero(other & (truth == label))
            if not len(pool):
                pool = np.flatnonzero(other)
            counts = np.bincount(predicted[pool], minlength=scores.shape[1])
            order = np.lexsort((-scores[pool].mean(axis=0), -counts))
            found[(half == side) & (truth == label)] = order
    return found
