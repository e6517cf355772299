"""Worker processes on this machine. A process that is lost costs its shard, which another one makes."""

import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from eyechart.clusters.executor import RETRIES, lost_too_often
from eyechart.clusters.job import Job, ShardTask, TaskResult
from eyechart.clusters.worker import result_of
from eyechart.encode.cores import usable_cores
from eyechart.errors import UsageError

_Answers = queue.SimpleQueue[tuple["_Process", str | None]]


@dataclass(frozen=True)
class Processes:
    """Runs shards in `count` worker processes, which share the cores and the GPUs of this machine.

    retries: Lost workers that one shard may cost before it is given up.
    """

    count: int
    retries: int = RETRIES

    def __post_init__(self) -> None:
        if self.count < 1:
            raise UsageError(f"{self.count} worker processes: give at least 1")

    @property
    def name(self) -> str:
        return f"local:{self.count}"

    def run(self, job: Job, tasks: Sequence[ShardTask]) -> Iterator[tuple[ShardTask, TaskResult]]:
        cores = max(1, usable_cores() // self.count)
        job = replace(job, threads=job.threads or cores, workers=job.workers or cores)
        waiting: deque[tuple[ShardTask, int]] = deque((task, 0) for task in tasks)
        answers: _Answers = queue.SimpleQueue()
        processes: list[_Process] = []
        busy: dict[_Process, tuple[ShardTask, int]] = {}

        def give(process: _Process) -> None:
            busy[process] = waiting.popleft()
            process.send(busy[process][0].to_json())

        def start(slot: int) -> None:
            processes.append(_Process(job, slot, answers))
            give(processes[-1])

        try:
            for slot in range(min(self.count, len(tasks))):
                start(slot)
            while busy:
                process, answer = answers.get()
                task, lost = busy.pop(process)
                if answer is None:
                    if lost + 1 >= self.retries:
                        raise lost_too_often(lost + 1, process.reason())
                    waiting.appendleft((task, lost + 1))
                    start(process.slot)
                    continue
                if waiting:
                    give(process)
                yield task, result_of(answer)
        finally:
            for process in processes:
                process.end()


class _Process:
    """One worker process. Its answers, and None at its end, are put into a queue."""

    def __init__(self, job: Job, slot: int, answers: _Answers) -> None:
        self.slot = slot
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "eyechart.clusters.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            encoding="utf-8",
            env=os.environ | _gpu(slot, job.device),
            process_group=0 if os.name == "posix" else None,  # Ctrl-C is the driver's alone
        )
        threading.Thread(target=self._listen, args=(answers,), daemon=True).start()
        self.send(job.to_json())

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return  # it has ended: the queue says so

    def _listen(self, answers: _Answers) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answers.put((self, line))
        answers.put((self, None))

    def reason(self) -> str:
        """Why it ended: a signal, or its exit code and the last line that it printed."""
        code = self._process.wait()
        if code < 0:
            return f"{signal.Signals(-code).name} ended it"
        self._said.seek(0)
        lines = [line for line in self._said.read().decode(errors="replace").splitlines() if line.strip()]
        return f"it ended with code {code}" + (f" ({lines[-1].strip()})" if lines else "")

    def end(self) -> None:
        """End it at once: a shard that is not finished leaves an unfinished file at most."""
        self._process.kill()
        self._process.wait()
        self._said.close()


def _gpu(slot: int, device: str) -> dict[str, str]:
    """The GPU of a worker, where there are several: each sees one, in turn."""
    if device not in ("cuda", "auto"):
        return {}
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    found = (
        listed.split(",")
        if listed
        else [m[1] for p in Path("/dev").glob("nvidia*") if (m := re.fullmatch(r"nvidia(\d+)", p.name))]
    )
    return {"CUDA_VISIBLE_DEVICES": sorted(found)[slot % len(found)]} if len(found) > 1 else {}
