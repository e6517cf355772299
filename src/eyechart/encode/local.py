"""The engine that works in this process."""

from collections.abc import Iterable

from eyechart.encode import pictures as picture_run
from eyechart.encode import texts as text_run
from eyechart.encode.cores import usable_cores
from eyechart.encode.engine import Compute, Decode, PictureReport, PictureWork, TextReport
from eyechart.encode.shelf import Shelf
from eyechart.errors import UsageError
from eyechart.models.encoder import EncodesImages, EncodesTexts
from eyechart.progress import Progress


class LocalEngine:
    """The engine of this process.

    `batch_size` pictures form a batch; `workers` threads decode ahead of the network, by default one per core. Vectors may
    differ by rounding between batch sizes, as in any library; the store keeps the first ones."""

    name = "local"

    def __init__(self, *, batch_size: int = 32, workers: int | None = None) -> None:
        if batch_size < 1 or (workers is not None and workers < 1):
            raise UsageError(f"batch size {batch_size} and workers {workers}: both must be at least 1")
        self.batch_size = batch_size
        self.workers = workers or max(2, usable_cores())

    def encode_pictures(
        self,
        encoder: EncodesImages,
        pictures: Iterable[PictureWork],
        shelf: Shelf,
        *,
        decode: Decode,
        progress: Progress,
        compute: Compute | None = None,
    ) -> PictureReport:
        return picture_run.encode_pictures(
            encoder,
            pictures,
            shelf,
            decode=decode,
            progress=progress,
            compute=compute,
            batch_size=self.batch_size,
            workers=self.workers,
        )

    def encode_texts(self, encoder: EncodesTexts, texts: Iterable[str], shelf: Shelf, *, progress: Progress) -> TextReport:
        return text_run.encode_texts(encoder, texts, shelf, progress=progress)
