"""A session: one model and the datasets of a plan. What the probes need is encoded once ever and handed out as vectors."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.data.picture import Decoding
from eyechart.encode.engine import Engine, LostPicture, PictureWork, work_of
from eyechart.encode.gather import gather
from eyechart.encode.keys import SetAside, text_key
from eyechart.encode.shelf import BROKEN
from eyechart.errors import ModelError
from eyechart.metrics.vectors import unit
from eyechart.models.abilities import has_members, lacks
from eyechart.models.answering import AnswersQuestions
from eyechart.models.class_likelihoods import SCORING_VERSION
from eyechart.models.encoder import (
    EncodesImages,
    EncodesTexts,
    LooksUpImages,
    LooksUpPredictions,
    LooksUpTexts,
    Model,
    PicturePrediction,
    ScoresPairs,
)
from eyechart.models.towers import image_fingerprint, text_fingerprint
from eyechart.notice import Notice, counted, shortened
from eyechart.progress import Progress
from eyechart.session.activations import Activations, activations_of
from eyechart.session.asking import Asking
from eyechart.session.environment import environment
from eyechart.session.keyed_dataset import KeyedDataset
from eyechart.session.picture_shelf import picture_shelf
from eyechart.session.rates import RateMeter, known_rate, remember_rate
from eyechart.session.rates import Unit as EncodedUnit
from eyechart.session.readable_pictures import lost_pictures
from eyechart.session.same_pixels import copy_same, other_shelves
from eyechart.session.text_bank import TextBank
from eyechart.store.answers import KeptAnswers
from eyechart.store.shelf import StoredShelf
from eyechart.store.store import Store

MakesAsking = Callable[[AnswersQuestions, KeptAnswers, Sequence[PictureWork], Decoding], Asking]


@dataclass(frozen=True)
class EncodedDataset:
    """The pictures of a dataset as vectors.

    rows: The usable rows of the dataset.
    vectors: Their unit vectors [n, d].
    clusters: Equal numbers mark rows that show the same picture.
    set_aside: The rows that have no vector, with the reason.
    lasting: False where a picture could not be read just now. What is found then is not kept as final.
    """

    rows: list[int]
    vectors: Floats
    clusters: npt.NDArray[np.int64]
    set_aside: tuple[SetAside, ...]
    lasting: bool


class Session:
    """One model, and everything of it that is encoded for a run.

    Args:
        name: What the findings call the model.
        model: The model.
        store: Where vectors are kept.
        engine: How pictures and texts are encoded.
        decoding: How picture files are decoded.
        progress: Where progress is shown.
        made_with: Device, precision and batch size, for the record.
        store_precision: "float16" to keep picture vectors in half precision.
    """

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
        store_precision: str = "float32",
    ) -> None:
        self.name, self.model, self.made_with, self._store_precision = name, model, made_with, store_precision
        self._store, self._engine, self._decoding, self._progress = store, engine, decoding, progress
        self._lost: dict[bytes, str] = {}
        self._unread: set[bytes] = set()
        self._truncated: set[str] = set()
        self._bank = TextBank()

    def encode_images(self, datasets: Sequence[KeyedDataset]) -> None:
        """Encode the pictures of all datasets. A picture that several of them share is encoded once."""
        if not has_members(self.model, "encode_images"):
            if has_members(self.model, "answer"):
                self.set_aside(lost_pictures(_works(datasets), self._decoding))
            return
        self._introduce()
        self.reuse_images(datasets)
        meter = RateMeter(self._progress)
        report = self._engine.encode_pictures(
            cast(EncodesImages, self.model), _works(datasets), self._pictures(), decode=self._decoding.decode, progress=meter
        )
        self.set_aside(report.lost)
        self._remember(report.encoded, "pictures", meter)

    def reuse_images(self, datasets: Sequence[KeyedDataset]) -> None:
        """Take over the vectors of pictures that another way of decoding, under which they were encoded, leaves as they are."""
        if not has_members(self.model, "encode_images"):
            return
        fingerprint = image_fingerprint(self.model)
        used = (self._store.facts(fingerprint) or {}).get("decodings", {})
        others = other_shelves(self._store, fingerprint, self._decoding, used, precision=self._store_precision)
        if others:
            copied = copy_same(_works(datasets), self._pictures(), self._decoding, others)
            if copied:
                self._progress.line(f"{self.name}: {counted(copied, 'picture')} encoded before look the same as decoded now")

    def check_images(self, datasets: Sequence[KeyedDataset]) -> None:
        """Find the pictures that cannot be decoded, for probes that use no vectors. To be called after `encode_images`."""
        if datasets and has_members(self.model, "prepare"):
            self.set_aside(lost_pictures(_works(datasets), self._decoding), and_before=True)

    def set_aside(self, pictures: Sequence[LostPicture], *, and_before: bool = False) -> None:
        """Leave these pictures out, in place of those that were left out before or beside them."""
        before = (self._lost, self._unread) if and_before else ({}, set())
        self._lost = {**before[0], **{lost.key: lost.reason for lost in pictures}}
        self._unread = {*before[1], *(lost.key for lost in pictures if not lost.lasting)}

    def encode_texts(self, texts: Iterable[str]) -> None:
        """Encode the texts that the bank lacks. Does nothing for a model without a text encoder."""
        wanted = self._bank.missing(texts)
        if not wanted or lacks(self.model, "texts"):
            return
        if has_members(self.model, "look_up_texts"):
            self._bank.add(wanted, cast(LooksUpTexts, self.model).look_up_texts(wanted))
            return
        self._introduce()
        shelf = self._store.shelf(text_fingerprint(self.model), "text")
        meter = RateMeter(self._progress)
        report = self._engine.encode_texts(cast(EncodesTexts, self.model), wanted, shelf, progress=meter)
        self._bank.add(wanted, gather(shelf, [text_key(text) for text in wanted]))
        self._truncated.update(report.truncated)
        self._remember(report.encoded, "texts", meter)

    def count_images(self, datasets: Sequence[KeyedDataset]) -> tuple[int, int]:
        """The distinct pictures of these datasets, and how many of them have to be encoded."""
        keys = sorted({key for d in datasets for key in d.keys if key is not None})
        if not keys or not has_members(self.model, "encode_images"):
            return len(keys), 0
        shelf = self._pictures()
        missing = [key for key, lacks in zip(keys, shelf.missing(keys), strict=True) if lacks]
        return len(keys), len(missing) - len(shelf.notes(BROKEN, missing))

    def count_texts(self, texts: Iterable[str]) -> tuple[int, int]:
        """The distinct texts, and how many of them have to be encoded."""
        wanted = set(texts)
        if not wanted or lacks(self.model, "texts") or has_members(self.model, "look_up_texts"):
            return len(wanted), 0
        keys = [text_key(text) for text in self._bank.missing(wanted)]
        missing = self._store.shelf(text_fingerprint(self.model), "text").missing(keys) if keys else np.empty(0)
        return len(wanted), int(missing.sum())

    @property
    def device(self) -> str:
        """The device, and the engine where it is not this process: the rate depends on both."""
        device = str(self.made_with.get("device", "cpu"))
        return device if self._engine.name == "local" else f"{device} ({self._engine.name})"

    def rate(self, unit: EncodedUnit) -> float | None:
        """Pictures or texts that this model encoded per second on this device; None where it never did."""
        return known_rate(self._store, self.model.fingerprint, self.device, unit)

    def text_vectors(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of texts that were encoded."""
        return self._bank(texts)

    def truncation_notices(self, texts: Iterable[str]) -> list[Notice]:
        """A warning where some of these texts are longer than the model's context."""
        lost = sorted(self._truncated.intersection(texts))
        if not lost:
            return []
        what = f"{counted(len(lost), 'text')} longer than the model's context and truncated: {shortened(lost)}"
        return [Notice(self.name, what, "shorten the class names or the templates")]

    def are_truncated(self, texts: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which of these texts are longer than the model's context."""
        return np.array([text in self._truncated for text in texts], np.bool_)

    def encoded(self, keyed: KeyedDataset, *, vectors_needed: bool = True) -> EncodedDataset:
        """The vectors of a dataset, and every picture of it that has none, with the reason.

        Without `vectors_needed` the vectors have no width; its pictures were checked and not encoded.
        """
        ids = keyed.dataset.ids()
        lost = [
            SetAside(row, ids[row], self._lost[key])
            for row, key in enumerate(keyed.keys)
            if key is not None and key in self._lost
        ]
        set_aside = tuple(sorted([*keyed.set_aside, *lost], key=lambda s: s.row))
        unusable = {s.row for s in set_aside}
        rows = [row for row in range(len(ids)) if row not in unusable]
        keys = [key for row, key in enumerate(keyed.keys) if row not in unusable and key is not None]
        fresh = False  # whether the array is ours, so that no second one of its size is needed
        if has_members(self.model, "look_up_images"):
            vectors = cast(LooksUpImages, self.model).look_up_images([ids[row] for row in rows])
        elif keys and vectors_needed and has_members(self.model, "encode_images"):
            vectors, fresh = gather(self._pictures(), keys), True
        else:
            vectors = np.empty((len(rows), 0), np.float32)
        if vectors.size and self._bank.width and vectors.shape[1] != self._bank.width:
            raise ModelError(
                f"{self.name}: its picture vectors have {vectors.shape[1]} numbers and its text vectors "
                f"{self._bank.width}; both encoders must come from one model"
            )
        _, clusters = np.unique(np.array(keys, dtype="S32"), return_inverse=True)
        lasting = self._unread.isdisjoint(key for key in keyed.keys if key)
        units = unit(vectors, out=vectors if fresh else None) if vectors.size else vectors
        return EncodedDataset(rows, units, clusters.astype(np.int64), set_aside, lasting)

    def activations(self, keyed: KeyedDataset, encoded: EncodedDataset) -> Activations:
        """Patch tokens, attention and class scores of the usable pictures of a dataset, computed when they are asked for."""
        pictures = keyed.dataset.pictures
        gives = has_members(self.model, "encode_images")
        works = [PictureWork(key, pictures, row) for row in encoded.rows if gives and (key := keyed.keys[row]) is not None]
        return activations_of(
            self.model,
            works,
            engine=self._engine,
            decoding=self._decoding,
            progress=self._progress,
            scores=lambda: self._pictures("class_scores"),
        )

    def predictions(
        self, keyed: KeyedDataset, encoded: EncodedDataset
    ) -> Callable[[Sequence[int]], list[PicturePrediction]] | None:
        """What a file predicts for rows of the usable pictures of a dataset; None where the model is no such file."""
        if lacks(self.model, "predictions"):
            return None
        ids = keyed.dataset.ids()
        found = cast(LooksUpPredictions, self.model).look_up_predictions([ids[row] for row in encoded.rows])
        return lambda rows: [found[row] for row in rows]

    def asking(self, keyed: KeyedDataset, rows: Sequence[int], rehearsed: MakesAsking | None = None) -> Asking | None:
        """Questions about these rows of a dataset; None where the model does not answer questions.

        Args:
            keyed: The dataset.
            rows: The rows.
            rehearsed: Makes what records the questions, in place of what asks them.
        """
        if lacks(self.model, "answers"):
            return None
        pictures = keyed.dataset.pictures
        works = [PictureWork(key, pictures, row) for row in rows if (key := keyed.keys[row]) is not None]
        kept = self._store.answers(self.model.fingerprint)
        if not self._store.read_only:
            self._introduce()
        model = cast(AnswersQuestions, self.model)
        if rehearsed is not None:
            return rehearsed(model, kept, works, self._decoding)
        return Asking(model, kept, works, self._decoding, self._progress)

    def beside(self, name: str, model: Model) -> "Session":
        """A session of another model, with the same store and engine."""
        return Session(
            name,
            model,
            store=self._store,
            engine=self._engine,
            decoding=self._decoding,
            progress=self._progress,
            made_with={"device": "cpu", "precision": "float32", "batch_size": self._engine.batch_size},
            store_precision=self._store_precision,
        )

    def identity(self) -> list[str | int]:
        """What an answer depends on besides the task: the model, and whether its stored vectors had to be replaced."""
        scoring = [] if lacks(self.model, "likelihoods") else [f"class names {SCORING_VERSION}"]
        replies = [] if lacks(self.model, "answers") else [cast(AnswersQuestions, self.model).answer_decoding]
        epochs = [self._store.epoch(fingerprint) for fingerprint in self._fingerprints()]
        return [self.model.fingerprint, *epochs, *scoring, *replies]

    def _fingerprints(self) -> list[str]:
        """Under which vectors are stored: those of the model and of its towers, each once."""
        return list(dict.fromkeys([self.model.fingerprint, image_fingerprint(self.model), text_fingerprint(self.model)]))

    def facts(self) -> dict[str, Any]:
        """What numbers depend on besides vectors. Kept in the store, so that a second run loads no network for them."""
        fingerprint = self.model.fingerprint
        known = self._store.facts(fingerprint) or {}
        if has_members(self.model, "logit_scale") and "logit_scale" not in known:
            pairs = cast(ScoresPairs, self.model)
            known |= {"logit_scale": pairs.logit_scale, "logit_bias": pairs.logit_bias}
            self._store.remember_facts(fingerprint, {"spec": self.model.spec, **known})
        return {
            "spec": getattr(self.model, "opened_as", self.model.spec),  # with the options that replies depend on
            "fingerprint": fingerprint,
            "card": asdict(self.model.card),
            "logit_scale": known.get("logit_scale"),
            "logit_bias": known.get("logit_bias", 0.0),
            "encoded_with": known.get("encoded_with"),
            **({} if lacks(self.model, "answers") else {"replies": cast(AnswersQuestions, self.model).answer_decoding}),
            **({} if self._store_precision == "float32" else {"store_precision": self._store_precision}),
        }

    def _introduce(self) -> None:
        """Tell the store which model the vectors are from, so that it can name them even if the run is interrupted."""
        for fingerprint in self._fingerprints():
            if self._store.facts(fingerprint) is None:
                self._store.remember_facts(fingerprint, {"spec": self.model.spec})
        if has_members(self.model, "encode_images"):
            fingerprint, variant = image_fingerprint(self.model), self._pictures().label.variant
            known = (self._store.facts(fingerprint) or {}).get("decodings", {})
            if variant not in known:
                words = ", ".join(f"{name} {value}" for name, value in self._decoding.describe().items())
                self._store.remember_facts(fingerprint, {"decodings": {**known, variant: words}})

    def _remember(self, encoded: int, unit: EncodedUnit, meter: RateMeter) -> None:
        """What the newest vectors were made with, on which their last digits may depend, and how fast."""
        if encoded:
            if rate := meter.rate():
                remember_rate(self._store, self.model.fingerprint, self.device, unit, rate)
            made = {"environment": environment(), **self.made_with}
            self._store.remember_facts(self.model.fingerprint, {"spec": self.model.spec, "encoded_with": made})

    def _pictures(self, role: str = "image") -> StoredShelf:
        precision = self._store_precision if role == "image" else "float32"
        return picture_shelf(self._store, image_fingerprint(self.model), self._decoding, role, precision=precision)


def _works(datasets: Sequence[KeyedDataset]) -> Iterator[PictureWork]:
    return (item for d in datasets for item in work_of(d.dataset, d.keys))
