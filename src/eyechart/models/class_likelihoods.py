"""Classes scored by the log-likelihoods of their names as the reply: which names are scored, and what follows for the class.

The score of a class is the log-probability that the reply begins with one of its names, log Σ p(name). The end of a reply is not
scored, so p("tabby") includes every reply that goes on with "tabby cat". A name that continues another name of its class is
therefore left out; with it, such replies would count twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles

SCORING_VERSION = 2  # increases whenever the same log-likelihoods would give other scores of classes


def reply_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names of a class that are scored: each once, without those that continue another one by further words.

    >>> reply_names(("tabby", "tabby cat", "cat", "tabby"))
    ('tabby', 'cat')
    """
    return tuple(n for n in dict.fromkeys(names) if not any(n.startswith(f"{other} ") for other in names))


def any_name(of_names: Sequence[Doubles]) -> Doubles:
    """The log-likelihood that the reply is any of these names, log Σ exp.

    >>> round(float(np.exp(any_name([np.log([0.5]), np.log([0.25])])[0])), 6)
    0.75
    """
    return np.asarray(np.logaddexp.reduce(np.asarray(of_names, np.float64), axis=0))


@dataclass(frozen=True)
class NamedClasses:
    """The names of classes as options of one request.

    options: The names of all classes, each once.
    places: For every class the places of its names among the options.
    """

    options: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, classes: Sequence[Sequence[str]]) -> "NamedClasses":
        """From the names of every class.

        Args:
            classes: The name of each class and its synonyms.
        """
        scored = [reply_names(names) for names in classes]
        options = tuple(dict.fromkeys(name for names in scored for name in names))
        place = {name: number for number, name in enumerate(options)}
        return cls(options, tuple(tuple(place[name] for name in names) for names in scored))

    def scores(self, found: Sequence[Doubles], *, per_token: bool = False) -> Doubles:
        """[n, classes] from what a model gave for n questions.

        Args:
            found: [options, 2] for every question: log-likelihoods and numbers of tokens.
            per_token: By the log-likelihood of an average token. That is no probability, so the best name counts alone.
        """
        scored = np.asarray(found, np.float64).reshape(len(found), len(self.options), 2)
        if per_token:
            means = scored[:, :, 0] / scored[:, :, 1]
            return np.stack([means[:, list(of)].max(axis=1) for of in self.places], axis=1)
        return np.stack([any_name(list(scored[:, list(of), 0].T)) for of in self.places], axis=1)
