"""Baselines of a repair: what descriptions that carry no information do, and what true labels would add.

They are scored beside the candidates and never selected. A repair that does not beat them owes its gain to something else:
WaffleCLIP (Roth et al., 2023) showed that random words can do as well as descriptions.
"""

from collections.abc import Sequence

import numpy as np

from eyechart.data.classes import ClassList

RANDOM_WORDS = 15  # and as many strings of random characters, the same for all classes, as in WaffleCLIP
ORACLE = "cpe with true labels"

# Common words that name nothing visible; which of them are used depends on the seed.
_WORDS = (
    "about", "above", "accord", "affair", "again", "agreement", "almost", "amount", "answer", "anyone", "balance", "because",
    "belief", "between", "business", "century", "chance", "choice", "clause", "common", "concern", "contract", "custom", "decade",
    "degree", "demand", "during", "effort", "either", "example", "failure", "finally", "formal", "further", "general", "habit",
    "however", "idea", "income", "instead", "interest", "issue", "journal", "justice", "later", "legal", "logic", "manner",
    "matter", "method", "minute", "moment", "never", "notion", "number", "office", "often", "opinion", "order", "policy",
)  # fmt: skip
_LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")


def random_descriptions(seed: int) -> list[str]:
    """Fifteen words, and fifteen strings of random characters as long as they are, which describe no class.

    Example:
        >>> len(random_descriptions(0))
        30
    """
    rng = np.random.default_rng(seed)
    words = [str(word) for word in rng.choice(_WORDS, RANDOM_WORDS, replace=False)]
    return [*words, *("".join(rng.choice(_LETTERS, len(word))) for word in words)]


def true_classes(labels: Sequence[str], classes: ClassList) -> list[int]:
    """The first class of each label; -1 for a label of no class."""
    first: dict[str, int] = {}
    for number, c in enumerate(classes):
        first.setdefault(c.label, number)
    return [first.get(label, -1) for label in labels]
