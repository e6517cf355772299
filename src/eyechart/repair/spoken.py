"""Class vectors template by template: what a class is called, put into each template and heard by the model."""

from collections.abc import Sequence

import numpy as np

from eyechart.arrays import Floats
from eyechart.metrics.classification.predictions import ensembles
from eyechart.metrics.prompts.template_scores import Templates
from eyechart.probes.probe import TextVectors
from eyechart.prompts.prompt_set import PromptSet


def pool_of(prompts: Sequence[PromptSet]) -> tuple[str, ...]:
    """The templates of all sets, each once."""
    return tuple(dict.fromkeys(template for of_set in prompts for template in of_set.templates))


def spoken_texts(called: Sequence[Sequence[str]], templates: Sequence[str]) -> list[str]:
    """Everything that `spoken` will say."""
    return list(dict.fromkeys(t.replace("{}", phrase) for t in templates for of_class in called for phrase in of_class))


def spoken(called: Sequence[Sequence[str]], templates: Sequence[str], texts: TextVectors) -> Templates:
    """Number of a template → unit vectors [C, d]; `called[c]`: names or phrases of class c, which weigh the same."""
    counts = np.array([len(of_class) for of_class in called])

    def vectors(number: int) -> Floats:
        return ensembles(texts([templates[number].replace("{}", p) for of_class in called for p in of_class]), counts)

    return vectors
