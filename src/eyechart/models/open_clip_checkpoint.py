"""Checkpoints given to open_clip without their architecture, or with a wrong one: the message names a likely one."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.errors import UsageError
from eyechart.models.mismatch import find_mismatch, likely_architectures
from eyechart.models.weights import WEIGHT_SUFFIXES, stored_shapes

if TYPE_CHECKING:
    from eyechart.models.open_clip_source import OpenClipSource


def refuse_bare_checkpoint(open_clip: Any, name: str) -> None:
    """UsageError where the name is the path of a checkpoint alone: `open_clip:weights.pt`."""
    path = Path(name)
    if path.suffix not in WEIGHT_SUFFIXES or open_clip.get_model_config(name.partition("/")[0]) is not None:
        return
    exists = path.is_file()
    shapes = stored_shapes(path) if exists else {}
    likely = likely_architectures(shapes, _configs(open_clip))
    there = "" if exists else ", and there is no such file"
    example = likely[0] if likely else "ViT-B-32"
    hint = f"its shapes are those of {', '.join(likely[:3])}; write" if likely else "write open_clip:ARCHITECTURE/FILE, such as"
    raise UsageError(
        f"open_clip:{name} names a checkpoint without its architecture{there}; {hint} open_clip:{example}/{name} "
        "(`open_clip.list_models()` lists the architectures)"
    )


def other_architecture(source: "OpenClipSource", message: str) -> str:
    """What to write instead, where torch's message tells shapes that another architecture has."""
    import open_clip

    mismatch = find_mismatch(message)
    in_file = {name: shapes[0] for name, shapes in mismatch.shapes.items()} if mismatch else {}
    likely = likely_architectures({**in_file, **stored_shapes(source.weights)}, _configs(open_clip))
    likely = [name for name in likely if name != source.library_name]
    if not likely:
        return "; name the architecture that they were trained with: open_clip:ARCHITECTURE/FILE"
    return f"; they have the shapes of {', '.join(likely[:3])}: write open_clip:{likely[0]}/{source.weights}"


def _configs(open_clip: Any) -> Mapping[str, Mapping[str, Any]]:
    return {name: open_clip.get_model_config(name) or {} for name in open_clip.list_models()}
