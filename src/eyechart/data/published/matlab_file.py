"""Arrays out of MATLAB files, in which some sets keep their labels. SciPy's reader runs nothing that stands in them."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.io import loadmat

from eyechart.errors import DataError


def read_matlab(file: Path, name: str) -> npt.NDArray[Any]:
    """[n]: the variable of this name. DataError where the file is none of these, or has no such variable."""
    try:
        held = loadmat(file, squeeze_me=True)
    except Exception as error:  # SciPy raises all kinds over other bytes, and all of them mean this
        raise DataError(f"{file}: it cannot be read as a MATLAB file ({error}); fetch it again") from error
    if name not in held:
        raise DataError(f"{file}: there is no {name!r} in it; fetch it again")
    return np.atleast_1d(held[name])
