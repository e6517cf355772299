"""What a worker needs to know, as JSON: a plan to open datasets from, a model, a shelf, and shards as rows of datasets.

Pictures never travel: a worker opens the datasets itself and reads the rows of its shard.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import pyarrow as pa

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.encode.shards import Shard, ShardResult
from eyechart.encode.shelf import Key
from eyechart.plan import DataPlan, ModelPlan, Plan


@dataclass(frozen=True)
class Job:
    """What all shards of one call have in common.

    plan: The plan, from which the worker opens the datasets.
    spec: The model.
    device: The device that it runs on.
    precision: Its precision.
    fingerprint: The fingerprint that it must have on every machine.
    role: What is computed: "image" or "class_scores".
    variant: The way of decoding, as the store names it.
    store: The store's place.
    batch_size: Pictures per batch.
    workers: Threads that decode pictures; None for one per core.
    threads: CPU threads of the network; None leaves the choice to the library.
    """

    plan: Plan
    spec: str
    device: str
    precision: str
    fingerprint: str
    role: str
    variant: str
    store: str
    batch_size: int
    workers: int | None = None
    threads: int | None = None

    @property
    def preprocessing(self) -> str:
        """What the ids of shards depend on besides pictures and encoder."""
        return f"{self.role}-{self.variant}"

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Job":
        content = json.loads(text)
        return cls(**{**content, "plan": _plan(content["plan"])})


@dataclass(frozen=True)
class ShardTask:
    """One shard for a worker.

    rows: (dataset, row) of every picture: the number of a dataset in the plan, and a row of it.
    listed: A hash of their ids. A worker whose listing has other ids in these rows must not take them for these pictures.
    keys: The keys of these pictures, sorted; None where the worker has to hash them.
    """

    rows: tuple[tuple[int, int], ...]
    listed: str
    keys: tuple[Key, ...] | None = None

    def to_json(self) -> str:
        keys = None if self.keys is None else b"".join(self.keys).hex()
        return json.dumps({"rows": self.rows, "listed": self.listed, "keys": keys})

    @classmethod
    def from_json(cls, text: str) -> "ShardTask":
        content = json.loads(text)
        joined = None if content["keys"] is None else bytes.fromhex(content["keys"])
        keys = None if joined is None else tuple(joined[at : at + 32] for at in range(0, len(joined), 32))
        return cls(tuple((dataset, row) for dataset, row in content["rows"]), content["listed"], keys)

    def shard(self, job: Job) -> Shard:
        assert self.keys is not None
        return Shard(job.fingerprint, job.preprocessing, self.keys)


def hash_of_ids(rows: Sequence[tuple[int, int]], dataset_of: Callable[[int], Dataset]) -> str | None:
    """A hash of the ids of some rows, each a dataset's number and a row; None where a dataset has no such row."""
    digest = hashlib.sha256()
    for number in sorted({dataset for dataset, _ in rows}):
        wanted, column = [row for of, row in rows if of == number], dataset_of(number).table.column("id")
        if max(wanted) >= len(column):
            return None
        for id in column.take(pa.array(wanted, pa.int64())).to_pylist():
            digest.update(hashlib.sha256(id.encode()).digest())
    return digest.hexdigest()


@dataclass(frozen=True)
class TaskResult:
    """What a worker reports of a task.

    result: What became of the shard.
    set_aside: Places of pictures that could not be hashed, with the reason; only of tasks without keys.
    worker: The worker, for messages: machine and process.
    """

    result: ShardResult
    set_aside: dict[str, str]
    worker: str

    def to_json(self) -> str:
        unread = {key.hex(): reason for key, reason in self.result.unread.items()}
        return json.dumps({"result": {**asdict(replace(self.result, unread={})), "unread": unread}, "set_aside": self.set_aside,
                           "worker": self.worker})  # fmt: skip

    @classmethod
    def from_json(cls, text: str) -> "TaskResult":
        content = json.loads(text)
        unread = {bytes.fromhex(key): reason for key, reason in content["result"]["unread"].items()}
        return cls(ShardResult(**{**content["result"], "unread": unread}), content["set_aside"], content["worker"])


def _plan(content: dict[str, Any]) -> Plan:
    models = tuple(ModelPlan(**entry) for entry in content["models"])
    datasets = tuple(_data(entry) for entry in content["datasets"])
    rest = {f.name: _tuples(content[f.name]) for f in fields(Plan) if f.name not in ("models", "datasets")}
    return Plan(models=models, datasets=datasets, **rest)


def _data(content: dict[str, Any]) -> DataPlan:
    classes = content["classes"]
    if isinstance(classes, dict):
        named = tuple(PictureClass(**{name: _tuples(value) for name, value in c.items()}) for c in classes["classes"])
        classes = ClassList(classes["name"], named, classes["source"])
    return DataPlan(**{**content, "classes": classes, "prompts": _tuples(content["prompts"])})


def _tuples(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
