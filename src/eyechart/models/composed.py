"""A model composed of parts, with exactly the abilities of these parts."""

from collections.abc import Callable, Mapping
from typing import Any

from eyechart.models.card import ModelCard


class ComposedModel:
    """A model with the given abilities as attributes; without a text encoder, it has no `encode_texts` at all."""

    def __init__(
        self, spec: str, card: ModelCard, fingerprint: str, abilities: Mapping[str, Callable[..., Any] | float | str]
    ) -> None:
        self.spec = spec
        self.card = card
        self.fingerprint = fingerprint
        vars(self).update(abilities)

    def __repr__(self) -> str:
        return f"<model {self.spec}>"
