"""The kinds of dataset that can be read, as `eyechart datasets` lists them."""

from dataclasses import dataclass
from importlib.util import find_spec

from eyechart.data.published.registry import PUBLISHED_SETS, published_set


@dataclass(frozen=True)
class DatasetKind:
    """One line of `eyechart datasets`.

    name: The kind, such as "folder" or "published".
    example: What a user would write.
    description: What is read.
    extra: The optional dependency that it needs, as in `eyechart[extra]`; None where it needs none.
    installed: Whether that dependency is installed.
    """

    name: str
    example: str
    description: str
    extra: str | None = None
    installed: bool = True


def dataset_kinds() -> list[DatasetKind]:
    """Every kind of dataset: file formats, every published set, and the Hugging Face hub.

    Returns:
        One record per kind, in the order of `eyechart datasets`.

    Example:
        >>> dataset_kinds()[0].name
        'folder'
    """
    return [*_FORMATS, *(_published(name) for name in PUBLISHED_SETS), _hub()]


_FORMATS = (
    DatasetKind("folder", "pets/", "pictures in one subfolder per class, or in one flat folder without labels"),
    DatasetKind(
        "csv", "labels.csv", "a table (also .tsv) with a column of file names; label, captions and attributes if present"
    ),
    DatasetKind("jsonl", "labels.jsonl", "the same with one JSON object per line"),
    DatasetKind("parquet", "pets.parquet", "a Parquet table of file names or of picture bytes"),
    DatasetKind("parquet folder", "pets/data/", "Parquet shards of a Hugging Face dataset: data/train-00000-of-00002.parquet"),
    DatasetKind(
        "webdataset",
        "shard-{0000..0009}.tar",
        "uncompressed tars, read in place: pictures with .cls, .txt and .json members",
    ),
    DatasetKind("karpathy", "dataset_coco.json", "Karpathy's split of Flickr30k or COCO; --root is the folder of the pictures"),
    DatasetKind("saved", "pets-saved/", "a Hugging Face dataset written by save_to_disk"),
)


def _published(name: str) -> DatasetKind:
    record = published_set(name)
    pictures = "" if record.n is None else f" {record.n:,} pictures."
    use = "" if record.use == "exam" else f" For --{record.use}."
    return DatasetKind("published", record.example, f"{record.about}{pictures}{use}")


def _hub() -> DatasetKind:
    about = "a dataset of the Hugging Face hub"
    return DatasetKind("hub", "hf://owner/name/test", about, "datasets", find_spec("datasets") is not None)
