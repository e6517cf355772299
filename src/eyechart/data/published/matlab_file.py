"""Numbers and texts of MATLAB files, the label format of some sets. SciPy's reader executes nothing in them.

The file is read in a child process: over a damaged one, the reader can crash in native code.
"""

from pathlib import Path
from typing import Any

import numpy as np

from eyechart.errors import DataError
from eyechart.files.child import in_child
from eyechart.files.readable import require_regular

_AGAIN = "download it again"


def read_numbers(file: Path, name: str) -> list[int]:
    """The whole numbers of a variable. DataError where the file is not a MATLAB file or has no such variable."""
    return _whole(_read(file, name).get(""), file, name)


def read_records(file: Path, name: str, *, text: str, number: str) -> tuple[list[str], list[int]] | None:
    """Two fields of an array of records, one of texts and one of whole numbers; None where it lacks one of them."""
    fields = _read(file, name)
    if text not in fields or number not in fields:
        return None
    texts = fields[text]
    if not isinstance(texts, list) or not all(isinstance(value, str) for value in texts):
        raise DataError(f"{file}: {name}.{text} has something other than texts; {_AGAIN}")
    numbers = _whole(fields[number], file, f"{name}.{number}")
    if len(numbers) != len(texts):
        raise DataError(f"{file}: {name} has {len(texts)} texts and {len(numbers)} numbers; {_AGAIN}")
    return texts, numbers


def _read(file: Path, name: str) -> dict[str, Any]:
    require_regular(file)
    load = "eyechart.data.published.matlab_file:load_variable"
    found = in_child(load, str(file), name, where=file, kind="readable as a MATLAB file", remedy=_AGAIN)
    if not isinstance(found, dict):
        raise DataError(f"{file}: it has no variable {name!r}; {_AGAIN}")
    return found


def _whole(values: Any, file: Path, name: str) -> list[int]:
    numbers = values if isinstance(values, list) else []
    if not numbers or not all(isinstance(value, int | float) and value == int(value) for value in numbers if abs(value) < 1e15):
        raise DataError(f"{file}: {name!r} is not a list of whole numbers; {_AGAIN}")
    return [int(value) for value in numbers]


def load_variable(file: str, name: str) -> dict[str, Any] | None:
    """A variable as plain lists: by field where it is an array of records, else under ""; None where there is none.

    This runs in the child process."""
    from scipy.io import loadmat

    content = loadmat(file, squeeze_me=True)
    if name not in content:
        return None
    array = np.atleast_1d(content[name])
    return {field: _plain(array[field]) for field in array.dtype.names} if array.dtype.names else {"": _plain(array)}


def _plain(array: Any) -> list[Any]:
    values = np.asarray(array).ravel().tolist()
    return [value if isinstance(value, str | int | float) else np.asarray(value).tolist() for value in values]
