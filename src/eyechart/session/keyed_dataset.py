"""A dataset with the content hash of every picture, and the pictures that cannot be read."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from eyechart.arrays import Indices
from eyechart.data.dataset import Dataset
from eyechart.encode.keys import SetAside, picture_keys, text_key
from eyechart.files.hashing import HashMemory
from eyechart.models.abilities import has_members
from eyechart.models.encoder import Model
from eyechart.plan import Plan
from eyechart.progress import Progress
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet
from eyechart.session.stable_hash import stable_hash


@dataclass(frozen=True)
class KeyedDataset:
    """A dataset and the content keys of its pictures.

    dataset: The dataset.
    keys: The content key of each row; None where it was set aside.
    set_aside: The rows that cannot be used, with the reason.
    prompts: The dataset's own prompt sets; None for the plan's.
    fingerprint: A hash of everything that a probe could read: columns, pairs, classes and pictures.
    of_pictures: Whether keys are hashes of pictures; False where no model reads them, and keys are those of ids.
    """

    dataset: Dataset
    keys: list[bytes | None]
    set_aside: tuple[SetAside, ...]
    prompts: tuple[PromptSet, ...] | None
    fingerprint: str
    of_pictures: bool

    @cached_property
    def fingerprint_without_pictures(self) -> str:
        """A hash of columns, pairs and classes alone."""
        return _fingerprint(self.dataset, [])

    @cached_property
    def without_labels(self) -> "KeyedDataset":
        """The same pictures without labels and classes, for probes that use them only where they are there."""
        columns = [name for name in self.dataset.table.column_names if name != "label"]
        dataset = replace(self.dataset, table=self.dataset.table.select(columns), classes=None)
        return replace(self, dataset=dataset, fingerprint=stable_hash([self.fingerprint, "without labels"]))

    @cached_property
    def readable(self) -> tuple[Dataset, Indices]:
        """The rows with a key, and their clusters: equal numbers mark rows that show the same picture."""
        rows = [row for row, key in enumerate(self.keys) if key is not None]
        keys = np.array([self.keys[row] for row in rows], dtype="S32")
        dataset = self.dataset.take(rows) if len(rows) < len(self.keys) else self.dataset
        return dataset, np.unique(keys, return_inverse=True)[1].astype(np.int64)


def key_dataset(
    dataset: Dataset, prompts: tuple[PromptSet, ...] | None, hashes: HashMemory, progress: Progress, *, pictures: bool
) -> KeyedDataset:
    """Hash every picture; files whose hash is remembered are not read again.

    Without `pictures` a row's key is its id: precomputed vectors need no picture files.
    """
    if pictures:
        found = picture_keys(dataset, hashes, progress)
        keys, set_aside = found.keys, tuple(found.set_aside)
    else:
        keys, set_aside = [text_key(id) for id in dataset.ids()], ()
    return KeyedDataset(dataset, list(keys), set_aside, prompts, _fingerprint(dataset, list(keys)), pictures)


def reads_pictures(model: Model) -> bool:
    """Whether a model needs the files of pictures, and not their ids alone."""
    return has_members(model, "encode_images") or has_members(model, "answer")


def key_datasets(
    plan: Plan, datasets: Sequence[Dataset], hashes: HashMemory, progress: Progress, *, pictures: bool
) -> list[KeyedDataset]:
    """The datasets of a plan, each with its own prompts."""
    prompts = [None if e.prompts is None else tuple(load_prompts(p) for p in e.prompts) for e in plan.datasets]
    return [key_dataset(d, p, hashes, progress, pictures=pictures) for d, p in zip(datasets, prompts, strict=True)]


def _fingerprint(dataset: Dataset, keys: list[bytes | None]) -> str:
    stable_hash = hashlib.sha256()
    for table in (dataset.table, dataset.pairs):
        if table is not None:
            stable_hash.update(_content(table))
    stable_hash.update(repr((dataset.classes, dataset.role, dataset.of, dataset.benchmark)).encode())
    for key in keys:
        stable_hash.update(key or bytes(32))
    return stable_hash.hexdigest()


def _content(table: pa.Table) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    table = table.combine_chunks().replace_schema_metadata(None)
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()
