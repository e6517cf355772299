"""Published sets that are read from the layout in which they are given out: `NAME:FOLDER`."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from eyechart.registry import Registry

if TYPE_CHECKING:  # plans know the names of sets without loading any table
    from eyechart.data.reading import Reading

NAMED_SETS = Registry(
    "published set",
    {
        "coco-karpathy": "eyechart.data.karpathy:read_coco",
        "cue-conflict": "eyechart.data.cue_conflict:read_cue_conflict",
        "flickr30k": "eyechart.data.karpathy:read_flickr30k",
        "imagenet-x": "eyechart.data.imagenet_x:read_imagenet_x",
        "imagenet-x-multi": "eyechart.data.imagenet_x:read_imagenet_x_multi",
        "navi": "eyechart.data.navi:read_navi",
        "scannet-pairs": "eyechart.data.scannet:read_scannet_pairs",
        "spair": "eyechart.data.spair:read_spair",
    },
)


class ReadsFolder(Protocol):
    def __call__(self, folder: Path, *, split: str | None, root: Path | None) -> "Reading":
        """DataError naming what is not as it should be, where the folder does not look right."""


def named_set(spec: str) -> tuple[str, str] | None:
    """The set's name and its folder, of `imagenet-x:data/val`; None for any other source."""
    name, colon, folder = spec.partition(":")
    return (name, folder) if colon and name in NAMED_SETS else None
