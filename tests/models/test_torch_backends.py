"""The torch backends where torch is not installed, or must not be touched: importable, and one line that says what to install."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from eyechart.errors import MissingExtra, UsageError
from eyechart.files.hashing import HashMemory
from eyechart.models import hf, open_clip, sbert, timm
from eyechart.models.torch_device import TorchDevice

MODULES = ["open_clip", "hf", "timm", "sbert", "export", "causal_text", "prompt_tree", "torch_device", "vision_blocks"]


def test_importing_them_imports_no_torch() -> None:
    lines = [f"import eyechart.models.{name}" for name in MODULES]
    lines.append(
        "import sys; print([m for m in ('torch', 'transformers', 'timm', 'open_clip', 'onnxruntime') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed here")
@pytest.mark.parametrize(
    ("backend", "name", "extra"),
    [(open_clip, "ViT-B-32/openai", "open_clip"), (hf, "a/b", "hf"), (timm, "resnet18", "timm"), (sbert, "x", "sbert")],
)
def test_a_missing_package_is_one_line(backend: object, name: str, extra: str) -> None:
    with pytest.raises(MissingExtra) as caught:
        backend.open(name, HashMemory(), "cpu", "float32", None)
    assert str(caught.value).endswith(f"pip install 'eyechart[{extra}]'")
    assert "\n" not in str(caught.value)


def test_devices_and_precisions_that_do_not_exist() -> None:
    with pytest.raises(UsageError, match="there is no device 'gpu'"):
        TorchDevice("gpu", "float32", None)
    with pytest.raises(UsageError, match="did you mean 'float32'"):
        TorchDevice("cpu", "float23", None)
