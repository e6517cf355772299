"""The engine that divides pictures into shards and has an executor make their segments."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from eyechart.clusters.executor import Executor
from eyechart.clusters.job import Job, ShardTask, hash_of_ids
from eyechart.encode import texts as text_run
from eyechart.encode.engine import Compute, Decode, PictureReport, PictureWork, TextReport
from eyechart.encode.pictures import distinct, picture_report, to_do
from eyechart.encode.shards import plan_shards, shard_size
from eyechart.encode.shelf import CLAIMS, Key, Shelf
from eyechart.errors import DataError, StoreError
from eyechart.exam_inputs import ExamInputs
from eyechart.models.encoder import EncodesImages, EncodesTexts
from eyechart.notice import counted
from eyechart.plan import ModelPlan, Plan, model_name, rooted
from eyechart.progress import Progress
from eyechart.store.shelf import StoredShelf


@dataclass(frozen=True)
class ShardEngine:
    """Encodes pictures as shards. Texts, which are few, are encoded in this process.

    executor: What runs the shards.
    batch_size: Pictures per batch.
    workers: Threads of each worker that decode pictures; None for one per core.
    size: Pictures in a shard; None for a size that fits the dataset.
    """

    executor: Executor
    batch_size: int = 32
    workers: int | None = None
    size: int | None = None

    @property
    def name(self) -> str:
        return self.executor.name

    def bind(self, plan: Plan, inputs: ExamInputs) -> "BoundEngine":
        """The engine for one plan, from which its workers open the same datasets."""
        return BoundEngine(self, plan, inputs)


@dataclass(frozen=True)
class BoundEngine:
    """The engine of one examination.

    engine: How pictures are divided.
    plan: The plan.
    inputs: Its models and datasets, opened.
    """

    engine: ShardEngine
    plan: Plan
    inputs: ExamInputs
    _numbers: dict[int, int] = field(default_factory=dict)

    @property
    def batch_size(self) -> int:
        return self.engine.batch_size

    @property
    def name(self) -> str:
        return self.engine.name

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
        assert isinstance(shelf, StoredShelf)
        work = distinct(pictures)
        encoded, unread = 0, dict[Key, str]()
        if to_do(shelf, sorted(work)):
            with ExitStack() as claims:
                _claim_all(shelf, claims, progress)
                encoded, unread = self._encode(encoder, work, shelf, progress)
            _require_stored(shelf, work, unread)
        return picture_report(shelf, work, encoded, unread)

    def encode_texts(self, encoder: EncodesTexts, texts: Iterable[str], shelf: Shelf, *, progress: Progress) -> TextReport:
        return text_run.encode_texts(encoder, texts, shelf, progress=progress)

    def _encode(
        self, encoder: EncodesImages, work: dict[Key, PictureWork], shelf: StoredShelf, progress: Progress
    ) -> tuple[int, dict[Key, str]]:
        """How many pictures went through a network, and those that could not be read."""
        wanted = sorted(work)
        missing = set(to_do(shelf, wanted))
        job = self._job(encoder, shelf)
        size = self.engine.size or shard_size(len(wanted))
        # Planned from all pictures, not from the missing ones: a second run has the same shards.
        shards = [shard.only(missing) for shard in plan_shards(wanted, job.fingerprint, job.preprocessing, size, self.batch_size)]
        tasks = [self._task(shard.keys, work) for shard in shards if shard.keys]
        encoded, unread = 0, dict[Key, str]()
        with progress.task(f"{encoder.spec.rstrip(':')}: encoding, {self.name}", len(missing), "pictures") as shown:
            for task, done in self.engine.executor.run(job, tasks):
                encoded += done.result.encoded
                unread |= done.result.unread
                if len(done.result.unread) == len(task.rows):
                    raise _nothing_readable(done.worker, work, done.result.unread)
                shown.advance(len(task.rows))
        return encoded, unread

    def _job(self, encoder: EncodesImages, shelf: StoredShelf) -> Job:
        named = {
            self.inputs.models[n].fingerprint: entry
            for entry in self.plan.models
            if (n := model_name(entry)) in self.inputs.models
        }
        # A model that a probe brings along is not in the plan.
        entry = named.get(encoder.fingerprint, ModelPlan(encoder.spec))
        return job_of(self.plan, entry, shelf, self.engine)

    def _task(self, keys: Sequence[Key], work: dict[Key, PictureWork]) -> ShardTask:
        rows = tuple((self._number(work[key]), work[key].row) for key in keys)
        datasets = [*self.inputs.datasets, *self.inputs.made]
        return ShardTask(rows, hash_of_ids(rows, datasets.__getitem__) or "", tuple(keys))

    def _number(self, picture: PictureWork) -> int:
        """The dataset of a picture: its number among those of the plan, then those that the examination makes."""
        if not self._numbers:
            datasets = [*self.inputs.datasets, *self.inputs.made]
            self._numbers.update({id(dataset.pictures): number for number, dataset in enumerate(datasets)})
        return self._numbers[id(picture.pictures)]


def job_of(plan: Plan, entry: ModelPlan, shelf: StoredShelf, engine: ShardEngine) -> Job:
    """The job of making segments for this shelf, with paths that do not depend on the folder of this process."""
    plan = rooted(plan, Path.cwd())
    spec = rooted(replace(plan, models=(entry,)), Path.cwd()).models[0].spec
    label = shelf.label
    return Job(
        plan, spec, entry.device, entry.precision, label.fingerprint, label.role, label.variant, shelf.place,
        engine.batch_size, engine.workers,
    )  # fmt: skip


def _claim_all(shelf: Shelf, claims: ExitStack, progress: Progress) -> None:
    """Keep other processes of this machine from encoding the same pictures."""
    for number in range(CLAIMS):
        if not claims.enter_context(shelf.claim(number, wait=False)):
            progress.line("another process is encoding pictures with this model; waiting until it is done")
            claims.enter_context(shelf.claim(number, wait=True))


def _require_stored(shelf: StoredShelf, work: dict[Key, PictureWork], unread: dict[Key, str]) -> None:
    lost = [key for key in to_do(shelf, sorted(work)) if key not in unread]
    if lost:
        raise StoreError(
            f"{shelf.segment_folder}: {counted(len(lost), 'vector')} that workers have stored are not there; every worker must "
            "write to the same store: give --store a folder or an address that all machines share"
        )


def _nothing_readable(worker: str, work: dict[Key, PictureWork], unread: dict[Key, str]) -> DataError:
    key, reason = next(iter(unread.items()))
    return DataError(
        f"{work[key].place()}: {reason} (worker on {worker}, as all {len(unread):,} pictures of its shard); every machine must "
        "read the dataset at the same path or address"
    )
