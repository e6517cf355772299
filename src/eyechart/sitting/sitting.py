"""One model before the datasets of a plan: what the questions need is encoded, once ever, and handed out as vectors."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from eyechart.data.picture import Decoding
from eyechart.encode.engine import Engine, PictureWork, work_of
from eyechart.encode.gather import gather
from eyechart.encode.keys import SetAside, text_key
from eyechart.encode.shelf import Shelf
from eyechart.environment import environment
from eyechart.errors import ModelError
from eyechart.metrics.vectors import unit
from eyechart.models.abilities import has_members, lacks
from eyechart.models.encoder import EncodesImages, EncodesTexts, LooksUpImages, LooksUpTexts, Model, ScoresPairs
from eyechart.notice import Notice, counted, shortened
from eyechart.progress import Progress
from eyechart.sitting.collection import Collection
from eyechart.sitting.insight import Insight, insight_of
from eyechart.store.store import Store

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Seen:
    """What the model saw of a dataset: the usable rows, their unit vectors, which of them show the same picture, and the rest."""

    rows: list[int]
    vectors: Floats
    clusters: npt.NDArray[np.int64]
    set_aside: tuple[SetAside, ...]
    lasting: bool  # False where a picture could not be read just now: what is found then must not be taken for final


class Sitting:
    def __init__(
        self,
        name: str,
        model: Model,
        *,
        store: Store,
        engine: Engine,
        decoding: Decoding,
        progress: Progress,
        made_with: dict[str, Any],
    ) -> None:
        self.name, self.model, self.made_with = name, model, made_with
        self._store, self._engine, self._decoding, self._progress = store, engine, decoding, progress
        self._lost: dict[bytes, str] = {}
        self._passing: set[bytes] = set()
        self._cut: frozenset[str] = frozenset()
        self._text_rows: dict[str, int] = {}
        self._text_vectors: Floats = np.empty((0, 0), np.float32)

    def look(self, collections: Sequence[Collection]) -> None:
        """Encode the pictures of all datasets; what several share is encoded once."""
        if not has_members(self.model, "encode_images"):
            return
        self._introduce()
        work = (item for c in collections for item in work_of(c.dataset, c.keys))
        report = self._engine.encode_pictures(
            cast(EncodesImages, self.model), work, self._pictures(), decode=self._decoding.decode, progress=self._progress
        )
        self._lost = {lost.key: lost.reason for lost in report.lost}
        self._passing = {lost.key for lost in report.lost if not lost.lasting}
        self._remember(report.encoded)

    def listen(self, texts: Iterable[str]) -> None:
        """Encode texts and keep their unit vectors at hand. A model without text encoder hears nothing: a probe that can do
        without declares no need of them."""
        wanted = sorted(set(texts))
        if not wanted or lacks(self.model, "texts"):
            return
        if has_members(self.model, "look_up_texts"):
            vectors = cast(LooksUpTexts, self.model).look_up_texts(wanted)
        else:
            self._introduce()
            shelf = self._store.shelf(self.model.fingerprint, "text")
            report = self._engine.encode_texts(cast(EncodesTexts, self.model), wanted, shelf, progress=self._progress)
            vectors = gather(shelf, [text_key(text) for text in wanted])
            self._cut = frozenset(report.cut)
            self._remember(report.encoded)
        self._text_vectors = unit(vectors)
        self._text_rows = {text: row for row, text in enumerate(wanted)}

    def cut(self, texts: Iterable[str]) -> list[Notice]:
        """A warning where some of these texts are longer than the model can hear."""
        lost = sorted(self._cut.intersection(texts))
        if not lost:
            return []
        what = f"{counted(len(lost), 'text')} longer than the model's context, cut at its end: {shortened(lost)}"
        return [Notice(self.name, what, "shorten the class names or the templates")]

    def are_cut(self, texts: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which of these texts lost their end."""
        return np.array([text in self._cut for text in texts], np.bool_)

    def seen(self, collection: Collection) -> Seen:
        """The vectors of a dataset, and every picture of it that has none, with the reason."""
        ids = collection.dataset.ids()
        lost = [
            SetAside(row, ids[row], self._lost[key])
            for row, key in enumerate(collection.keys)
            if key is not None and key in self._lost
        ]
        set_aside = tuple(sorted([*collection.set_aside, *lost], key=lambda s: s.row))
        unusable = {s.row for s in set_aside}
        rows = [row for row in range(len(ids)) if row not in unusable]
        keys = [key for row, key in enumerate(collection.keys) if row not in unusable and key is not None]
        if has_members(self.model, "look_up_images"):
            vectors = cast(LooksUpImages, self.model).look_up_images([ids[row] for row in rows])
        elif keys and has_members(self.model, "encode_images"):
            vectors = gather(self._pictures(), keys)
        else:
            vectors = np.empty((len(rows), 0), np.float32)
        if vectors.size and self._text_vectors.size and vectors.shape[1] != self._text_vectors.shape[1]:
            raise ModelError(
                f"{self.name}: its picture vectors have {vectors.shape[1]} numbers and its text vectors "
                f"{self._text_vectors.shape[1]}; both towers must come from one model"
            )
        _, clusters = np.unique(np.array(keys, dtype="S32"), return_inverse=True)
        lasting = self._passing.isdisjoint(key for key in collection.keys if key)
        return Seen(rows, unit(vectors) if vectors.size else vectors, clusters.astype(np.int64), set_aside, lasting)

    def insight(self, collection: Collection, seen: Seen) -> Insight:
        """What the model gives besides vectors of the usable pictures of a dataset."""
        pictures = collection.dataset.pictures
        gives = has_members(self.model, "encode_images")
        works = [PictureWork(key, pictures, row) for row in seen.rows if gives and (key := collection.keys[row]) is not None]
        return insight_of(
            self.model,
            works,
            engine=self._engine,
            decoding=self._decoding,
            progress=self._progress,
            scores=lambda: self._pictures("class_scores"),
        )

    def texts(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of texts that were listened to."""
        vectors: Floats = self._text_vectors[[self._text_rows[text] for text in texts]]
        return vectors

    def identity(self) -> list[str | int]:
        """What an answer depends on besides the question: the model, and whether its stored vectors had to be replaced."""
        return [self.model.fingerprint, self._store.generation(self.model.fingerprint)]

    def facts(self) -> dict[str, Any]:
        """What numbers depend on besides vectors. Remembered in the store, so that a second run loads no network for them."""
        fingerprint = self.model.fingerprint
        known = self._store.facts(fingerprint) or {}
        if has_members(self.model, "logit_scale") and "logit_scale" not in known:
            pairs = cast(ScoresPairs, self.model)
            known |= {"logit_scale": pairs.logit_scale, "logit_bias": pairs.logit_bias}
            self._store.remember_facts(fingerprint, {"spec": self.model.spec, **known})
        return {
            "spec": self.model.spec,
            "fingerprint": fingerprint,
            "card": asdict(self.model.card),
            "logit_scale": known.get("logit_scale"),
            "logit_bias": known.get("logit_bias", 0.0),
            "encoded_with": known.get("encoded_with"),
        }

    def _introduce(self) -> None:
        """Tell the store whose vectors are coming, so that it can name them even if the run is cut off."""
        if self._store.facts(self.model.fingerprint) is None:
            self._store.remember_facts(self.model.fingerprint, {"spec": self.model.spec})

    def _remember(self, encoded: int) -> None:
        """What the newest vectors were made with: their last digits may depend on it."""
        if encoded:
            made = {"environment": environment(), **self.made_with}
            self._store.remember_facts(self.model.fingerprint, {"spec": self.model.spec, "encoded_with": made})

    def _pictures(self, role: str = "image") -> Shelf:
        choices = json.dumps(self._decoding.describe(), sort_keys=True)
        return self._store.shelf(self.model.fingerprint, role, hashlib.sha256(choices.encode()).hexdigest()[:16])
