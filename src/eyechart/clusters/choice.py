"""`--engine`: where pictures are encoded."""

import re
from typing import TYPE_CHECKING

from eyechart.encode.local import LocalEngine
from eyechart.errors import UsageError, did_you_mean

if TYPE_CHECKING:  # they load all probes, which a finished plan does not need
    from eyechart.clusters.engine import ShardEngine
    from eyechart.clusters.executor import Executor

    AnyEngine = LocalEngine | ShardEngine


def executor_of(text: str, *, ray_workers: int | None = None, cpus: float | None = None, gpus: float | None = None) -> "Executor":
    """The executor that `--engine` names: local, local:N, ray or ray:ADDRESS."""
    kind, colon, rest = text.partition(":")
    if kind == "local":
        if not colon:
            from eyechart.clusters.executor import InProcess

            return InProcess()
        if not re.fullmatch(r"[1-9][0-9]{0,3}", rest):
            raise UsageError(f"--engine {text}: write local:N with N worker processes, such as local:4")
        from eyechart.clusters.processes import Processes

        return Processes(int(rest))
    if kind == "ray":
        from eyechart.clusters.ray_pool import RayActors

        if colon and not rest:
            raise UsageError(f"--engine {text}: the address is empty; write ray, ray:auto, ray:HOST:6379 or ray:ray://HOST:10001")
        return RayActors(rest or None, most=ray_workers, cpus=cpus, gpus=gpus)
    hint = did_you_mean(kind, ["local", "ray"])
    raise UsageError(f"--engine {text}: there is no such engine{hint}; write local, local:N, ray or ray:ADDRESS")


def engine_of(
    text: str,
    *,
    batch_size: int = 32,
    workers: int | None = None,
    shard_size: int | None = None,
    ray_workers: int | None = None,
    cpus: float | None = None,
    gpus: float | None = None,
) -> "AnyEngine":
    """The engine that `--engine` names.

    Args:
        text: "local", "local:N", "ray" or "ray:ADDRESS".
        batch_size: Pictures per batch.
        workers: Threads that decode pictures, for each worker.
        shard_size: Pictures in a shard.
        ray_workers: The most actors of Ray.
        cpus: CPUs of each actor.
        gpus: GPUs of each actor, such as 0.5.
    """
    if text == "local":
        return LocalEngine(batch_size=batch_size, workers=workers)
    executor = executor_of(text, ray_workers=ray_workers, cpus=cpus, gpus=gpus)
    from eyechart.clusters.engine import ShardEngine

    return ShardEngine(executor, batch_size, workers, shard_size)
