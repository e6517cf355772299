"""OOD scores of a zero-shot classifier: does a picture show any of its classes? Higher means in-distribution."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles
from eyechart.metrics.calibration.logits import LogitBlocks
from eyechart.metrics.vectors import row_products

Score = Literal["mcm", "energy", "max_cosine", "entropy", "variance", "msp"]
SCORES: tuple[Score, ...] = get_args(Score)


@dataclass(frozen=True)
class OodScores:
    """`by_name[score][i]`: each score of every picture; and the class that it is closest to."""

    by_name: dict[str, Doubles]
    nearest: npt.NDArray[np.int64]


def ood_scores(cosines: LogitBlocks, temperature: float = 1.0, logit_scale: float | None = None) -> OodScores:
    r"""All scores in one pass over blocks. `cosines` are logits of scale 1.

    With p = softmax(cos/T), T = 1 on raw cosines as published: `mcm` max_c p_c (Ming et al., 2022); `energy` T·log Σ exp(cos/T)
    (Liu et al., 2020); `max_cosine`; `entropy` Σ p log p, the negative entropy; `variance` of p over the classes. `msp`:
    max_c softmax(logit_scale · cos), as a trained classifier would have it (Hendrycks and Gimpel, 2017); only with a scale.
    """
    names = [name for name in SCORES if name != "msp" or logit_scale is not None]
    out: dict[str, Doubles] = {name: np.empty(len(cosines)) for name in names}
    nearest = np.empty(len(cosines), np.int64)
    for rows, block in cosines.blocks():
        nearest[rows] = block.argmax(axis=1)
        best = block.max(axis=1)
        out["max_cosine"][rows] = best
        block -= best[:, None]
        if logit_scale is not None:
            # In single precision, which takes a third of the time; the others, of cosines that hardly differ, need all digits.
            sharp = (logit_scale * block).astype(np.float32)
            out["msp"][rows] = 1 / np.exp(sharp, out=sharp).sum(axis=1, dtype=np.float64)
        if temperature != 1.0:
            block /= temperature
        p: Doubles = np.exp(block)
        whole = p.sum(axis=1)
        out["energy"][rows] = best + temperature * np.log(whole)
        out["mcm"][rows] = 1 / whole
        # Σ p log p = E_p[z] − log Σ e^z, with z relative to the best class.
        out["entropy"][rows] = row_products(p, block) / whole - np.log(whole)
        out["variance"][rows] = row_products(p, p) / whole**2 / p.shape[1] - 1 / p.shape[1] ** 2
    return OodScores(out, nearest)


def logit_scores(logits: LogitBlocks) -> OodScores:
    """Of a classifier that gives logits of its own, the same at T = 1: `msp`, `energy`, `max_logit`, `entropy`, `variance`."""
    found = ood_scores(logits)
    called = {"mcm": "msp", "max_cosine": "max_logit"}
    return OodScores({called.get(name, name): values for name, values in found.by_name.items()}, found.nearest)
