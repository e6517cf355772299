"""A dataset whose pictures have been looked at once: what each one contains, as a hash, and which cannot be read."""

import hashlib
from dataclasses import dataclass

import pyarrow as pa

from eyechart.data.dataset import Dataset
from eyechart.encode.keys import SetAside, picture_keys, text_key
from eyechart.files.hashing import HashMemory
from eyechart.progress import Progress
from eyechart.prompts.prompt_set import PromptSet


@dataclass(frozen=True)
class KeyedDataset:
    """`keys[i]` is the content key of row i, None where it was set aside. `prompts`: the dataset's own, else the plan's."""

    dataset: Dataset
    keys: list[bytes | None]
    set_aside: tuple[SetAside, ...]
    prompts: tuple[PromptSet, ...] | None
    fingerprint: str


def key_dataset(
    dataset: Dataset, prompts: tuple[PromptSet, ...] | None, hashes: HashMemory, progress: Progress, *, pictures: bool
) -> KeyedDataset:
    """Hash every picture (remembered ones are not read again). Without `pictures`, rows are known by their id alone:
    precomputed vectors need no picture file to exist."""
    if pictures:
        found = picture_keys(dataset, hashes, progress)
        keys, set_aside = found.keys, tuple(found.set_aside)
    else:
        keys, set_aside = [text_key(id) for id in dataset.ids()], ()
    return KeyedDataset(dataset, list(keys), set_aside, prompts, _fingerprint(dataset, list(keys)))


def _fingerprint(dataset: Dataset, keys: list[bytes | None]) -> str:
    """Over everything a probe could see: all columns, the pairs, the classes, and the pictures' content."""
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
