"""The classifier file beside open_clip and transformers, in the very lines that docs/repair.md shows."""

import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from tests.backends.test_open_clip import tiny

from eyechart.classifier import Classifier
from eyechart.files.safetensors import read_tensors
from eyechart.repair.run import repair_classifier
from eyechart.repair.settings import Settings
from eyechart.store import Store

ROOT = Path(__file__).resolve().parents[2]
CLASSES = ["cat", "dog", "owl", "teapot"]


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, rng = tmp_path_factory.mktemp("photos"), np.random.default_rng(5)
    for name in CLASSES:
        (folder / name).mkdir()
        for number in range(14):
            pixels = rng.integers(0, 256, (5, 7, 3), dtype=np.uint8)
            Image.fromarray(pixels).resize((120, 90), Image.Resampling.BICUBIC).save(folder / name / f"{number}.png")
    return folder


def lines_of(library: str) -> str:
    """The block of docs/repair.md that imports the library, as a reader would copy it."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "repair.md").read_text(), re.S | re.M)
    (block,) = [b for b in blocks if re.search(rf"^import .*\b{library}\b", b, re.M)]
    return textwrap.dedent(block)


def repaired(spec: str, photos: Path, place: Path) -> Classifier:
    settings = Settings(weights="uniform", cost=1.0)
    with_store = Store(place / "store")
    found = repair_classifier(
        spec, photos, out=place / "repaired.safetensors", prompts=("openai-7",), settings=settings, store=with_store
    )
    with_store.close()
    return found.classifier


def test_the_lines_beside_open_clip(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny(tmp_path / "model")
    classifier = repaired(f"open_clip:{folder}", photos, tmp_path)
    monkeypatch.chdir(tmp_path)
    Image.open(photos / "owl" / "3.png").save("cat.png")
    scope: dict[str, object] = {}
    exec(lines_of("open_clip").replace('"ViT-B-32", pretrained="openai"', f'"local-dir:{folder}"'), scope)
    _agrees(scope, classifier, f"open_clip:{folder}", photos / "owl" / "3.png")


def test_the_lines_beside_transformers(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = ROOT / "src" / "eyechart" / "world" / "default_model"
    if not (folder / "config.json").is_file():
        pytest.skip("the default model has no files for transformers here")
    classifier = repaired(f"hf:{folder}", photos, tmp_path)
    monkeypatch.chdir(tmp_path)
    Image.open(photos / "owl" / "3.png").save("cat.png")
    scope: dict[str, object] = {}
    exec(lines_of("transformers").replace("openai/clip-vit-base-patch32", str(folder)), scope)
    _agrees(scope, classifier, f"hf:{folder}", photos / "owl" / "3.png")


def _agrees(scope: dict[str, object], classifier: Classifier, spec: str, picture: Path) -> None:
    """The library's own vector of the picture gets the answer that Eyechart's vector of it gets."""
    from eyechart.files.hashing import HashMemory
    from eyechart.models.open import open_model

    model = open_model(spec, hashes=HashMemory(), device="cpu", precision="float32")
    own = model.encode_images(np.stack([model.prepare(Image.open(picture).convert("RGB"))]))
    answers = scope["answers"]
    # transformers shrinks pictures with torch where Eyechart does with Pillow: the last bit of some pixels differs.
    expected = classifier(own)
    np.testing.assert_allclose(answers.probabilities, expected.probabilities, atol=2e-3)
    assert answers.labels.tolist() == expected.labels.tolist()


def test_the_file_is_one_that_safetensors_itself_reads_and_writes(tmp_path: Path) -> None:
    vectors = np.eye(3, 5, dtype=np.float32)
    classifier = Classifier(("a", "b", "c"), ("a", "b", "c"), vectors, 10.0, 0.0, 1.0, np.zeros(3))
    path = classifier.save(tmp_path / "c.safetensors")
    np.testing.assert_array_equal(load_file(path)["vectors"], vectors)
    with safe_open(path, "np") as file:
        assert "eyechart.classifier" in file.metadata()
    arrays = {"x": np.arange(6, dtype=np.float64).reshape(2, 3), "y": np.array([True, False]), "z": np.arange(4, dtype=np.int16)}
    save_file(arrays, tmp_path / "theirs.safetensors", {"said": "ja"})
    found, metadata = read_tensors(tmp_path / "theirs.safetensors")
    assert metadata == {"said": "ja"}
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
    assert torch.tensor(found["x"].copy()).shape == (2, 3)
