"""Where the sliders of the thresholds stand."""

from dataclasses import dataclass

import numpy as np

from eyechart.errors import UsageError
from eyechart.metrics.ranking.ood_scores import SCORES


@dataclass(frozen=True)
class Thresholds:
    """Where the sliders stand.

    temperature: What logits are divided by.
    abstain: The least probability of an answer.
    score: The OOD score.
    reject: The least score of a picture that is taken for in-distribution; None for no rejection.
    """

    temperature: float = 1.0
    abstain: float = 0.0
    score: str = "mcm"
    reject: float | None = None

    def __post_init__(self) -> None:
        if self.score not in SCORES:
            raise UsageError(f"the OOD score must be one of {', '.join(SCORES)}")
        if not all(np.isfinite(v) for v in (self.temperature, self.abstain, self.reject or 0.0)):
            raise UsageError("a threshold is not a number")
