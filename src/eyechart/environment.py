"""What an examination ran on: versions that a number may depend on in its last digits."""

import platform
import sys
from importlib.metadata import version

_PACKAGES = {
    "numpy": "numpy", "scipy": "scipy", "pyarrow": "pyarrow", "PIL": "pillow", "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers", "torch": "torch", "open_clip": "open_clip_torch", "transformers": "transformers", "timm": "timm",
    "sentence_transformers": "sentence-transformers",
}  # fmt: skip


def environment() -> dict[str, str]:
    """Python, the system, and the packages that were in use."""
    used = {package: version(package) for module, package in _PACKAGES.items() if module in sys.modules}
    return {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}", **used}
