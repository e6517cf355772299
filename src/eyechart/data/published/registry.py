"""Published sets by name: `NAME:FOLDER` reads a set in the layout in which it is distributed.

This module knows the names only. Facts and reader of a set are in its own file, and are imported when the set is used.
"""

from eyechart.data.published.published_set import PublishedSet
from eyechart.errors import PluginError
from eyechart.registry import Registry

PUBLISHED_SETS = Registry(
    "published set",
    {
        "aircraft": "eyechart.data.published.aircraft:SET",
        "aro": "eyechart.data.published.aro:SET",
        "cars": "eyechart.data.published.stanford_cars:SET",
        "coco": "eyechart.data.published.coco:SET",
        "coco-karpathy": "eyechart.data.published.karpathy:SETS",
        "comco": "eyechart.data.published.comco:SET",
        "corrupted": "eyechart.data.published.corruption_folders:SETS",
        "cue-conflict": "eyechart.data.published.cue_conflict:SET",
        "domainnet": "eyechart.data.published.domainnet:SET",
        "dtd": "eyechart.data.published.ood_sets:SETS",
        "fairface": "eyechart.data.published.fairface:SET",
        "flickr30k": "eyechart.data.published.karpathy:SETS",
        "flowers102": "eyechart.data.published.oxford:SETS",
        "generated": "eyechart.data.published.generated:SET",
        "imagenet": "eyechart.data.published.imagenet:SETS",
        "imagenet-3dcc": "eyechart.data.published.corruption_folders:SETS",
        "imagenet-a": "eyechart.data.published.imagenet:SETS",
        "imagenet-c": "eyechart.data.published.corruption_folders:SETS",
        "imagenet-d": "eyechart.data.published.imagenet_d:SET",
        "imagenet-o": "eyechart.data.published.ood_sets:SETS",
        "imagenet-r": "eyechart.data.published.imagenet:SETS",
        "imagenet-sketch": "eyechart.data.published.imagenet:SETS",
        "imagenet-v2": "eyechart.data.published.imagenet:SETS",
        "imagenet-vid-robust": "eyechart.data.published.vid_robust:SET",
        "imagenet-x": "eyechart.data.published.imagenet_x:SETS",
        "imagenet-x-multi": "eyechart.data.published.imagenet_x:SETS",
        "inaturalist": "eyechart.data.published.ood_sets:SETS",
        "navi": "eyechart.data.published.navi:SET",
        "ninco": "eyechart.data.published.ood_sets:SETS",
        "objectnet": "eyechart.data.published.objectnet:SET",
        "pets": "eyechart.data.published.oxford:SETS",
        "places": "eyechart.data.published.ood_sets:SETS",
        "scannet-pairs": "eyechart.data.published.scannet:SET",
        "spair": "eyechart.data.published.spair:SET",
        "stylized-imagenet": "eyechart.data.published.imagenet:SETS",
        "sugarcrepe": "eyechart.data.published.sugarcrepe:SETS",
        "sugarcrepe-pp": "eyechart.data.published.sugarcrepe:SETS",
        "sun": "eyechart.data.published.ood_sets:SETS",
        "sun397": "eyechart.data.published.sun397:SET",
        "valse": "eyechart.data.published.valse:SET",
        "whatsup": "eyechart.data.published.whatsup:SET",
        "winoground": "eyechart.data.published.winoground:SET",
    },
    group="eyechart.datasets",
)


def published_set(name: str) -> PublishedSet:
    """The record of a published set, with its reader.

    Args:
        name: The name before the colon in `NAME:FOLDER`.

    Raises:
        UsageError: If there is no such set.
        PluginError: If it comes from an installed package and cannot be used.

    Example:
        >>> published_set("imagenet-r").n
        30000
    """
    found = PUBLISHED_SETS.get(name)
    records = found if isinstance(found, tuple) else (found,)
    record = next((one for one in records if isinstance(one, PublishedSet) and one.name == name), None)
    if record is None:
        package = PUBLISHED_SETS.package_of(name) or "eyechart"
        raise PluginError("published set", name, package, f"its entry point gives no PublishedSet called {name!r}")
    return record


def usable_sets() -> tuple[list[PublishedSet], list[PluginError]]:
    """Every published set that can be used, and the sets of installed packages that cannot be used.

    Example:
        >>> [one.name for one in usable_sets()[0]][:2]
        ['aircraft', 'aro']
    """
    loaded, failures = PUBLISHED_SETS.load_all(published_set)
    return list(loaded.values()), failures


def split_source(source: str) -> tuple[str, str] | None:
    """The set's name and its folder, of a source such as `imagenet-x:data/val`; None for any other source."""
    name, colon, folder = source.partition(":")
    return (name, folder) if colon and name in PUBLISHED_SETS else None
