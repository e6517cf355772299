"""Weight files that can be trusted: safetensors, or torch files that hold nothing but tensors. No pickle is ever run."""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from eyechart.errors import ModelError
from eyechart.files.hashing import HashMemory

# What the libraries raise over a file that is damaged, does not fit, or holds more than tensors.
LOADING_ERRORS = (RuntimeError, KeyError, ValueError, OSError, EOFError, UnpicklingError)
_TORCH = (".pt", ".pth", ".bin", ".ckpt")


def check_weights(path: Path, remedy: str) -> Path:
    """The path, if it is a form of weights that is loaded here; else a ModelError that ends with the remedy."""
    if not path.is_file():
        raise ModelError(f"{path}: there is no such weight file; {remedy}")
    if path.suffix == ".safetensors":
        return path
    if path.suffix not in _TORCH:
        raise ModelError(f"{path}: weights are read from .safetensors, {', '.join(_TORCH)}, not from {path.suffix!r}; {remedy}")
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            # What torch.jit.save writes besides the tensors is code, and loading it would run it.
            if any(name.endswith("/constants.pkl") for name in archive.namelist()):
                raise ModelError(f"{path}: this is a TorchScript archive, which carries code and is not loaded; {remedy}")
    return path


def refusal(path: Path, error: Exception) -> ModelError:
    """What a failed loading means, in words."""
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if "weights_only" in str(error) or "Weights only" in str(error):
        reason = "the file holds more than tensors, and unpickling that would run code"
        return ModelError(f"{path}: {reason}; save its state_dict alone, or convert it to safetensors")
    return ModelError(f"{path}: the weights do not fit or cannot be read ({reason})")


def stored_scalar(path: Path, names: Iterable[str]) -> float | None:
    """The first of these single numbers in a safetensors file, read without loading the rest; None where it cannot be had so."""
    header = _header(path)
    for name in names:
        if header.get(name, {}).get("dtype") in ("F32", "F64", "F16"):
            from safetensors import safe_open

            with safe_open(path, framework="np") as opened:
                return float(opened.get_tensor(name).reshape(-1)[0])
    return None


def stored_shape(path: Path, name: str) -> tuple[int, ...] | None:
    """The shape of one tensor of a safetensors file; None where it is not there, or the file is of another kind."""
    shape = _header(path).get(name, {}).get("shape")
    return tuple(shape) if shape is not None else None


def _header(path: Path) -> dict[str, Any]:
    if path.suffix != ".safetensors":
        return {}
    with path.open("rb") as file:
        found: dict[str, Any] = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return found


def hash_files(paths: Iterable[Path], hashes: HashMemory) -> dict[str, str]:
    return {path.name: hashes.file(path) for path in sorted(paths)}


def fingerprint(parts: Mapping[str, Any]) -> str:
    """One digest over everything that decides what the vectors are."""
    # Spelled out: the name of a file need not be text.
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return hashlib.sha256(text).hexdigest()
