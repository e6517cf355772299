"""Encode a dataset, or one part of it, without an examination: for job arrays, and to fill a store beforehand.

The listing of the dataset is split into ranges of rows. A worker hashes the rows of its range itself, so that nobody reads all
pictures only to divide them.
"""

from dataclasses import dataclass, field

from eyechart.clusters.engine import ShardEngine, job_of
from eyechart.clusters.job import ShardTask, hash_of_ids
from eyechart.encode.shards import part_of, shard_size, split_rows
from eyechart.errors import DataError, ModelError
from eyechart.exam_inputs import decoding_of
from eyechart.files.hashing import HashMemory
from eyechart.inputs import open_datasets, open_models
from eyechart.models.abilities import has_members
from eyechart.models.towers import image_fingerprint
from eyechart.plan import Plan, model_name
from eyechart.progress import Progress
from eyechart.session.picture_shelf import picture_shelf
from eyechart.store.store import Store


@dataclass
class EncodedListing:
    """What was encoded.

    pictures: Rows of the dataset, or of its part.
    shards: Shards that they were divided into.
    encoded: Pictures that went through the network this time.
    set_aside: Pictures that could not be read, by place, with the reason.
    """

    pictures: int
    shards: int
    encoded: int = 0
    set_aside: dict[str, str] = field(default_factory=dict)


def encode_listing(
    plan: Plan, store: Store, engine: ShardEngine, progress: Progress, part: tuple[int, int] | None = None
) -> EncodedListing:
    """Encode the first dataset of a plan with its first model, or the part `(i, n)` of it: the i-th of n, counted from 0.

    Raises:
        ModelError: If the model has no image encoder.
        DataError: If no picture could be read.
        UsageError: If there is no such part.
    """
    entry = plan.models[0]
    part_of([], *(part or (0, 1)))  # refuses a wrong part before anything is opened
    model = open_models(plan, HashMemory())[0][model_name(entry)]
    if not has_members(model, "encode_images"):
        raise ModelError(f"{model.spec}: it has no image encoder, so there is nothing to encode")
    dataset = open_datasets(plan)[0]
    shelf = picture_shelf(store, image_fingerprint(model), decoding_of(plan), precision=plan.store_precision)
    store.introduce(image_fingerprint(model), model.spec)
    ranges = part_of(split_rows(len(dataset), engine.size or shard_size(len(dataset))), *(part or (0, 1)))
    listed = [tuple((0, row) for row in rows) for rows in ranges]
    tasks = [ShardTask(rows, hash_of_ids(rows, lambda _: dataset) or "") for rows in listed]
    done = EncodedListing(sum(map(len, ranges)), len(tasks))
    title = f"{model.spec.rstrip(':')}: {dataset.name}" + (f", part {part[0]}/{part[1]}" if part else "")
    with progress.task(title, done.pictures, "pictures") as shown:
        for task, given in engine.executor.run(job_of(plan, entry, shelf, engine), tasks):
            done.encoded += given.result.encoded
            done.set_aside |= given.set_aside | {f"sha256 {key.hex()}": why for key, why in given.result.unread.items()}
            shown.advance(len(task.rows))
    if tasks and len(done.set_aside) == done.pictures:
        place, reason = next(iter(done.set_aside.items()))
        raise DataError(f"{place}: {reason}, as all {done.pictures:,} pictures; check the path and its permissions")
    return done
