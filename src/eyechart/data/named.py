"""Published sets that are read from the layout in which they are given out: `NAME:FOLDER`."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from eyechart.registry import Registry

if TYPE_CHECKING:  # plans know the names of sets without loading any table
    from eyechart.data.reading import Reading

NAMED_SETS = Registry(
    "published set",
    {
        "aircraft": "eyechart.data.aircraft:read_aircraft",
        "aro": "eyechart.data.foiled.aro:read_aro",
        "cars": "eyechart.data.stanford_cars:read_cars",
        "coco": "eyechart.data.coco:read_coco_instances",
        "coco-karpathy": "eyechart.data.karpathy:read_coco",
        "corrupted": "eyechart.data.corruption_folders:read_corrupted",
        "cue-conflict": "eyechart.data.cue_conflict:read_cue_conflict",
        "dtd": "eyechart.data.ood_sets:read_dtd",
        "fairface": "eyechart.data.fairface:read_fairface",
        "flickr30k": "eyechart.data.karpathy:read_flickr30k",
        "flowers102": "eyechart.data.oxford_sets:read_flowers102",
        "generated": "eyechart.data.generated:read_generated",
        "imagenet": "eyechart.data.imagenet_sets:read_imagenet",
        "imagenet-3dcc": "eyechart.data.corruption_folders:read_imagenet_3dcc",
        "imagenet-a": "eyechart.data.imagenet_sets:read_imagenet_a",
        "imagenet-c": "eyechart.data.corruption_folders:read_imagenet_c",
        "imagenet-o": "eyechart.data.ood_sets:read_imagenet_o",
        "imagenet-r": "eyechart.data.imagenet_sets:read_imagenet_r",
        "imagenet-sketch": "eyechart.data.imagenet_sets:read_imagenet_sketch",
        "imagenet-v2": "eyechart.data.imagenet_sets:read_imagenet_v2",
        "imagenet-vid-robust": "eyechart.data.vid_robust:read_vid_robust",
        "imagenet-x": "eyechart.data.imagenet_x:read_imagenet_x",
        "imagenet-x-multi": "eyechart.data.imagenet_x:read_imagenet_x_multi",
        "inaturalist": "eyechart.data.ood_sets:read_inaturalist",
        "navi": "eyechart.data.navi:read_navi",
        "ninco": "eyechart.data.ood_sets:read_ninco",
        "objectnet": "eyechart.data.objectnet:read_objectnet",
        "pets": "eyechart.data.oxford_sets:read_pets",
        "places": "eyechart.data.ood_sets:read_places",
        "scannet-pairs": "eyechart.data.scannet:read_scannet_pairs",
        "spair": "eyechart.data.spair:read_spair",
        "stylized-imagenet": "eyechart.data.imagenet_sets:read_stylized_imagenet",
        "sugarcrepe": "eyechart.data.foiled.sugarcrepe:read_sugarcrepe",
        "sugarcrepe-pp": "eyechart.data.foiled.sugarcrepe:read_sugarcrepe_pp",
        "sun": "eyechart.data.ood_sets:read_sun",
        "sun397": "eyechart.data.sun397:read_sun397",
        "valse": "eyechart.data.foiled.valse:read_valse",
        "whatsup": "eyechart.data.foiled.whatsup:read_whatsup",
        "winoground": "eyechart.data.foiled.winoground:read_winoground",
    },
)


class ReadsFolder(Protocol):
    def __call__(self, folder: Path, *, split: str | None, root: Path | None) -> "Reading":
        """DataError naming what is not as it should be, where the folder does not look right."""


def named_set(spec: str) -> tuple[str, str] | None:
    """The set's name and its folder, of `imagenet-x:data/val`; None for any other source."""
    name, colon, folder = spec.partition(":")
    return (name, folder) if colon and name in NAMED_SETS else None
