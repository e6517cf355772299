"""Patch tokens, attention weights and class scores of a dataset's pictures, and the crop that the network sees of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import cast

import numpy as np
import numpy.typing as npt
from PIL import Image

from eyechart.arrays import Floats
from eyechart.data.picture import BrokenPicture, Decoding
from eyechart.encode.activations import PictureLost, compute_activations
from eyechart.encode.engine import Engine, LostPicture, PictureWork
from eyechart.encode.shelf import Key, Shelf
from eyechart.files.hashing import hash_bytes
from eyechart.models.abilities import has_members
from eyechart.models.encoder import EncodesImages, GivesClassScores, KnowsItsWindow, Model
from eyechart.progress import Progress

OfRows = Callable[[Sequence[int]], Floats]
Windows = Callable[[Sequence[int]], npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Activations:
    """Functions of rows of the usable pictures. None where the model lacks the ability; nothing is computed before a call.

    patches: Patch tokens of the last block.
    attention: Attention weights of the last block.
    block_attention: Attention from the class token, in every block.
    class_scores: Logits of a fixed classifier.
    windows: The crop of each picture that the network sees, in the picture's own pixels.
    """

    patches: OfRows | None = None
    attention: OfRows | None = None
    block_attention: OfRows | None = None
    class_scores: OfRows | None = None
    windows: Windows | None = None


def activations_of(
    model: Model,
    pictures: Sequence[PictureWork],
    *,
    engine: Engine,
    decoding: Decoding,
    progress: Progress,
    scores: Callable[[], Shelf],
) -> Activations:
    """The abilities of a model on the usable pictures, in the order of rows.

    Class scores are stored like vectors, on the shelf that `scores` gives. Patches and attention of a whole dataset would fill a
    disk, so they are computed again each time.
    """
    if not has_members(model, "prepare"):
        return Activations()
    encoder = cast(EncodesImages, model)
    encode_images = _Activations(encoder, pictures, decoding, engine.batch_size)
    scored = _Scored(encoder, pictures, decoding, engine, progress, scores)
    return Activations(
        patches=partial(encode_images.at, "patches") if has_members(model, "patches") else None,
        attention=partial(encode_images.at, "attention") if has_members(model, "attention") else None,
        block_attention=partial(encode_images.at, "block_attention") if has_members(model, "block_attention") else None,
        class_scores=scored.at if has_members(model, "class_scores") else None,
        windows=encode_images.windows if has_members(model, "window") else None,
    )


class _Activations:
    def __init__(self, model: EncodesImages, pictures: Sequence[PictureWork], decoding: Decoding, batch_size: int) -> None:
        self._model, self._pictures, self._decoding, self._batch_size = model, pictures, decoding, batch_size
        self._sizes: dict[Key, tuple[int, int]] = {}  # of pictures that have been decoded, so that none is for its size alone

    def at(self, ability: str, rows: Sequence[int]) -> Floats:
        compute, wanted = getattr(self._model, ability), [self._pictures[row] for row in rows]
        return compute_activations(self._model, wanted, compute=compute, decode=self._decode, batch_size=self._batch_size)

    def windows(self, rows: Sequence[int]) -> npt.NDArray[np.float64]:
        window = cast(KnowsItsWindow, self._model).window
        return np.array([window(*self._size(self._pictures[row])) for row in rows], np.float64).reshape(-1, 4)

    def _size(self, picture: PictureWork) -> tuple[int, int]:
        if picture.key not in self._sizes:
            try:
                self._decode(picture.read())
            except (OSError, BrokenPicture) as error:
                raise PictureLost(f"{picture.place()}: {error}") from error
        if picture.key not in self._sizes:
            raise PictureLost(f"{picture.place()}: its content has changed since it was hashed; run again with --rehash")
        return self._sizes[picture.key]

    def _decode(self, data: bytes) -> Image.Image:
        picture = self._decoding.decode(data)
        self._sizes[hash_bytes(data)] = picture.size
        return picture


class _Scored:
    def __init__(
        self,
        model: EncodesImages,
        pictures: Sequence[PictureWork],
        decoding: Decoding,
        engine: Engine,
        progress: Progress,
        shelf: Callable[[], Shelf],
    ) -> None:
        self._model, self._pictures, self._decoding = cast(GivesClassScores, model), pictures, decoding
        self._engine, self._progress, self._shelf = engine, progress, shelf

    def at(self, rows: Sequence[int]) -> Floats:
        shelf, lost = self._kept
        wanted = [self._pictures[row].key for row in rows]
        for key in wanted:
            if key in lost:
                raise PictureLost(f"{lost[key].place}: {lost[key].reason}")
        return shelf.get(wanted)

    @cached_property
    def _kept(self) -> tuple[Shelf, dict[Key, LostPicture]]:
        """The shelf with the scores of all pictures, and those that have none."""
        shelf = self._shelf()
        report = self._engine.encode_pictures(
            self._model,
            self._pictures,
            shelf,
            decode=self._decoding.decode,
            progress=self._progress,
            compute=self._model.class_scores,
        )
        return shelf, {lost.key: lost for lost in report.lost}
