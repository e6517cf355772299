"""Models of a run that are checkpoints of one training run."""

from collections.abc import Mapping
from dataclasses import dataclass

from eyechart.models.card import ModelCard

STOPPED = "stopped at"  # the only training fact that differs between checkpoints


@dataclass(frozen=True)
class TrainingRun:
    """Checkpoints of one training run.

    title: The name of the last checkpoint.
    models: The models by samples seen, fewest first.
    samples: The samples seen.
    """

    title: str
    models: tuple[str, ...]
    samples: tuple[int, ...]


def training_runs(cards: Mapping[str, ModelCard]) -> list[TrainingRun]:
    """Groups of two or more models with equal training facts and different numbers of samples seen.

    Without training facts in the card, architecture, source, loss, fine-tuning and resolution must be equal.
    """
    groups: dict[tuple[object, ...], dict[int, str]] = {}
    for name, card in cards.items():
        key = _training(card)
        if key is not None and card.samples_seen:
            groups.setdefault(key, {}).setdefault(card.samples_seen, name)
    found = []
    for group in groups.values():
        if len(group) > 1:
            samples = tuple(sorted(group))
            models = tuple(group[n] for n in samples)
            found.append(TrainingRun(models[-1], models, samples))
    return found


def _training(card: ModelCard) -> tuple[object, ...] | None:
    if card.training:
        return tuple(sorted((key, value) for key, value in card.training.items() if key != STOPPED))
    if card.architecture is None or card.source is None:
        return None
    return (card.architecture, card.source, card.loss, card.fine_tuning, card.resolution)
