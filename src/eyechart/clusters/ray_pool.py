"""Ray: a pool of actors that keep the model, each making one segment at a time. Only rows and keys of pictures travel.

Ray restarts nothing and remembers nothing of ours: segments in the store are the only state. A lost actor or node costs the
shards that were being made there; new actors take them.
"""

import os
import socket
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from eyechart.clusters.executor import RETRIES, lost_too_often
from eyechart.clusters.job import Job, ShardTask, TaskResult
from eyechart.clusters.worker import ShardWorker, answered, result_of
from eyechart.errors import MissingExtra, UsageError

_ANSWER = 10.0  # seconds within which a cluster answers
_WAIT = 1.0  # seconds after which the size of the cluster is looked at again


@dataclass(frozen=True)
class RayActors:
    """Runs shards in actors of Ray.

    address: The cluster: "auto", HOST:6379 or ray://HOST:10001; None to join the one that RAY_ADDRESS names, or start one here.
    most: The most actors. They are all asked for at once, so that an autoscaler adds nodes for them; None for as many as the
        cluster has room for, now and when nodes join.
    cpus: CPUs of each actor; 1 by default.
    gpus: GPUs of each actor, such as 0.5 for two actors on one; by default 1 where the model runs on a GPU.
    retries: Lost actors that one shard may cost before it is given up.
    """

    address: str | None = None
    most: int | None = None
    cpus: float | None = None
    gpus: float | None = None
    retries: int = RETRIES

    def __post_init__(self) -> None:
        if find_spec("ray") is None:
            raise MissingExtra("--engine ray", "ray")

    @property
    def name(self) -> str:
        return "ray"

    def run(self, job: Job, tasks: Sequence[ShardTask]) -> Iterator[tuple[ShardTask, TaskResult]]:
        import ray

        started = not ray.is_initialized()
        if started:
            self._connect(ray)
        pool = _Pool(self, job, ray, deque((task, 0) for task in tasks))
        try:
            yield from pool.results()
        finally:
            pool.end()
            if started:
                ray.shutdown()

    def _connect(self, ray: Any) -> None:
        address = self.address or os.environ.get("RAY_ADDRESS")
        try:
            _require_answer(address)
            ray.init(address=self.address, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            where = f"--engine ray:{address}" if address else "--engine ray"
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise UsageError(
                f"{where}: no cluster answers there ({reason}); start one with `ray start --head`, or leave out the address"
            ) from None


def _require_answer(address: str | None) -> None:
    """OSError where nothing listens at HOST:PORT or ray://HOST:PORT: Ray itself would go on trying for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=_ANSWER).close()


@dataclass
class _Pool:
    """The actors of one job, and what each of them is doing."""

    settings: RayActors
    job: Job
    ray: Any
    waiting: deque[tuple[ShardTask, int]]
    idle: list[Any] = field(default_factory=list)
    starting: dict[Any, Any] = field(default_factory=dict)  # reference of the first answer → actor
    busy: dict[Any, tuple[Any, ShardTask, int]] = field(default_factory=dict)  # reference of the answer → actor, task, losses

    def results(self) -> Iterator[tuple[ShardTask, TaskResult]]:
        while self.waiting or self.busy:
            self._fill()
            ready, _ = self.ray.wait([*self.starting, *self.busy], num_returns=1, timeout=_WAIT)
            for reference in ready:
                if reference in self.starting:
                    self._started(reference)
                elif (done := self._ended(reference)) is not None:
                    yield done

    def _fill(self) -> None:
        """Give shards to idle actors, and start actors where there is room for them and work."""
        while self.idle and self.waiting:
            actor, (task, lost) = self.idle.pop(), self.waiting.popleft()
            self.busy[actor.run.remote(task.to_json())] = (actor, task, lost)
        known = len(self.idle) + len(self.busy) + len(self.starting)
        wanted = min(self._room(), len(self.waiting) + len(self.busy))
        for _ in range(wanted - known):
            actor = self._actor_class.remote(self.job.to_json())
            self.starting[actor.place.remote()] = actor

    def _room(self) -> int:
        """How many actors there may be."""
        if self.settings.most is not None:
            return self.settings.most
        resources = self.ray.cluster_resources()
        rooms = [resources.get(kind, 0.0) / need for kind, need in (("CPU", self._cpus), ("GPU", self._gpus)) if need]
        return max(1, int(min(rooms, default=1)))

    def _started(self, reference: Any) -> None:
        actor = self.starting.pop(reference)
        try:
            self.ray.get(reference)
            self.idle.append(actor)
        except self.ray.exceptions.RayError:
            time.sleep(0.1)  # its node was lost before it began: another is started

    def _ended(self, reference: Any) -> tuple[ShardTask, TaskResult] | None:
        actor, task, lost = self.busy.pop(reference)
        try:
            answer = self.ray.get(reference)
        except self.ray.exceptions.RayTaskError:
            raise  # a bug of ours: its traceback is the worker's
        except self.ray.exceptions.RayError as error:
            if lost + 1 >= self.settings.retries:
                raise lost_too_often(lost + 1, " ".join(str(error).split())[:300]) from None
            self.waiting.appendleft((task, lost + 1))
            return None
        self.idle.append(actor)
        return task, result_of(answer)

    @property
    def _cpus(self) -> float:
        return 1.0 if self.settings.cpus is None else self.settings.cpus

    @property
    def _gpus(self) -> float:
        return (1.0 if self.job.device.startswith("cuda") else 0.0) if self.settings.gpus is None else self.settings.gpus

    @property
    def _actor_class(self) -> Any:
        return self.ray.remote(num_cpus=self._cpus, num_gpus=self._gpus, max_restarts=0, max_task_retries=0)(_Actor)

    def end(self) -> None:
        """End all actors at once: a shard that is not finished leaves an unfinished file at most."""
        actors = [*self.idle, *self.starting.values(), *(actor for actor, _, _ in self.busy.values())]
        for actor in actors:
            with suppress(self.ray.exceptions.RayError):
                self.ray.kill(actor)


class _Actor:
    """A worker on a node of the cluster."""

    def __init__(self, job: str) -> None:
        self._job = job
        self._worker: ShardWorker | None = None

    def place(self) -> str:
        """Where it is; the answer shows that it has begun."""
        import ray

        return f"node {ray.util.get_node_ip_address()}, process {os.getpid()}"

    def run(self, task: str) -> str:
        return answered(lambda: self._run(ShardTask.from_json(task)).to_json())

    def _run(self, task: ShardTask) -> TaskResult:
        self._worker = self._worker or ShardWorker(Job.from_json(self._job), self.place())
        return self._worker.run(task)
