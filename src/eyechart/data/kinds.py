"""The kinds of dataset that can be read, as `eyechart datasets` lists them."""

from dataclasses import dataclass
from importlib.util import find_spec

from eyechart.data.published.published_set import PublishedSet
from eyechart.data.published.registry import usable_sets


@dataclass(frozen=True)
class DatasetKind:
    """One line of `eyechart datasets`.

    name: The kind, such as "folder" or "published".
    example: What a user would write.
    description: What is read.
    extra: The optional dependency that it needs, as in `eyechart[extra]`; None where it needs none.
    installed: Whether it can be read here.
    problem: Why it cannot be read, for a set of an installed package; empty otherwise.
    """

    name: str
    example: str
    description: str
    extra: str | None = None
    installed: bool = True
    problem: str = ""

    @property
    def title(self) -> str:
        """The kind, or the name of a published set."""
        return self.example.partition(":")[0] if self.name == "published" else self.name

    @property
    def remedy(self) -> str:
        """Why it cannot be read here and what to do; empty where it can."""
        return "" if self.installed else self.problem or f"pip install 'eyechart[{self.extra}]'"


def dataset_kinds() -> list[DatasetKind]:
    """Every kind of dataset: file formats, every published set, and the Hugging Face hub.

    Returns:
        One record per kind, in the order of `eyechart datasets`.

    Example:
        >>> dataset_kinds()[0].name
        'folder'
    """
    sets, failures = usable_sets()
    unusable = [
        DatasetKind(
            "published",
            f"{failure.name}:FOLDER",
            f"A published set of the installed package {failure.package}.",
            installed=False,
            problem=f"cannot be used: {failure.reason}",
        )
        for failure in failures
    ]
    return [*_FORMATS, *(_published(one) for one in sets), *unusable, _hub()]


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


def _published(record: PublishedSet) -> DatasetKind:
    pictures = "" if record.n is None else f" {record.n:,} pictures."
    use = "" if record.use == "exam" else f" For --{record.use}."
    return DatasetKind("published", record.example, f"{record.about}{pictures}{use}")


def _hub() -> DatasetKind:
    about = "a dataset of the Hugging Face hub"
    return DatasetKind("hub", "hf://owner/name/test", about, "datasets", find_spec("datasets") is not None)
