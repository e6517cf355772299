"""Class vectors template by template: the names of each class in a template, encoded by the text encoder."""

from collections.abc import Sequence

import numpy as np

from eyechart.arrays import Floats
from eyechart.metrics.classification.predictions import ensembles
from eyechart.metrics.prompts.template_scores import Templates
from eyechart.probes.contract import TextVectors
from eyechart.prompts.prompt_set import PromptSet


def template_pool(prompts: Sequence[PromptSet]) -> tuple[str, ...]:
    """The templates of all prompt sets, each once."""
    return tuple(dict.fromkeys(template for prompt_set in prompts for template in prompt_set.templates))


def prompt_texts(class_names: Sequence[Sequence[str]], templates: Sequence[str]) -> list[str]:
    """Every text that `prompt_vectors` encodes, each once."""
    return list(dict.fromkeys(t.replace("{}", name) for t in templates for names in class_names for name in names))


def prompt_vectors(class_names: Sequence[Sequence[str]], templates: Sequence[str], texts: TextVectors) -> Templates:
    """A function from the index of a template to unit class vectors [C, d].

    Args:
        class_names: The names or phrases of each class, with equal weights.
    """
    counts = np.array([len(names) for names in class_names])

    def vectors(index: int) -> Floats:
        return ensembles(texts([templates[index].replace("{}", name) for names in class_names for name in names]), counts)

    return vectors
