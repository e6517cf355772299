"""What a repair of captions does, in one record: every field stands in its card."""

from dataclasses import dataclass

from eyechart.repair.captions.vectors import WAYS
from eyechart.repair.captions.wordings import MOST

PURPOSES = ("matching", "retrieval")
AUTO = "auto"


@dataclass(frozen=True)
class CaptionSettings:
    """`way`: how captions are said, or "auto": whichever does best on the half that may be looked at, as they are among them.
    `purpose`: what it is to be best at; "auto" is both as far as the dataset has them, each weighing the same. `most`: orders of
    one caption. `pictures`, `absent`: of the matching trials (see the probe `matching`; 0: all). `seed`: of halves and trials.
    """

    way: str = AUTO
    purpose: str = AUTO
    most: int = MOST
    pictures: int = 400
    absent: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.way not in (AUTO, *WAYS):
            raise ValueError(f"way is one of {AUTO}, {', '.join(WAYS)}, not {self.way!r}")
        if self.purpose not in (AUTO, *PURPOSES):
            raise ValueError(f"purpose is one of {AUTO}, {', '.join(PURPOSES)}, not {self.purpose!r}")
        if self.most < 2 or min(self.pictures, self.absent, self.seed) < 0:
            raise ValueError("most is a whole number from 2 up; pictures, absent and seed from 0 up")

    @property
    def ways(self) -> tuple[str, ...]:
        return WAYS if self.way == AUTO else (self.way,)
