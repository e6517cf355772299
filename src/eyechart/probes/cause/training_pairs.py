"""Pairs of models whose model cards differ in one training fact only."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eyechart.models.card import ModelCard

SEED = "seed"  # differs between pairs, never within one
STOPPED = "stopped at"  # marks checkpoints, which the probe `progression` follows


@dataclass(frozen=True)
class TrainingComparison:
    """Pairs of models that differ in one fact.

    fact: The training fact.
    treated: Its value in the treated models.
    control: Its value in the controls.
    pairs: (treated, control), equal in every other fact, the seed included.
    """

    fact: str
    treated: str
    control: str
    pairs: tuple[tuple[str, str], ...]

    @property
    def title(self) -> str:
        return f"{self.fact}: {self.treated} against {self.control}"


def training_comparisons(cards: Mapping[str, ModelCard], controls: Sequence[str]) -> list[TrainingComparison]:
    """Every fact that varies, each of its values against the control.

    The control of a fact is given by `controls` ("caption order=random"); else it is the most frequent value, of ties the first
    in the alphabet.
    """
    facts = {name: dict(card.training) for name, card in cards.items() if card.training}
    facts = {name: known for name, known in facts.items() if known.pop(STOPPED, "the end") == "the end"}
    named = dict(control.split("=", 1) for control in controls)
    found = []
    for fact in sorted({key for known in facts.values() for key in known} - {SEED}):
        counts = Counter(known[fact] for known in facts.values() if fact in known)
        if len(counts) < 2:
            continue
        control = named.get(fact, min(counts, key=lambda value: (-counts[value], value)))
        for treated in sorted(set(counts) - {control}):
            pairs = _pairs(facts, fact, treated, control)
            if pairs:
                found.append(TrainingComparison(fact, treated, control, pairs))
    return found


def _pairs(facts: Mapping[str, Mapping[str, str]], fact: str, treated: str, control: str) -> tuple[tuple[str, str], ...]:
    def rest(known: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        return tuple(sorted((key, value) for key, value in known.items() if key != fact))

    controls = {rest(known): name for name, known in facts.items() if known.get(fact) == control}
    alike = [(name, controls.get(rest(known))) for name, known in facts.items() if known.get(fact) == treated]
    return tuple((name, other) for name, other in alike if other is not None)
