"""`demo:`: the small model and the drawn pictures that ship with Eyechart, so that an exam runs anywhere, offline."""

from pathlib import Path

from eyechart.data.dataset import Dataset
from eyechart.errors import UsageError
from eyechart.hashing import HashMemory
from eyechart.models.encoder import Model
from eyechart.models.onnx import open_folder
from eyechart.world.drawn import drawn_pictures

_FOLDER = Path(__file__).parent / "demo_model"
# Neither of the seeds that scripts/make_demo_model.py fits and tunes on.
_SEED, _PER_CLASS, _SIDE = 1, 40, 96


def open(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> Model:
    """The demo model; there is one, so it has no name."""
    if name:
        raise UsageError(f"demo:{name}: there is one demo model; write demo:")
    return open_folder(_FOLDER, "demo:", hashes, device, precision, threads)


def demo_pictures() -> Dataset:
    """480 drawn pictures of twelve shapes that the demo model has not seen."""
    return drawn_pictures(_PER_CLASS, _SEED, _SIDE)
