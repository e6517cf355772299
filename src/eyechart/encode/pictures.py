"""Encoding of pictures in this process: claim a share, decode ahead, run the network, store the vectors."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack

from eyechart.encode.batches import AHEAD, ComputedBatch, Passes
from eyechart.encode.engine import Compute, Decode, LostPicture, PictureReport, PictureWork
from eyechart.encode.partitions import Share, partition
from eyechart.encode.preparation import Preparation, PreparingBatch
from eyechart.encode.shelf import BROKEN, Key, Shelf
from eyechart.encode.writer import Writer
from eyechart.errors import StoreError
from eyechart.models.encoder import EncodesImages
from eyechart.progress import Progress, Task


def encode_pictures(
    encoder: EncodesImages,
    pictures: Iterable[PictureWork],
    shelf: Shelf,
    *,
    decode: Decode,
    progress: Progress,
    compute: Compute | None,
    batch_size: int,
    workers: int,
) -> PictureReport:
    work = distinct(pictures)
    wanted = sorted(work)
    shares = partition(wanted, batch_size)
    still = to_do(shelf, wanted)
    encoded, unread = 0, dict[Key, str]()
    if still:
        preparation = Preparation(decode, encoder.prepare, batch_size=batch_size, workers=workers)
        with progress.task(f"{encoder.spec.rstrip(':')}: encoding", len(still), "pictures") as task:
            run = _Run(Passes(encoder, compute), shelf, preparation, work, task)
            run.all(shares, set(still))
            encoded, unread = run.encoded, run.unread
    return picture_report(shelf, work, encoded, unread)


def picture_report(shelf: Shelf, work: Mapping[Key, PictureWork], encoded: int, unread: Mapping[Key, str]) -> PictureReport:
    """The report on pictures that were to be encoded: what the shelf says of them, and those that could not be read."""
    # Only of pictures without a vector: a later version may have decoded a picture that was broken before.
    lost = {**shelf.notes(BROKEN, _missing(shelf, sorted(work))), **unread}
    return PictureReport(
        len(work), encoded, tuple(LostPicture(k, work[k].place(), lost[k], k not in unread) for k in sorted(lost))
    )


def distinct(pictures: Iterable[PictureWork]) -> dict[Key, PictureWork]:
    """The first of all pictures with the same key."""
    work: dict[Key, PictureWork] = {}
    for picture in pictures:
        work.setdefault(picture.key, picture)
    return work


def _missing(shelf: Shelf, keys: Sequence[Key]) -> list[Key]:
    return [key for key, lacks in zip(keys, shelf.missing(keys), strict=True) if lacks]


def to_do(shelf: Shelf, keys: Sequence[Key]) -> list[Key]:
    """The keys without a vector that are not known to be broken."""
    missing = _missing(shelf, keys)
    broken = shelf.notes(BROKEN, missing)
    return [key for key in missing if key not in broken]


class _Run:
    """One pass over the shares. A claim is released only after its vectors are stored."""

    def __init__(self, passes: Passes, shelf: Shelf, preparation: Preparation, work: dict[Key, PictureWork], task: Task) -> None:
        self._passes, self._shelf, self._work, self._task = passes, shelf, work, task
        self._preparation = preparation
        self._writer = Writer(shelf)
        self._ahead: deque[tuple[PreparingBatch, ExitStack | None]] = deque()
        self._started: deque[tuple[Callable[[], ComputedBatch], ExitStack | None, int]] = deque()
        self._claims = ExitStack()
        self.encoded = 0
        self.unread: dict[Key, str] = {}

    def all(self, shares: Sequence[Share], still: set[Key]) -> None:
        """Encode all shares. `still` are the keys missing at the start: shares without any of them are skipped."""
        open_ = [share for share in shares if any(key in still for batch in share.batches for key in batch)]
        with self._claims:
            try:
                # First the shares that no other process holds, then the others one by one: their process may have died.
                for share in self._pass(open_, still, wait=False):
                    self._pass([share], still, wait=True)
            except StoreError:
                raise
            except BaseException:
                self._writer.flush()
                raise
            finally:
                self._preparation.stop()

    def _pass(self, shares: Sequence[Share], still: set[Key], *, wait: bool) -> list[Share]:
        """Encode what is missing in the shares; returns the shares that another process holds."""
        held_by_others = []
        for share in shares:
            claims = self._claim(share, wait)
            if claims is None:
                held_by_others.append(share)
                continue
            missing = set(to_do(self._shelf, [key for batch in share.batches for key in batch])) - self.unread.keys()
            batches = [todo for batch in share.batches if (todo := [key for key in batch if key in missing])]
            self._task.advance(sum(key in still and key not in missing for batch in share.batches for key in batch))
            for batch in batches:
                last = claims if batch is batches[-1] else None
                self._ahead.append((self._preparation.start([self._work[key] for key in batch]), last))
                if len(self._ahead) > AHEAD:
                    self._finish_first()
            if not batches:
                claims.close()
        while self._ahead:
            self._finish_first()
        while self._started:
            self._collect_first()
        return held_by_others

    def _claim(self, share: Share, wait: bool) -> ExitStack | None:
        claims = self._claims.enter_context(ExitStack())
        # In ascending order, so that two processes cannot wait for each other.
        for number in share.claims:
            if not claims.enter_context(self._shelf.claim(number, wait)):
                claims.close()
                return None
        return claims

    def _finish_first(self) -> None:
        batch, claims = self._ahead.popleft()
        prepared = batch.finish()
        self.unread.update(prepared.unread)
        self._started.append((self._passes.start(prepared), claims, len(batch.works)))
        batch.release()
        while self._started and sum(pictures for _, _, pictures in self._started) > self._passes.in_flight:
            self._collect_first()

    def _collect_first(self) -> None:
        collect, claims, pictures = self._started.popleft()
        computed = collect()
        self.encoded += computed.encoded
        self._writer.add(computed.keys, computed.vectors, computed.broken)
        if claims is None:
            self._writer.flush_if_due()
        else:
            self._writer.flush()
            claims.close()
        self._task.advance(pictures)
