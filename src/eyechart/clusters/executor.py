"""Executors run the shards of a job. The one here works in this process; others divide the shards among workers."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from eyechart.clusters.job import Job, ShardTask, TaskResult
from eyechart.clusters.worker import ShardWorker
from eyechart.errors import EyechartError

RETRIES = 5  # lost workers that one shard may cost before it is given up


class Executor(Protocol):
    """Runs shards."""

    @property
    def name(self) -> str:
        """As `--engine` names it."""

    def run(self, job: Job, tasks: Sequence[ShardTask]) -> Iterator[tuple[ShardTask, TaskResult]]:
        """Every task with its result, in the order in which they end. WorkerLost where a shard was given up."""


class InProcess:
    """Runs shards one after the other in this process."""

    name = "local"

    def run(self, job: Job, tasks: Sequence[ShardTask]) -> Iterator[tuple[ShardTask, TaskResult]]:
        worker = ShardWorker(job)
        for task in tasks:
            yield task, worker.run(task)


class WorkerLost(EyechartError):
    """Workers were lost on one shard again and again."""

    exit_code = 9


def lost_too_often(times: int, reason: str) -> WorkerLost:
    return WorkerLost(
        f"{times} workers were lost on the same shard, the last one because {reason}; segments that are finished are kept: look "
        "for a lack of memory (smaller --batch-size, fewer workers), then run the same command again"
    )
