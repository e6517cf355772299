"""A zero-shot classifier that anyone can use: class vectors, a temperature, thresholds, and the card that says where they are
from and what they were measured to do. It needs NumPy and nothing else; the model that encodes pictures is the user's."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Flags, Floats, Indices
from eyechart.errors import DataError
from eyechart.files.atomic import write_text
from eyechart.files.records import Table, parse_json
from eyechart.files.safetensors import read_tensors, write_tensors

Reading = Literal["softmax", "sigmoid"]

FORMAT = "eyechart-classifier/1"
_CARD = "eyechart.classifier"  # the key of the card in the file's metadata
_OWN = {
    "format", "classes", "reading", "logit_scale", "logit_bias", "temperature", "thresholds", "prediction_sets",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Answers:
    """What a classifier says of n pictures. `labels`: the best class's, as the data spells it. `abstain`: where the classifier
    should rather say nothing. `sets` [n, C]: true for the classes that may be meant, which hold the right one as often as
    the card promises (`Classifier.coverage`); None where it promises nothing."""

    labels: npt.NDArray[np.str_]
    classes: Indices
    probabilities: Doubles
    abstain: Flags
    sets: Flags | None

    @property
    def confidence(self) -> Doubles:
        return np.asarray(self.probabilities.max(axis=1))


@dataclass(frozen=True, eq=False)
class Classifier:
    """`labels[c]`: what the data calls class c; several classes may have one label. `names[c]`: the words for it. `vectors`
    [C, d]: unit length. Probabilities are those of (scale · cosine + bias) / temperature. `thresholds[c]`: the least probability
    with which c is answered. `coverage`, `least`: prediction sets hold the right class that often, and are the classes of
    probability `least` or more. `about`: model, protocol and findings, as the card has them."""

    labels: tuple[str, ...]
    names: tuple[str, ...]
    vectors: Floats
    logit_scale: float
    logit_bias: float
    temperature: float
    thresholds: Doubles
    reading: Reading = "softmax"
    coverage: float | None = None
    least: float | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.labels)
        if count < 1 or len(self.names) != count or self.vectors.shape[:1] != (count,) or self.thresholds.shape != (count,):
            raise ValueError("there is not one name, one vector and one threshold for every label")
        if self.vectors.ndim != 2 or not np.allclose(np.linalg.norm(self.vectors, axis=1), 1, atol=1e-3):
            raise ValueError("the class vectors are not of unit length")
        if not (self.temperature > 0 and self.logit_scale > 0 and np.isfinite([self.temperature, self.logit_scale]).all()):
            raise ValueError("temperature and logit scale are not positive numbers")
        if not (np.isfinite(self.logit_bias) and np.isfinite(self.thresholds).all()):
            raise ValueError("the logit bias or a threshold is not a number")
        if self.reading not in ("softmax", "sigmoid"):
            raise ValueError(f"the reading {self.reading!r} is neither softmax nor sigmoid")
        if (self.coverage is None) != (self.least is None):
            raise ValueError("coverage and least probability of prediction sets go together")
        if self.coverage is not None and self.least is not None and not (0 < self.coverage < 1 and 0 <= self.least <= 1):
            raise ValueError("coverage or least probability of prediction sets lies outside 0 to 1")

    def __repr__(self) -> str:
        """In one line: vectors and card would fill the screen."""
        first = ", ".join(self.names[:3]) + (", …" if len(self.names) > 3 else "")
        sets = "no prediction sets" if self.coverage is None else f"prediction sets of {self.coverage:.3g} coverage"
        count, width = self.vectors.shape
        sure = f"{self.reading} at temperature {self.temperature:.3g}"
        return f"<Classifier: {count} classes ({first}), width {width}, {sure}, {sets}>"

    def __call__(self, image_vectors: npt.ArrayLike) -> Answers:
        """Answer for picture vectors [n, d] of any length; one picture may come as [d]."""
        z = self._logits(image_vectors) / self.temperature
        best = z.argmax(axis=1)  # not of probabilities: several of a sigmoid may be so near 1 that they round to it
        p = self._read(z)
        abstain = p[np.arange(len(p)), best] < self.thresholds[best]
        sets = None if self.least is None else p >= self.least
        return Answers(np.array(self.labels)[best], best, p, abstain, sets)

    def probabilities(self, image_vectors: npt.ArrayLike) -> Doubles:
        """[n, C]: softmax, one answer among the classes, or sigmoid, each class by itself."""
        return self._read(self._logits(image_vectors) / self.temperature)

    def _read(self, z: Doubles) -> Doubles:
        """Scores as probabilities; for softmax they are overwritten."""
        if self.reading == "sigmoid":
            return np.asarray(np.exp(-np.logaddexp(0.0, -z)))
        z -= z.max(axis=1, keepdims=True)
        np.exp(z, out=z)
        return np.asarray(z / z.sum(axis=1, keepdims=True))

    def _logits(self, image_vectors: npt.ArrayLike) -> Doubles:
        pictures = np.atleast_2d(np.asarray(image_vectors, np.float32))
        if pictures.ndim != 2 or pictures.shape[1] != self.vectors.shape[1]:
            raise ValueError(f"picture vectors of shape {pictures.shape}: expected [n, {self.vectors.shape[1]}]")
        lengths = np.linalg.norm(pictures, axis=1, keepdims=True)
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            row = int(np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))[0])
            raise ValueError(f"picture vector {row} is zero or not finite")
        distinct, column = self._distinct
        cosines = (pictures / lengths) @ distinct.T
        return np.asarray(cosines[:, column] * np.float64(self.logit_scale) + self.logit_bias)

    @cached_property
    def _distinct(self) -> tuple[Floats, Indices]:
        """Every vector once: a matrix product may round two equal columns differently, and equal classes must tie."""
        _, first, column = np.unique(self.vectors, axis=0, return_index=True, return_inverse=True)
        return self.vectors[first], column.reshape(-1)

    @property
    def card(self) -> dict[str, Any]:
        """Everything but the vectors, as JSON has it."""
        sets = None if self.least is None else {"coverage": self.coverage, "least_probability": self.least}
        return {
            "format": FORMAT,
            "classes": [{"label": label, "name": name} for label, name in zip(self.labels, self.names, strict=True)],
            "reading": self.reading,
            "logit_scale": self.logit_scale,
            "logit_bias": self.logit_bias,
            "temperature": self.temperature,
            "thresholds": self.thresholds.tolist(),
            "prediction_sets": sets,
            **self.about,
        }

    def save(self, path: str | Path) -> Path:
        """One file that has everything, and its card once more beside it, for people: F.safetensors and F.json."""
        path = Path(path)
        card = json.dumps(self.card, ensure_ascii=False, allow_nan=False)
        write_tensors(path, {"vectors": np.asarray(self.vectors, np.float32)}, {_CARD: card})
        write_text(path.with_suffix(".json"), json.dumps(self.card, indent=1, ensure_ascii=False) + "\n")
        return path

    @staticmethod
    def load(path: str | Path) -> "Classifier":
        """From the .safetensors file; the .json beside it is not read."""
        path = Path(path)
        try:
            arrays, metadata = read_tensors(path)
        except DataError as error:
            if not _is_json(path):
                raise
            classifier = path.with_suffix(".safetensors")
            raise DataError(f"{path} is JSON, as is the card beside a classifier; load {classifier}") from error
        if "vectors" not in arrays or _CARD not in metadata:
            raise DataError(f"{path} holds no classifier of Eyechart's; `eyechart repair` writes one")
        try:
            card = Table(f"{path}, card", parse_json(metadata[_CARD], f"{path}, card"), error=DataError)
            return _classifier(card, arrays["vectors"])
        except (ValueError, TypeError) as error:
            raise DataError(f"{path}: its card and its vectors do not fit ({error}); write the classifier again") from error


def _is_json(path: Path) -> bool:
    """Whether the file opens as an object of JSON does. So may a sound safetensors file, whose length comes first."""
    return path.is_file() and path.read_bytes()[:64].lstrip()[:1] == b"{"


@dataclass(frozen=True)
class _Class:
    label: str
    name: str


@dataclass(frozen=True)
class _PredictionSets:
    coverage: float
    least_probability: float


def _classifier(card: Table, vectors: npt.NDArray[Any]) -> Classifier:
    found = card.get("format", str)
    if found != FORMAT:
        raise card.fail("format", f"is {found!r}, and this version of Eyechart reads {FORMAT!r}; update Eyechart")
    classes = card.get("classes", tuple[_Class, ...])
    sets = card.get("prediction_sets", _PredictionSets, None)
    return Classifier(
        labels=tuple(c.label for c in classes),
        names=tuple(c.name for c in classes),
        vectors=np.asarray(vectors, np.float32),
        logit_scale=card.get("logit_scale", float),
        logit_bias=card.get("logit_bias", float),
        temperature=card.get("temperature", float),
        thresholds=np.asarray(card.get("thresholds", tuple[float, ...]), np.float64),
        reading=card.get("reading", Literal["softmax", "sigmoid"]),
        coverage=None if sets is None else sets.coverage,
        least=None if sets is None else sets.least_probability,
        about={key: value for key, value in card.content.items() if key not in _OWN},
    )
