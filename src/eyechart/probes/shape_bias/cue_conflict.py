"""The cue-conflict experiment of Geirhos et al. (2019): categories, human decisions, and the stimuli of a dataset."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices
from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.data.published.cue_conflict import CATEGORIES


def _except(first: int, last: int, *left_out: int) -> tuple[int, ...]:
    return tuple(i for i in range(first, last + 1) if i not in left_out)


# The classes of ImageNet in each category, from the toolbox modelvshuman (0 is the tench).
IMAGENET = {
    "airplane": (404,),
    "bear": (294, 295, 296, 297),
    "bicycle": (444, 671),
    "bird": (
        8, *_except(10, 20, 17), *_except(22, 24), *_except(80, 83), *_except(87, 100, 97), *_except(127, 145, 134),
    ),
    "boat": (472, 554, 625, 814, 914),
    "bottle": (440, 720, 737, 898, 899, 901, 907),
    "car": (436, 511, 817),
    "cat": (281, 282, 283, 284, 285, 286),
    "chair": (423, 559, 765, 857),
    "clock": (409, 530, 892),
    "dog": _except(152, 268, 192, 204, 227, 242, 251, 258, 260, 264),
    "elephant": (385, 386),
    "keyboard": (508, 878),
    "knife": (499,),
    "oven": (766,),
    "truck": (555, 569, 656, 675, 717, 734, 864, 867),
}  # fmt: skip

# Decisions of five humans on the 1,200 conflicting stimuli by category of the shape: for the shape, for the texture.
# Counted from the published trials (github.com/rgeirhos/texture-vs-shape, raw-data).
HUMANS = {
    "airplane": (192, 31), "bear": (244, 17), "bicycle": (358, 0), "bird": (293, 10), "boat": (182, 26), "bottle": (326, 7),
    "car": (330, 12), "cat": (263, 16), "chair": (331, 4), "clock": (352, 2), "dog": (245, 18), "elephant": (273, 12),
    "keyboard": (270, 18), "knife": (216, 34), "oven": (282, 11), "truck": (329, 5),
}  # fmt: skip


@dataclass(frozen=True)
class Stimuli:
    """Cue-conflict pictures.

    rows: Rows of the dataset.
    shape: The class of the shape.
    texture: The class of the texture.
    shape_source: Rows of one number have their shape from one picture; None where unknown.
    texture_source: Rows of one number have their texture from one picture; None where unknown.
    """

    rows: Indices
    shape: Indices
    texture: Indices
    shape_source: Indices | None
    texture_source: Indices | None

    def take(self, chosen: npt.NDArray[np.bool_]) -> "Stimuli":
        sources = [None if s is None else s[chosen] for s in (self.shape_source, self.texture_source)]
        return Stimuli(self.rows[chosen], self.shape[chosen], self.texture[chosen], *sources)

    @property
    def conflicting(self) -> npt.NDArray[np.bool_]:
        return np.not_equal(self.shape, self.texture)


def stimuli(dataset: Dataset, classes: ClassList) -> Stimuli:
    """The rows whose shape and texture are both among the classes, by label or by name."""
    index = {c.name: i for i, c in enumerate(classes)} | {c.label: i for i, c in enumerate(classes)}
    shape, texture = (_indices(dataset, f"attr.{part}", index) for part in ("shape", "texture"))
    rows = np.flatnonzero((shape >= 0) & (texture >= 0))
    sources = [_numbered(dataset, f"attr.{part}_source") for part in ("shape", "texture")]
    kept = [None if s is None else s[rows] for s in sources]
    both = kept if all(s is not None for s in kept) else [None, None]
    return Stimuli(rows, shape[rows], texture[rows], *both)


def uses_geirhos_categories(dataset: Dataset) -> bool:
    """Whether all shapes and textures are among the 16 categories of the experiment, which ImageNet classes map to."""
    values = {v for part in ("shape", "texture") for v in dataset.table.column(f"attr.{part}").to_pylist() if v is not None}
    return bool(values) and values <= set(CATEGORIES)


def _indices(dataset: Dataset, column: str, index: dict[str, int]) -> Indices:
    return np.array([index.get(str(v), -1) for v in dataset.table.column(column).to_pylist()], np.int64)


def _numbered(dataset: Dataset, column: str) -> Indices | None:
    if not dataset.has(column) or dataset.table.column(column).null_count:
        return None
    codes = dataset.table.column(column).combine_chunks().dictionary_encode().indices
    return np.asarray(codes.to_numpy(zero_copy_only=False), np.int64)
