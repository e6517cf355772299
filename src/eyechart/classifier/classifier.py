"""A zero-shot classifier: class vectors, a temperature, thresholds, and a card with its origin and its measured performance.

It needs NumPy only; the user's own model encodes the pictures."""

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
from eyechart.files.atomic import remove_abandoned, write_text
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
    """The predictions for n pictures.

    labels: [n] labels of the predicted classes.
    classes: [n] indices of the predicted classes.
    probabilities: [n, C] probabilities.
    abstain: [n] whether the classifier abstains.
    sets: [n, C] prediction sets with the coverage of the card (`Classifier.coverage`); None where it has none.
    """

    labels: npt.NDArray[np.str_]
    classes: Indices
    probabilities: Doubles
    abstain: Flags
    sets: Flags | None

    @property
    def confidence(self) -> Doubles:
        """[n] the highest probability."""
        return np.asarray(self.probabilities.max(axis=1))


@dataclass(frozen=True, eq=False)
class Classifier:
    """A zero-shot classifier. Probabilities are those of (scale · cosine + bias) / temperature.

    labels: The label of every class in the data; several classes may share one.
    names: The name of every class.
    vectors: [C, d] class vectors of unit length.
    logit_scale: The factor of the cosine.
    logit_bias: What is added to it.
    temperature: The temperature.
    thresholds: [C] the least probability at which a class is predicted; below it, the classifier abstains.
    reading: "softmax" over all classes, or "sigmoid" for each class.
    coverage: The coverage of prediction sets; None without them.
    least: The least probability of a class in a prediction set; None without them.
    about: Model, protocol and findings of the card.

    Example:
        >>> import numpy as np
        >>> classifier = Classifier(("cat", "dog"), ("cat", "dog"), np.eye(2, dtype=np.float32), 100.0, 0.0, 1.0, np.zeros(2))
        >>> classifier([0.9, 0.1]).labels.tolist()
        ['cat']
    """

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
            raise ValueError("every label needs one name, one vector and one threshold")
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
        """One line, without vectors and card."""
        first = ", ".join(self.names[:3]) + (", …" if len(self.names) > 3 else "")
        sets = "no prediction sets" if self.coverage is None else f"prediction sets of {self.coverage:.3g} coverage"
        count, width = self.vectors.shape
        reading = f"{self.reading} at temperature {self.temperature:.3g}"
        return f"<Classifier: {count} classes ({first}), width {width}, {reading}, {sets}>"

    def __call__(self, image_vectors: npt.ArrayLike) -> Answers:
        """Classify image vectors [n, d] of any norm; a single one may be [d]."""
        z = self._logits(image_vectors) / self.temperature
        best = z.argmax(axis=1)  # of logits, not probabilities: several sigmoids may round to 1
        p = self._read(z)
        abstain = p[np.arange(len(p)), best] < self.thresholds[best]
        sets = None if self.least is None else p >= self.least
        return Answers(np.array(self.labels)[best], best, p, abstain, sets)

    def probabilities(self, image_vectors: npt.ArrayLike) -> Doubles:
        """[n, C] probabilities: softmax over all classes, or sigmoid of each class.

        Args:
            image_vectors: [n, d] or [d], of any length.

        Example:
            >>> classifier = Classifier(("cat", "dog"), ("cat", "dog"), np.eye(2, dtype=np.float32), 100.0, 0.0, 1.0, np.zeros(2))
            >>> classifier.probabilities([[1, 1], [3, 0]]).round(3).tolist()
            [[0.5, 0.5], [1.0, 0.0]]
        """
        return self._read(self._logits(image_vectors) / self.temperature)

    def _read(self, z: Doubles) -> Doubles:
        """Logits to probabilities; for softmax, `z` is overwritten."""
        if self.reading == "sigmoid":
            return np.asarray(np.exp(-np.logaddexp(0.0, -z)))
        z -= z.max(axis=1, keepdims=True)
        np.exp(z, out=z)
        return np.asarray(z / z.sum(axis=1, keepdims=True))

    def _logits(self, image_vectors: npt.ArrayLike) -> Doubles:
        pictures = np.atleast_2d(np.asarray(image_vectors, np.float32))
        if pictures.ndim != 2 or pictures.shape[1] != self.vectors.shape[1]:
            raise ValueError(f"image vectors of shape {pictures.shape}: expected [n, {self.vectors.shape[1]}]")
        lengths = np.linalg.norm(pictures, axis=1, keepdims=True)
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            row = int(np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))[0])
            raise ValueError(f"image vector {row} is zero or not finite")
        distinct, column = self._distinct
        cosines = (pictures / lengths) @ distinct.T
        return np.asarray(cosines[:, column] * np.float64(self.logit_scale) + self.logit_bias)

    @cached_property
    def _distinct(self) -> tuple[Floats, Indices]:
        """The distinct vectors: a matrix product may round two equal columns differently, and equal classes must tie."""
        _, first, column = np.unique(self.vectors, axis=0, return_index=True, return_inverse=True)
        return self.vectors[first], column.reshape(-1)

    @property
    def card(self) -> dict[str, Any]:
        """Everything except the vectors, as JSON."""
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
        """Write the classifier to F.safetensors, and its card also to F.json for people.

        Args:
            path: F.safetensors.

        Returns:
            The path.

        Example:
            >>> classifier = Classifier(("cat", "dog"), ("cat", "dog"), np.eye(2, dtype=np.float32), 100.0, 0.0, 1.0, np.zeros(2))
            >>> Classifier.load(classifier.save("pets.safetensors")).labels
            ('cat', 'dog')
        """
        path = Path(path)
        remove_abandoned(path.parent, below=False)
        card = json.dumps(self.card, ensure_ascii=False, allow_nan=False)
        write_tensors(path, {"vectors": np.asarray(self.vectors, np.float32)}, {_CARD: card})
        write_text(path.with_suffix(".json"), json.dumps(self.card, indent=1, ensure_ascii=False) + "\n")
        return path

    @staticmethod
    def load(path: str | Path) -> "Classifier":
        """Load a classifier from its .safetensors file; the .json file is not read.

        Args:
            path: F.safetensors.

        Raises:
            DataError: If the file cannot be read or is not a classifier.
        """
        path = Path(path)
        try:
            arrays, metadata = read_tensors(path)
        except DataError as error:
            if not _is_json(path):
                raise
            classifier = path.with_suffix(".safetensors")
            raise DataError(f"{path} is JSON, like the card of a classifier; load {classifier}") from error
        if "vectors" not in arrays or _CARD not in metadata:
            raise DataError(f"{path} is not a classifier of Eyechart; `eyechart repair` writes one")
        try:
            card = Table(f"{path}, card", parse_json(metadata[_CARD], f"{path}, card"), error=DataError)
            return _classifier(card, arrays["vectors"])
        except (ValueError, TypeError) as error:
            raise DataError(f"{path}: its card and its vectors do not fit ({error}); write the classifier again") from error


def _is_json(path: Path) -> bool:
    """Whether the file begins like a JSON object. A valid safetensors file, which begins with a length, may do so too."""
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
