"""A model card: what is known of a model from its name and configuration. What is not known stays None."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelCard:
    name: str
    backend: str
    architecture: str | None = None
    family: str | None = None
    source: str | None = None
    dataset_size: int | None = None
    samples_seen: int | None = None
    fine_tuning: str | None = None
    loss: str | None = None
    resolution: int | None = None
    parameters: int | None = None
    licence: str | None = None
    notes: tuple[str, ...] = ()
