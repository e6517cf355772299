"""A worker: opens model, datasets and store once, then makes one segment of each shard that it is given.

`python -m eyechart.clusters.worker` is a worker process: a job, then tasks, one JSON text per line on standard input; one line
per answer on standard output. It ends when its input ends, so that no worker outlives a killed driver.
"""

import json
import os
import queue
import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from functools import cached_property
from typing import Any, TextIO, cast

from eyechart.clusters.job import Job, ShardTask, TaskResult, hash_of_ids
from eyechart.data.dataset import Dataset
from eyechart.encode.cores import usable_cores
from eyechart.encode.engine import Compute, PictureWork
from eyechart.encode.keys import PictureKeys, picture_keys
from eyechart.encode.pictures import to_do
from eyechart.encode.shards import Shard, encode_shard
from eyechart.encode.shelf import Key
from eyechart.errors import DataError, EyechartError, ModelError
from eyechart.exam_inputs import ExamInputs, decoding_of
from eyechart.files.hashing import HashMemory
from eyechart.inputs import open_datasets
from eyechart.models.encoder import EncodesImages
from eyechart.models.open import open_model
from eyechart.models.towers import image_fingerprint
from eyechart.progress import SilentProgress
from eyechart.store.hash_files import file_name, read_hashes, write_hashes
from eyechart.store.store import Store

COMPUTES = {"image": "encode_images", "class_scores": "class_scores"}  # role of a shelf → the method that computes it


class ShardWorker:
    """Makes segments of shards. The network is loaded with the first shard, and kept.

    Args:
        job: What all shards have in common.
        place: Where the worker is, for messages.
    """

    def __init__(self, job: Job, place: str | None = None) -> None:
        self._job = job
        self._place = place or f"{socket.gethostname()}, process {os.getpid()}"
        self._store = Store(job.store, fetch_segments=False)
        self._shelf = self._store.shelf(job.fingerprint, job.role, job.variant)
        self._decoding = decoding_of(job.plan)

    def run(self, task: ShardTask) -> TaskResult:
        """Make the segment of a shard; nothing is done where it exists."""
        if hash_of_ids(task.rows, self._dataset) != task.listed:
            name = self._dataset(task.rows[0][0]).name
            raise DataError(
                f"{name}: its listing on {self._place} is not that of the machine that divides the work; pictures were added or "
                "removed meanwhile, or every machine sees others: run the same command again"
            )
        set_aside: dict[str, str] = {}
        if task.keys is None:
            work, set_aside = self._hashed(task)
            shard = Shard(self._job.fingerprint, self._job.preprocessing, tuple(to_do(self._shelf, sorted(work))))
        else:
            shard = task.shard(self._job)
            rows = zip(task.keys, task.rows, strict=True)
            work = {key: PictureWork(key, self._dataset(number).pictures, row) for key, (number, row) in rows}
        result = encode_shard(
            self._encoder,
            shard,
            work,
            self._shelf,
            decode=self._decoding.decode,
            compute=cast(Compute, getattr(self._encoder, COMPUTES[self._job.role])),
            batch_size=self._job.batch_size,
            workers=self._job.workers or max(2, usable_cores()),
        )
        return TaskResult(result, set_aside, self._place)

    def _hashed(self, task: ShardTask) -> tuple[dict[Key, PictureWork], dict[str, str]]:
        """The pictures of a task by key, and those that cannot be read."""
        work: dict[Key, PictureWork] = {}
        set_aside: dict[str, str] = {}
        for number in dict.fromkeys(dataset for dataset, _ in task.rows):
            dataset, rows = self._dataset(number), [row for of, row in task.rows if of == number]
            found = self._keys(number, rows)
            for row, key in zip(rows, found.keys, strict=True):
                if key is not None:
                    work.setdefault(key, PictureWork(key, dataset.pictures, row))
            set_aside |= {dataset.pictures.place(rows[lost.row]): lost.reason for lost in found.set_aside}
        return work, set_aside

    def _keys(self, number: int, rows: list[int]) -> PictureKeys:
        """The keys of these rows. They are kept in a file of the store, so that no worker hashes them again."""
        name = file_name(json.dumps([asdict(self._job.plan.datasets[number]), self._job.plan.seed, len(rows), rows[0], rows[-1]]))
        self._store.sync_hash_files()
        before = read_hashes(self._store.path, name)
        memory = HashMemory()
        memory.remember(before)
        found = picture_keys(self._dataset(number).take(rows), memory, SilentProgress())
        if (after := memory.known()) != before:
            write_hashes(self._store.path, name, after)
            self._store.sync_hash_files()
        return found

    def _dataset(self, number: int) -> Dataset:
        opened = self._datasets
        return opened[number] if number < len(opened) else self._made[number - len(opened)]

    @cached_property
    def _datasets(self) -> list[Dataset]:
        return open_datasets(self._job.plan)

    @cached_property
    def _made(self) -> list[Dataset]:
        """The datasets that the examination makes itself."""
        inputs = ExamInputs.open(self._job.plan, HashMemory())
        inputs.choose(self._job.plan)
        return inputs.made

    @cached_property
    def _encoder(self) -> EncodesImages:
        job = self._job
        model = open_model(job.spec, hashes=HashMemory(), device=job.device, precision=job.precision, threads=job.threads)
        if (found := image_fingerprint(model)) != job.fingerprint:
            raise ModelError(
                f"{job.spec}: its files on {self._place} are not those of the machine that divides the work (fingerprints "
                f"{found[:12]} and {job.fingerprint[:12]}); give every machine the same files"
            )
        return cast(EncodesImages, model)


def answered(work: Callable[[], str]) -> str:
    """The answer to a task as JSON. An error that the user can fix is an answer; any other one is a bug and ends the worker."""
    try:
        return json.dumps({"done": work()})
    except EyechartError as error:
        return json.dumps({"error": {"kind": type(error).__name__, "message": str(error), "exit_code": error.exit_code}})


def result_of(answer: str) -> TaskResult:
    """The result in an answer; the worker's error is raised here."""
    content: dict[str, Any] = json.loads(answer)
    if "error" in content:
        raise RemoteError(content["error"]["message"], content["error"]["exit_code"])
    return TaskResult.from_json(content["done"])


class RemoteError(EyechartError):
    """An error of a worker that the user can fix, with the exit code that it has there."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def main(incoming: TextIO, outgoing: TextIO) -> None:
    """Answer tasks until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's, which ends its workers
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in incoming:
            lines.put(line)
        os._exit(0)  # the driver is gone, maybe in the middle of a shard, which nobody waits for any more

    threading.Thread(target=listen, daemon=True).start()
    job = Job.from_json(lines.get())
    worker: ShardWorker | None = None

    def work() -> str:
        nonlocal worker
        worker = worker or ShardWorker(job)
        return worker.run(task).to_json()

    while True:
        task = ShardTask.from_json(lines.get())
        print(answered(work), file=outgoing, flush=True)


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not mix with the answers
    main(sys.stdin, answers)
