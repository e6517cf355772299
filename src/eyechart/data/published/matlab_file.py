"""Arrays of MATLAB files, the label format of some sets. SciPy's reader executes nothing in them."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.io import loadmat

from eyechart.errors import DataError


def read_matlab(file: Path, name: str) -> npt.NDArray[Any]:
    """[n]: the variable of this name. DataError where the file is not a MATLAB file or has no such variable."""
    try:
        content = loadmat(file, squeeze_me=True)
    except Exception as error:  # SciPy raises many kinds of error on damaged files
        raise DataError(f"{file}: not readable as a MATLAB file ({error}); download it again") from error
    if name not in content:
        raise DataError(f"{file}: it has no variable {name!r}; download it again")
    return np.atleast_1d(content[name])
