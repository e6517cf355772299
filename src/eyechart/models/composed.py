"""A model put together from parts: it has the abilities of the parts it was given, and no others."""

from collections.abc import Callable, Mapping
from typing import Any

from eyechart.models.card import ModelCard


class ComposedModel:
    """`abilities` become attributes of the instance, so that asking whether it can do a thing tells the truth: a folder
    without a text tower has no `encode_texts` at all."""

    def __init__(self, spec: str, card: ModelCard, fingerprint: str, abilities: Mapping[str, Callable[..., Any] | float]) -> None:
        self.spec = spec
        self.card = card
        self.fingerprint = fingerprint
        vars(self).update(abilities)

    def __repr__(self) -> str:
        return f"<model {self.spec}>"
