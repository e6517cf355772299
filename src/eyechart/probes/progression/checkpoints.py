"""Models of a run that are one model, stopped after more and more samples."""

from collections.abc import Mapping
from dataclasses import dataclass

from eyechart.models.card import ModelCard

STOPPED = "stopped at"  # the fact that sets checkpoints of one training apart


@dataclass(frozen=True)
class TrainingRun:
    """`models` by the samples they had seen, fewest first; the run is called by the last of them."""

    title: str
    models: tuple[str, ...]
    samples: tuple[int, ...]


def training_runs(cards: Mapping[str, ModelCard]) -> list[TrainingRun]:
    """Models whose cards say the same of their training but for where it stopped, two or more of different samples seen.

    A card that tells no facts of training tells at least architecture, source, loss and fine-tuning; those must be known.
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
