"""A ruling: what the findings say about one question, with the figures that decide it."""

from dataclasses import dataclass
from typing import Literal

from eyechart.findings.metric import Area
from eyechart.verdict.evidence import Figure

NOT_JUDGED = "Not judged: "  # how the remedy begins where a value says nothing
Outcome = Literal["bad", "good", "inconclusive", "not tested"]


@dataclass(frozen=True)
class Ruling:
    """One judged question.

    area: The part of the verdict that it belongs to.
    outcome: "bad" where the whole 95% interval of a dataset is beyond the limit, "good" where those of all datasets are within
        it, "inconclusive" otherwise, and "not tested" where nothing was measured.
    sentence: What it says. For "inconclusive" it is a clause that begins with "whether".
    figures: The figures that it rests on, the deciding one first.
    against: Figures for the opposite, such as datasets within the limits.
    remedy: For "inconclusive", what would decide it; for "not tested", what would test it. Empty where nothing is known.
    """

    area: Area
    outcome: Outcome
    sentence: str
    figures: tuple[Figure, ...] = ()
    against: tuple[Figure, ...] = ()
    remedy: str = ""

    @property
    def not_judged(self) -> bool:
        """Whether the value says nothing, because what it presumes does not hold: accuracy above its baselines, for example."""
        return self.outcome == "inconclusive" and self.remedy.startswith(NOT_JUDGED)
