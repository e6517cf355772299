"""Tests against the real libraries. Nothing is fetched: the hub is a folder of ours, in the hub's own layout."""

import os
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

# huggingface_hub reads these when it is first imported.
_HOME = tempfile.TemporaryDirectory(prefix="hub-")
os.environ["HF_HOME"] = _HOME.name
os.environ["HF_HUB_CACHE"] = str(Path(_HOME.name) / "hub")
os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from PIL import Image  # noqa: E402

from eyechart.files.hashing import HashMemory  # noqa: E402

# Without torch most of these files cannot even be imported; they are run in an environment of their own.
_WITHOUT_TORCH = {"test_fiftyone_reader.py", "test_mlflow_runs.py", "test_wandb_runs.py"}
_NEED_TORCH = [path.name for path in Path(__file__).parent.glob("test_*.py") if path.name not in _WITHOUT_TORCH]
collect_ignore = [] if find_spec("torch") else _NEED_TORCH


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.backend)


@pytest.fixture
def hashes() -> Iterator[HashMemory]:
    memory = HashMemory()
    yield memory
    memory.close()


@pytest.fixture(scope="session")
def hub() -> Callable[[str], Path]:
    """Makes the snapshot folder of a repository in the cache, as huggingface_hub lays it out."""

    def snapshot(repository: str) -> Path:
        home = Path(os.environ["HF_HUB_CACHE"]) / f"models--{repository.replace('/', '--')}"
        commit = "0123456789abcdef0123456789abcdef01234567"
        (home / "refs").mkdir(parents=True, exist_ok=True)
        (home / "refs" / "main").write_text(commit)
        folder = home / "snapshots" / commit
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    return snapshot


@pytest.fixture(scope="session")
def pictures() -> list[Image.Image]:
    """Smooth random pictures of several shapes, smaller and larger than a network's input."""
    rng = np.random.default_rng(7)
    shapes = [(300, 400), (400, 301), (224, 224), (100, 80), (641, 333), (33, 47)]
    return [
        Image.fromarray(rng.integers(0, 256, (h // 8 + 2, w // 8 + 2, 3), dtype=np.uint8)).resize(
            (w, h), Image.Resampling.BICUBIC
        )
        for h, w in shapes
    ]


class Trap:
    """Unpickled, it would write the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.write_text, (self.path, "sprung"))


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    """Something to save in a weight file; when the test ends, it must not have gone off."""
    trap = Trap(tmp_path / "sprung.txt")
    yield trap
    assert not trap.path.exists()
