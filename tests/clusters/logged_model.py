"""A small model that writes down what goes through it, as an installed package would bring it: `logged:LOG,SECONDS[,die]`.

`install` makes a folder that shows it to every process with that folder on its path, workers included.
"""

import hashlib
import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from eyechart.models import ModelCard, ModelSource, TokenizedTexts

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 16
PROJECTION = np.random.default_rng(7).standard_normal((192, WIDTH)).astype(np.float32)


class Logged:
    fingerprint = hashlib.sha256(b"logged 1").hexdigest()
    card = ModelCard(name="logged", backend="logged", architecture="projection")
    logit_scale, logit_bias = 20.0, 0.0

    def __init__(self, name: str) -> None:
        self.spec = f"logged:{name}"
        log, seconds, *rest = name.split(",")
        self._log, self._seconds, self._die = Path(log), float(seconds), "die" in rest

    def prepare(self, picture: Image.Image) -> np.ndarray:
        return np.asarray(picture.resize((8, 8)), np.float32) / 255

    def encode_images(self, prepared: np.ndarray) -> np.ndarray:
        if self._die:
            os._exit(3)
        names = [hashlib.sha256(row.tobytes()).hexdigest()[:12] for row in prepared]
        fd = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(fd, (" ".join(names) + "\n").encode())  # one call: lines of two processes never mix
        os.close(fd)
        time.sleep(self._seconds * len(names))
        return prepared.reshape(len(prepared), -1) @ PROJECTION

    def tokenize(self, texts: Sequence[str]) -> TokenizedTexts:
        ids = [np.frombuffer(text.encode(), np.uint8).astype(np.int64) for text in texts]
        return TokenizedTexts(ids, np.zeros(len(texts), bool))

    def encode_texts(self, ids: Sequence[np.ndarray]) -> np.ndarray:
        return np.stack([np.resize(row, 192).astype(np.float32) @ PROJECTION for row in ids])


def open(name: str, hashes: object, device: str, precision: str, threads: int | None) -> Logged:
    return Logged(name)


SOURCE = ModelSource(
    prefix="logged",
    target="tests.clusters.logged_model:open",
    example="logged:log,0",
    gives=("images", "texts", "logit_scale"),
    description="a projection that writes down what it encodes",
)


def install(folder: Path) -> dict[str, str]:
    """The environment of processes that can open `logged:` models."""
    about = folder / "logged_model-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: logged-model\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[eyechart.models]\nlogged = tests.clusters.logged_model:SOURCE\n")
    path = os.pathsep.join([str(folder), str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def encoded(log: Path) -> Counter[str]:
    """How often each picture went through the network."""
    return Counter(log.read_text().split()) if log.exists() else Counter()


def make_pictures(folder: Path, count: int, broken: bool = True) -> Path:
    """Noise in three classes, and a file that is no picture."""
    rng = np.random.default_rng(0)
    for number in range(count):
        place = folder / ("circle", "square", "star")[number % 3]
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (12, 12, 3), dtype=np.uint8)).save(place / f"{number}.png")
    if broken:
        (folder / "star" / "broken.png").write_bytes(b"no picture")
    return folder


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    tasks = Path(f"/proc/{pid}/task")
    listed = [(task / "children") for task in tasks.iterdir()] if tasks.exists() else []
    found = []
    for path in listed:
        try:
            found += [int(number) for number in path.read_text().split()]
        except OSError:
            continue
    return found
