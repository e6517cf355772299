"""Which architecture a checkpoint belongs to, from the shapes of its tensors and from torch's message that they do not fit."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Shape = tuple[int, ...]

_SIZE = re.compile(
    r"size mismatch for (?P<name>\S+): copying a param with shape torch\.Size\(\[(?P<file>[\d, ]*)\]\) from checkpoint, "
    r"the shape in current model is torch\.Size\(\[(?P<network>[\d, ]*)\]\)"
)
_KEYS = re.compile(r"(?P<kind>Missing|Unexpected) key\(s\) in state_dict: (?P<names>[^\n]*)")
# Where CLIP's own layout has the numbers that tell architectures apart.
_PATCHES, _PROJECTION = "visual.conv1.weight", "visual.proj"


@dataclass(frozen=True)
class Mismatch:
    """What does not fit between a checkpoint and a network.

    shapes: Tensors of different shape: in the file, and in the network.
    missing: Tensors that the network has and the file lacks.
    unexpected: Tensors that the file has and the network lacks.
    """

    shapes: Mapping[str, tuple[Shape, Shape]]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]

    def sentence(self) -> str:
        """The first difference of each kind: 'visual.proj is [768, 512] in the file and [1024, 768] in the network'."""
        parts = []
        for name, (in_file, in_network) in list(self.shapes.items())[:1]:
            more = f" ({len(self.shapes) - 1} more differ)" if len(self.shapes) > 1 else ""
            parts.append(f"{name} is {list(in_file)} in the file and {list(in_network)} in the network{more}")
        if self.missing:
            parts.append(f"the file lacks {_first(self.missing)}")
        if self.unexpected:
            parts.append(f"the network lacks {_first(self.unexpected)}")
        return ", and ".join(parts)


def find_mismatch(message: str) -> Mismatch | None:
    """What torch's error says of a state_dict that does not fit; None for any other message."""
    shapes = {m["name"]: (_shape(m["file"]), _shape(m["network"])) for m in _SIZE.finditer(message)}
    keys: dict[str, tuple[str, ...]] = {"Missing": (), "Unexpected": ()}
    for found in _KEYS.finditer(message):
        keys[found["kind"]] = tuple(re.findall(r'"([^"]+)"', found["names"]))
    if not shapes and not any(keys.values()):
        return None
    return Mismatch(shapes, keys["Missing"], keys["Unexpected"])


def likely_architectures(shapes: Mapping[str, Shape], configs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The architectures of open_clip whose width, patch size and embedding are those of a checkpoint, as far as they are known.

    Args:
        shapes: The shapes of the checkpoint's tensors, all or some.
        configs: The configuration of every architecture.
    """
    if len(shapes.get(_PATCHES, ())) != 4:
        return []
    width, _, _, patch = shapes[_PATCHES]
    embed = shapes[_PROJECTION][1] if len(shapes.get(_PROJECTION, ())) == 2 else None
    found = []
    for name, config in configs.items():
        vision = config.get("vision_cfg", {})
        fits = vision.get("width") == width and vision.get("patch_size") == patch
        if fits and not vision.get("timm_model_name") and embed in (None, config.get("embed_dim")):
            found.append(name)
    # The plain name comes first: ViT-L-14 before ViT-L-14-quickgelu, which differs in no shape.
    return sorted(found, key=lambda name: (len(name), name))


def _shape(text: str) -> Shape:
    return tuple(int(number) for number in text.split(",") if number.strip())


def _first(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more tensors"
