"""Weight files that are safe to load: safetensors, or torch files with tensors only. No pickled code is ever run."""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from eyechart.errors import ModelError
from eyechart.files.hashing import HashMemory
from eyechart.files.safetensors import StoredTensor, read_header, read_tensor
from eyechart.models.mismatch import find_mismatch

# Errors of the libraries for a file that is damaged, does not fit, or contains more than tensors.
LOADING_ERRORS = (RuntimeError, KeyError, ValueError, OSError, EOFError, UnpicklingError)
_TORCH = (".pt", ".pth", ".bin", ".ckpt")
WEIGHT_SUFFIXES = (".safetensors", *_TORCH)


def check_weights(path: Path, remedy: str) -> Path:
    """The path, if it is a supported weight format; else a ModelError that ends with the remedy."""
    if not path.is_file():
        raise ModelError(f"{path}: there is no such weight file; {remedy}")
    if path.suffix == ".safetensors":
        return path
    if path.suffix not in _TORCH:
        raise ModelError(f"{path}: weights are read from .safetensors, {', '.join(_TORCH)}, not from {path.suffix!r}; {remedy}")
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            # torch.jit.save also writes code, and loading it would run it.
            if any(name.endswith("/constants.pkl") for name in archive.namelist()):
                raise ModelError(f"{path}: a TorchScript archive, which contains code and is not loaded; {remedy}")
    return path


def refusal(path: Path, error: Exception, remedy: str = "; name the architecture that they were trained with") -> ModelError:
    """The error for weights that cannot be loaded; `remedy` is for weights of another architecture."""
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if "weights_only" in str(error) or "Weights only" in str(error):
        reason = "the file contains more than tensors, and unpickling that would run code"
        return ModelError(f"{path}: {reason}; save only its state_dict, or convert it to safetensors")
    if mismatch := find_mismatch(str(error)):
        return ModelError(f"{path}: the weights are of another architecture: {mismatch.sentence()}{remedy}")
    return ModelError(f"{path}: the weights do not fit or cannot be read ({reason})")


def stored_scalar(path: Path, names: Iterable[str]) -> float | None:
    """The first of these scalars in a safetensors file, read without loading the rest; None where there is none."""
    tensors = _tensors(path)
    for name in names:
        if name in tensors and tensors[name].dtype in ("F32", "F64", "F16"):
            numbers = read_tensor(path, tensors[name]).reshape(-1)
            if len(numbers) != 1:
                raise ModelError(f"{path}: {name!r} has {len(numbers):,} numbers in place of one; download or write it again")
            return float(numbers[0])
    return None


def stored_shape(path: Path, name: str) -> tuple[int, ...] | None:
    """The shape of one tensor of a safetensors file; None where it is missing or the file has another format."""
    tensors = _tensors(path)
    return tensors[name].shape if name in tensors else None


def stored_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of all tensors of a safetensors file; empty for another format."""
    return {name: tensor.shape for name, tensor in _tensors(path).items()}


def _tensors(path: Path) -> Mapping[str, StoredTensor]:
    return read_header(path, error=ModelError).tensors if path.suffix == ".safetensors" else {}


def hash_files(paths: Iterable[Path], hashes: HashMemory) -> dict[str, str]:
    return {path.name: hashes.file(path) for path in sorted(paths)}


def fingerprint(parts: Mapping[str, Any]) -> str:
    """One digest over everything that determines the vectors."""
    # A file name need not be valid text, so it is escaped.
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return hashlib.sha256(text).hexdigest()
