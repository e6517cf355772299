"""What an examination ran on: versions that the last digits of a number may depend on."""

import platform
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = (
    "numpy", "scipy", "pyarrow", "pillow", "onnxruntime", "tokenizers",
    "torch", "open_clip_torch", "transformers", "timm", "sentence-transformers",
)  # fmt: skip


def environment() -> dict[str, str]:
    """Python, the system, and the installed packages that compute."""
    return {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}", **_installed()}


def _installed() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
