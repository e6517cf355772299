"""Predictions with their probabilities, before and after temperature scaling."""

from dataclasses import dataclass
from typing import Any

from eyechart.arrays import Flags, Indices
from eyechart.metrics.calibration.logits import LogitBlocks
from eyechart.metrics.calibration.readout import Reading, Readout, read
from eyechart.probes.calibration.sets import CalibrationPart, PictureSet
from eyechart.probes.contract import ProbeInput

ALL = "all pictures"


@dataclass(frozen=True, eq=False)
class PredictedProbabilities:
    """The predictions for some pictures.

    slice: How findings name these pictures.
    of: The dataset they are from.
    rows: Their rows.
    units: Rows of one number show one scene.
    predicted: The predicted class, in the list of the examined dataset.
    correct: Whether it is correct.
    own: Confidence and losses without scaling.
    scaled: The same at the fitted temperature; None where there is none.
    """

    slice: dict[str, object]
    of: ProbeInput[Any]
    rows: Indices
    units: Indices
    predicted: Indices
    correct: Flags
    own: Readout
    scaled: Readout | None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def readouts(self) -> dict[str, Readout]:
        """By the suffix of their metrics: "" and "_scaled"."""
        return {"": self.own} | ({} if self.scaled is None else {"_scaled": self.scaled})

    @property
    def title(self) -> str:
        named = {k: f"{v} {k}" if k == "half" else v for k, v in self.slice.items()}
        return ", ".join(str(v) if isinstance(v, str) else f"{k} {v}" for k, v in named.items()) or ALL


def predict_set(
    pictures: PictureSet, logits: LogitBlocks, temperature: float | None, reading: Reading
) -> list[PredictedProbabilities]:
    """The predictions for each part of a set; its logits are computed once."""
    temperatures = [1.0] if temperature is None else [1.0, temperature]
    predicted, outs = read(logits, pictures.truth, temperatures, reading)
    correct = pictures.correct(predicted)

    def of_part(part: CalibrationPart) -> PredictedProbabilities:
        at = part.places
        own, *scaled = (Readout(out.confidence[at], out.nll[at], out.brier[at]) for out in outs)
        return PredictedProbabilities(
            part.slice,
            pictures.of,
            pictures.rows[at],
            pictures.units[at],
            pictures.columns[predicted[at]],
            correct[at],
            own,
            scaled[0] if scaled else None,
        )

    return [of_part(part) for part in pictures.parts]
