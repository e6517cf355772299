"""Published sets that are read from the layout in which they are given out: `NAME:FOLDER`."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from eyechart.registry import Registry

if TYPE_CHECKING:  # plans know the names of sets without loading any table
    from eyechart.data.reading import RawDataset

NAMED_SETS = Registry(
    "published set",
    {
        "aircraft": "eyechart.data.published.aircraft:read_aircraft",
        "aro": "eyechart.data.published.aro:read_aro",
        "cars": "eyechart.data.published.stanford_cars:read_cars",
        "coco": "eyechart.data.published.coco:read_coco_instances",
        "coco-karpathy": "eyechart.data.published.karpathy:read_coco",
        "corrupted": "eyechart.data.published.corruption_folders:read_corrupted",
        "cue-conflict": "eyechart.data.published.cue_conflict:read_cue_conflict",
        "dtd": "eyechart.data.published.ood_sets:read_dtd",
        "fairface": "eyechart.data.published.fairface:read_fairface",
        "flickr30k": "eyechart.data.published.karpathy:read_flickr30k",
        "flowers102": "eyechart.data.published.oxford:read_flowers102",
        "generated": "eyechart.data.published.generated:read_generated",
        "imagenet": "eyechart.data.published.imagenet:read_imagenet",
        "imagenet-3dcc": "eyechart.data.published.corruption_folders:read_imagenet_3dcc",
        "imagenet-a": "eyechart.data.published.imagenet:read_imagenet_a",
        "imagenet-c": "eyechart.data.published.corruption_folders:read_imagenet_c",
        "imagenet-o": "eyechart.data.published.ood_sets:read_imagenet_o",
        "imagenet-r": "eyechart.data.published.imagenet:read_imagenet_r",
        "imagenet-sketch": "eyechart.data.published.imagenet:read_imagenet_sketch",
        "imagenet-v2": "eyechart.data.published.imagenet:read_imagenet_v2",
        "imagenet-vid-robust": "eyechart.data.published.vid_robust:read_vid_robust",
        "imagenet-x": "eyechart.data.published.imagenet_x:read_imagenet_x",
        "imagenet-x-multi": "eyechart.data.published.imagenet_x:read_imagenet_x_multi",
        "inaturalist": "eyechart.data.published.ood_sets:read_inaturalist",
        "navi": "eyechart.data.published.navi:read_navi",
        "ninco": "eyechart.data.published.ood_sets:read_ninco",
        "objectnet": "eyechart.data.published.objectnet:read_objectnet",
        "pets": "eyechart.data.published.oxford:read_pets",
        "places": "eyechart.data.published.ood_sets:read_places",
        "scannet-pairs": "eyechart.data.published.scannet:read_scannet_pairs",
        "spair": "eyechart.data.published.spair:read_spair",
        "stylized-imagenet": "eyechart.data.published.imagenet:read_stylized_imagenet",
        "sugarcrepe": "eyechart.data.published.sugarcrepe:read_sugarcrepe",
        "sugarcrepe-pp": "eyechart.data.published.sugarcrepe:read_sugarcrepe_pp",
        "sun": "eyechart.data.published.ood_sets:read_sun",
        "sun397": "eyechart.data.published.sun397:read_sun397",
        "valse": "eyechart.data.published.valse:read_valse",
        "whatsup": "eyechart.data.published.whatsup:read_whatsup",
        "winoground": "eyechart.data.published.winoground:read_winoground",
    },
)


class ReadsFolder(Protocol):
    def __call__(self, folder: Path, *, split: str | None, root: Path | None) -> "RawDataset":
        """DataError naming what is not as it should be, where the folder does not look right."""


def named_set(spec: str) -> tuple[str, str] | None:
    """The set's name and its folder, of `imagenet-x:data/val`; None for any other source."""
    name, colon, folder = spec.partition(":")
    return (name, folder) if colon and name in NAMED_SETS else None
