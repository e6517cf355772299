"""A model without vectors that gives log-likelihoods: the score of a class is that of its names as the reply.

Such scores stand where the workbench has vectors. A picture is its row of scores, and a class the unit vector of its column, so
that their product is the score and everything that is computed from cosines is computed from scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from eyechart.arrays import Doubles, Floats
from eyechart.data.classes import ClassList
from eyechart.errors import EyechartError, ModelError
from eyechart.metrics.vectors import unit
from eyechart.models.answering import CLASS_QUESTION, GivesLikelihoods, PictureQuestion
from eyechart.models.class_likelihoods import NamedClasses, any_name, reply_names
from eyechart.notice import counted
from eyechart.prompts.prompt_set import PromptSet
from eyechart.session.asking import Asking

SPARE = 1024  # classes that can be tried besides those of the run
AT_ONCE = 200  # runs of the model that a request may wait for

BARE = PromptSet("bare", ("{}",), "the names alone, as the reply")

ClassKey = tuple[tuple[str, ...], tuple[str, ...]]  # the names of a class, and the templates


class ScoresMissing(EyechartError):
    """A class has no scores yet, and computing them takes too long for one request.

    Args:
        dataset: The dataset.
        missing: Runs of the model that are to be made.
        total: All that the classes take.
        names: The classes.
    """

    exit_code = 6

    def __init__(self, dataset: str, missing: int, total: int, names: Sequence[str]) -> None:
        super().__init__(
            f"{dataset}: {', '.join(names[:3])}{', …' if len(names) > 3 else ''}: the model must run "
            f"{counted(missing, 'time')} to score {'this class' if len(names) == 1 else 'these classes'} for all pictures"
        )
        self.dataset, self.missing, self.total = dataset, missing, total


@dataclass(eq=False)
class ScoreTable:
    """The scores of the pictures of one dataset.

    asking: Asks the model about them.
    classes: The class list of the run, whose scores the run has stored together.
    scores: [n, width] scores; 0 in columns that are not filled.
    filled: The columns that are.
    """

    asking: Asking
    classes: ClassList | None
    scores: Floats
    filled: set[int] = field(default_factory=set)


class ScoredNames:
    """The columns of one model.

    Args:
        model: The model.
        width: How many classes can have a column.
    """

    def __init__(self, model: GivesLikelihoods, width: int) -> None:
        self._model, self.width = model, width
        self._columns: dict[ClassKey, int] = {}
        self._tables: dict[str, ScoreTable] = {}
        self._wanted: dict[str, list[ClassKey]] = {}

    def open(self, dataset: str, asking: Asking, n: int, classes: ClassList | None) -> Floats:
        """An empty table for the n pictures of a dataset; the array is filled later."""
        self._tables[dataset] = ScoreTable(asking, classes, np.zeros((n, self.width), np.float32))
        return self._tables[dataset].scores

    def vectors(self, keys: Sequence[ClassKey]) -> Floats:
        """[C, width] the unit vector of every class."""
        found = np.zeros((len(keys), self.width), np.float32)
        for place, key in enumerate(keys):
            found[place, self._column(key)] = 1.0
        return found

    def _column(self, key: ClassKey) -> int:
        if key not in self._columns and len(self._columns) == self.width:
            raise ModelError(f"{self._model.spec}: more than {self.width:,} classes were scored; open the workbench again")
        return self._columns.setdefault(key, len(self._columns))

    def fill(
        self, dataset: str, keys: Sequence[ClassKey], *, at_most: int | None = AT_ONCE, asking: Asking | None = None
    ) -> None:
        """Score classes for all pictures of a dataset.

        Args:
            dataset: The dataset.
            keys: The classes. Each gets a column once it is scored: what is typed on the way to a name takes none.
            at_most: The most runs of the model; None for any number.
            asking: Asks the model, where its progress is to be shown.

        Raises:
            ScoresMissing: If it takes more.
        """
        table = self._tables[dataset]
        asking = asking or table.asking
        todo = [key for key in dict.fromkeys(keys) if self._columns.get(key) not in table.filled]
        if not todo:
            return
        questions = [PictureQuestion(row, CLASS_QUESTION) for row in range(len(table.scores))]
        together = _listed(table.classes)
        of_list = [key for key in todo if key in together]
        texts = list(dict.fromkeys(text for key in todo if key not in together for text in _texts(key)))
        listed = NamedClasses.of([c.names for c in table.classes or ()])
        options = [(text,) for text in texts] + ([listed.options] if of_list else [])
        missing = {given: asking.count_unscored(questions, given) for given in options}
        if at_most is not None and sum(missing.values()) > at_most:
            self._wanted[dataset] = list(todo)
            whole = missing[options[-1]] if of_list else 0
            new = [key for key in todo if (whole if key in together else any(missing[text,] for text in _texts(key)))]
            total = len(questions) * sum(n > 0 for n in missing.values())
            raise ScoresMissing(dataset, sum(missing.values()), total, [key[0][0] for key in new])
        scored = {given: asking.log_likelihoods(questions, [given] * len(questions)) for given in options}
        of_run = listed.scores(scored[options[-1]]) if of_list else np.empty((0, 0))
        for key in todo:
            if key in together:
                column = of_run[:, together[key]]
            else:
                column = combined(key, {text: np.array([of[0, 0] for of in scored[text,]]) for text in _texts(key)})
            table.scores[:, self._column(key)] = column
            table.filled.add(self._column(key))

    def fill_wanted(self, dataset: str, asking: Asking | None) -> None:
        """Score the classes that took too long for a request."""
        self.fill(dataset, self._wanted.pop(dataset, []), at_most=None, asking=asking)

    def row(self, picture: Image.Image, keys: Sequence[ClassKey]) -> Floats:
        """The scores of one more picture for these classes; 0 in the columns of others."""
        texts = list(dict.fromkeys(text for key in keys for text in _texts(key)))
        found = np.asarray(self._model.log_likelihoods(picture, CLASS_QUESTION, texts))[:, 0]
        by_text = dict(zip(texts, found[:, None], strict=True))
        scores = np.zeros(self.width, np.float32)
        for key in keys:
            scores[self._column(key)] = combined(key, by_text)[0]
        return scores


def combined(key: ClassKey, by_text: dict[str, Floats]) -> Doubles:
    """The log-likelihood that the reply is one of the names of a class, as in a run; the mean over templates."""
    names, templates = key
    return any_name([np.mean([by_text[text] for text in _filled(n, templates)], axis=0) for n in reply_names(names)])


def similarity_vectors(scores: Floats) -> Floats:
    """Unit vectors of pictures whose product is 1 where all probabilities are the same (Bhattacharyya's coefficient)."""
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return unit(np.sqrt(p / p.sum(axis=1, keepdims=True)).astype(np.float32))


def _listed(classes: ClassList | None) -> dict[ClassKey, int]:
    """The place of each class of the run's list, whose names the run scores together."""
    return {(c.names, BARE.templates): place for place, c in enumerate(classes or ())}


def _texts(key: ClassKey) -> list[str]:
    names, templates = key
    return [text for name in reply_names(names) for text in _filled(name, templates)]


def _filled(name: str, templates: tuple[str, ...]) -> list[str]:
    return PromptSet("workbench", templates, "").fill(name)
