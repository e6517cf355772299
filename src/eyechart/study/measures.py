"""Measures: one name for a number that tables call differently, with its number of pictures and the source of a shift."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from eyechart.errors import UsageError, did_you_mean
from eyechart.files.records import parse_toml

# The ten factors of the papers, then the others of ImageNet-X, with their number of pictures (top factor, without prototypes).
FACTORS = {
    "pose": 15_064, "background": 14_751, "pattern": 5_972, "color": 6_150, "smaller": 1_450, "shape": 679,
    "partial_view": 638, "subcategory": 585, "texture": 282, "larger": 150,
    "darker": 122, "object_blocking": 78, "person_blocking": 60, "style": 43, "brighter": 44, "multiple_objects": 40,
}  # fmt: skip


@dataclass(frozen=True)
class Measure:
    """A measure of published tables.

    name: Its id.
    title: Its title.
    n: Number of pictures.
    against: The measure that a shift is compared with; None for a measure that is no shift.
    n_in: Table → number of pictures, where it differs.
    known_as: Table → its column or file.
    datasets: Names of the dataset in an examination.
    metric: The id of the metric in an examination.
    """

    name: str
    title: str
    n: int | None = None
    against: str | None = None
    n_in: Mapping[str, int] = field(default_factory=dict)
    known_as: Mapping[str, str] = field(default_factory=dict)
    datasets: tuple[str, ...] = ()
    metric: str = "top1"

    def count(self, table: str) -> int | None:
        """Number of pictures in a table."""
        return self.n_in.get(table, self.n)


@cache
def known_measures() -> dict[str, Measure]:
    """Every measure of `measures.toml`, the factors of ImageNet-X and the recalls of Flickr30k and COCO, by name."""
    text = files("eyechart.study").joinpath("measures.toml").read_text(encoding="utf-8")
    listed = parse_toml(text, "measures.toml")["measure"]
    tables = ("open_clip", "timm", "testbed", "model_soups")
    measures = [
        Measure(
            entry["name"],
            entry["title"],
            entry.get("n"),
            entry.get("against"),
            entry.get("n_in", {}),
            {table: entry[table] for table in tables if table in entry},
            tuple(entry.get("datasets", ())),
        )
        for entry in listed
    ]
    average = "imagenet-x-average"
    measures.append(Measure(average, "ImageNet-X, all factors", 46_110, known_as={"imagenet_x": "average"}))
    for factor, n in FACTORS.items():
        title = f"ImageNet-X, {factor.replace('_', ' ')}"
        measures.append(Measure(f"imagenet-x-{factor}", title, n, average, known_as={"imagenet_x": factor}))
    measures += _retrieval_measures()
    return {measure.name: measure for measure in measures}


def _retrieval_measures() -> list[Measure]:
    """Karpathy's test splits, both directions."""
    sets = (
        ("flickr30k", "Flickr30k", "Flickr", 1_000, ("flickr30k", "dataset-flickr30k")),
        ("coco", "COCO", "MSCOCO", 5_000, ("coco", "dataset-coco", "mscoco")),
    )
    return [
        Measure(
            f"{name}-{direction.replace('_', '-')}-r{k}",
            f"{title}, {direction_title} R@{k}",
            pictures * each,
            known_as={"open_clip": f"{column} {sought} retr. R@{k}"},
            datasets=datasets,
            metric=f"{direction}_r{k}",
        )
        for name, title, column, pictures, datasets in sets
        for direction, direction_title, sought, each in (
            ("text_to_image", "text-to-image", "image", 5),
            ("image_to_text", "image-to-text", "text", 1),
        )
        for k in (1, 5, 10)
    ]


@cache
def measure_of(table: str, name: str) -> Measure:
    """The measure that `table` calls `name`; a new one with that name in lower case where no other table has it."""
    for measure in known_measures().values():
        if measure.known_as.get(table) == name:
            return measure
    return Measure(re.sub(r"[\s/]+", "-", name.strip().lower()), name)


def distance_unit(unit: str) -> str:
    """The unit of a difference of two values: points for fractions."""
    return "points" if unit == "fraction" else unit


_HALF = re.compile(r"\[(?:.*, )?half=([^,\]]+)")


def half_of(measure: str) -> str | None:
    """Which part of the pictures a measure of yours is over: "held-out"; None for all of them.

    Example:
        >>> half_of("photos/ece[half=held-out, scaling=temperature]")
        'held-out'
    """
    found = _HALF.search(measure)
    return found[1] if found else None


def title_of(name: str) -> str:
    """The title of a measure."""
    known = known_measures().get(name)
    return known.title if known else name


def find_measure(name: str, held: Iterable[str]) -> str:
    """`name` if the study has it, else a UsageError with the nearest one."""
    held = sorted(held)
    if name in held:
        return name
    hint = did_you_mean(name, held)
    raise UsageError(f"the study has no measure {name!r}{hint}; `eyechart study show` lists its {len(held)} measures")
