"""npz archives of arrays, and npy files: no pickles, and no archive that expands far beyond its own size."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.errors import DataError
from eyechart.files.readable import require_regular

_HARMLESS = 256 << 20  # bytes that any machine has
_MOST_RATIO = 100  # vectors shrink by a tenth when they are compressed; only constants shrink so far


def read_npz(file: Path, remedy: str = "write it again with np.savez") -> dict[str, npt.NDArray[Any]]:
    """Every array of an npz file; pickled arrays are refused."""
    require_regular(file)
    try:
        if not zipfile.is_zipfile(file):
            raise DataError(f"{file}: not an npz file; {remedy}")
        _check_size(file, remedy)
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except DataError:
        raise
    except MemoryError:
        raise DataError(f"{file}: it contains an array larger than the memory of this machine; write it again in parts") from None
    except Exception as error:  # noqa: BLE001 - numpy and zipfile raise all kinds over damaged bytes, and all of them mean this
        pickled = "allow_pickle" in str(error)
        reason = "it contains pickled objects, which are never loaded" if pickled else f"not readable as npz ({error})"
        instead = "save names as a string array: np.array(names, dtype=str)" if pickled else remedy
        raise DataError(f"{file}: {reason}; {instead}") from None
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):  # NumPy returns other members of the archive as bytes
            raise DataError(f"{file}: {name!r} is not an array; {remedy}")
        _require_content(array, f"{file}: {name!r}", remedy)
    return arrays


def read_npy(file: Path, remedy: str = "write it again with np.save") -> npt.NDArray[Any]:
    """The array of an npy file; a pickled one is refused."""
    require_regular(file)
    try:
        array = np.load(file, allow_pickle=False)
    except MemoryError:
        raise DataError(f"{file}: its array is larger than the memory of this machine; write it again in parts") from None
    except Exception as error:  # noqa: BLE001 - numpy raises all kinds over damaged bytes, and all of them mean this
        raise DataError(f"{file}: not readable as npy ({error}); {remedy}") from None
    if not isinstance(array, np.ndarray):
        raise DataError(f"{file}: it is an archive of arrays; call it .npz")
    _require_content(array, f"{file}: its array", remedy)
    return array


def _check_size(file: Path, remedy: str) -> None:
    """The sizes that the archive itself claims; zipfile reads no more than it claims."""
    with zipfile.ZipFile(file) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > _HARMLESS and size > _MOST_RATIO * file.stat().st_size:
        raise DataError(f"{file}: its {file.stat().st_size / 1e6:.1f} MB would expand to {size / 1e6:,.0f} MB; {remedy}")


def _require_content(array: npt.NDArray[Any], what: str, remedy: str) -> None:
    """Refuse values without bytes: a file of a hundred bytes can claim 2^63 of them, and a list of them fills the memory."""
    if array.size and not array.dtype.itemsize:
        raise DataError(f"{what} has {array.size:,} values of no bytes; {remedy}")
