"""Checks whose limit is what chance alone would give: of guessing, and of classes that are all alike."""

from collections.abc import Iterator, Sequence

from eyechart.report.checks import Outcome, overall, value_of
from eyechart.report.evidence import Evidence, Figure
from eyechart.report.rulings import Ruling, undecided

WEAK = 0.1  # how far below chance's worst classes the worst ones must lie


def better_than_guessing(evidence: Evidence) -> Iterator[Outcome]:
    """Right answers against those of a model that guesses."""
    chances = {(f.dataset, f.slice): f.value for f in evidence.figures if (f.probe, f.metric) == ("zero_shot", "chance")}
    figures = [f for f in overall(evidence, "zero_shot", "top1") if chances.get((f.dataset, f.slice)) is not None]
    guessed = [f for f in figures if f.surely(chances[f.dataset, f.slice] or 0.0) <= 0]
    if guessed:
        yield Outcome(Ruling("It is not surely better than guessing.", tuple(guessed)), warning=True)
    elif figures:
        yield Outcome(Ruling("It names the right class more often than guessing would.", _by_value(figures)))


def even_classes(evidence: Evidence) -> Iterator[Outcome]:
    """The worst classes against those that chance would make the worst, were all classes alike."""
    alike = {(f.dataset, f.slice): f for f in evidence.figures if (f.probe, f.metric) == ("worst", "worst_at_k_by_chance")}
    figures = overall(evidence, "worst", "worst_at_k")
    pairs = [(f, alike[f.dataset, f.slice]) for f in _by_value(figures) if (f.dataset, f.slice) in alike]
    low = [(f, chance) for f, chance in pairs if value_of(f) < min(chance.low or 0.0, value_of(chance) - WEAK)]
    if low:
        sentence = (
            "The average hides weak classes: the worst lie more than 10 points below where chance would put the worst of classes "
            "that are all alike."
        )
        yield Outcome(Ruling(sentence, tuple(f for pair in low for f in pair)), warning=True)
    elif pairs and all(f.low is not None and f.low >= value_of(chance) - WEAK for f, chance in pairs):
        sentence = "No classes lie 10 points below where chance would put the worst of classes that are all alike."
        yield Outcome(Ruling(sentence, tuple(f for pair in pairs for f in pair)))
    elif pairs:
        yield Outcome(undecided("whether the average hides weak classes", [f for pair in pairs for f in pair]))


def _by_value(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    return tuple(sorted(figures, key=value_of))
