"""Models of a run that are checkpoints of one training run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from eyechart.models.card import ModelCard

_EPOCH = re.compile(r"(?P<run>.+)_e\d+")  # a name that ends in its epoch
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
    """Groups of two or more models of one training run at different numbers of samples seen.

    One run is what the plan says (`run`), or equal training facts in the cards, or names that differ in their epoch alone
    (laion400m_e31 and laion400m_e32). Two models of one architecture and source may come from separate trainings, such as
    laion2b_e16 and laion2b_s34b_b79k: they are never joined.
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
    if card.run is not None:
        return ("run", card.run)
    if card.training:
        return tuple(sorted((key, value) for key, value in card.training.items() if key != STOPPED))
    epoch = _EPOCH.fullmatch(card.name)
    return None if epoch is None else ("epochs", card.backend, card.architecture, card.source, epoch["run"])
