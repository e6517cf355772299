"""The settings of a caption repair. All of them are written to its card."""

from dataclasses import dataclass

from eyechart.repair.captions.listings import MOST
from eyechart.repair.captions.vectors import WAYS

PURPOSES = ("matching", "retrieval")
AUTO = "auto"


@dataclass(frozen=True)
class CaptionSettings:
    """Settings of a caption repair.

    way: How captions are encoded: "orders", "parts", "both", or "auto" for the best on the selection half.
    purpose: What the way is chosen for; "auto" is all that the dataset allows, with equal weights.
    most: Most permutations of one caption.
    pictures: Pictures of the matching trials (see the probe `matching`); 0 for all.
    absent: Absent objects of a picture in the matching trials; 0 for all.
    seed: Seed of halves and trials.
    """

    way: str = AUTO
    purpose: str = AUTO
    most: int = MOST
    pictures: int = 400
    absent: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.way not in (AUTO, *WAYS):
            raise ValueError(f"way must be one of {AUTO}, {', '.join(WAYS)}, not {self.way!r}")
        if self.purpose not in (AUTO, *PURPOSES):
            raise ValueError(f"purpose must be one of {AUTO}, {', '.join(PURPOSES)}, not {self.purpose!r}")
        if self.most < 2 or min(self.pictures, self.absent, self.seed) < 0:
            raise ValueError("most must be at least 2; pictures, absent and seed must not be negative")

    @property
    def ways(self) -> tuple[str, ...]:
        return WAYS if self.way == AUTO else (self.way,)
