"""What a model says of pictures, and how sure it is: as it is, and at a fitted temperature."""

from dataclasses import dataclass
from typing import Any

from eyechart.arrays import Flags, Indices
from eyechart.metrics.calibration.logits import LogitBlocks
from eyechart.metrics.calibration.readout import Reading, Readout, read
from eyechart.probes.calibration.sets import CalibrationPart, PictureSet
from eyechart.probes.probe import ProbeInput

HELD_OUT = "held-out half"


@dataclass(frozen=True, eq=False)
class Reads:
    """The answers to some pictures. `predicted`: classes of the examined dataset. `own`: how sure they are as the model is;
    `scaled`: at the fitted temperature. Rows of one number in `units` show one scene."""

    slice: dict[str, object]
    of: ProbeInput[Any]
    rows: Indices
    units: Indices
    predicted: Indices
    right: Flags
    own: Readout
    scaled: Readout | None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def readouts(self) -> dict[str, Readout]:
        """Each under what is put behind the names of its metrics."""
        return {"": self.own} | ({} if self.scaled is None else {"_scaled": self.scaled})

    @property
    def title(self) -> str:
        return ", ".join(str(v) if isinstance(v, str) else f"{k} {v}" for k, v in self.slice.items()) or HELD_OUT


def read_set(pictures: PictureSet, logits: LogitBlocks, temperature: float | None, reading: Reading) -> list[Reads]:
    """One for each part of the set, whose logits are computed once."""
    temperatures = [1.0] if temperature is None else [1.0, temperature]
    predicted, outs = read(logits, pictures.truth, temperatures, reading)
    right = pictures.right(predicted)

    def cut(part: CalibrationPart) -> Reads:
        at = part.places
        own, *scaled = (Readout(out.confidence[at], out.nll[at], out.brier[at]) for out in outs)
        return Reads(
            part.slice,
            pictures.of,
            pictures.rows[at],
            pictures.units[at],
            pictures.columns[predicted[at]],
            right[at],
            own,
            scaled[0] if scaled else None,
        )

    return [cut(part) for part in pictures.parts]
