"""Names for the NumPy arrays that the code passes around, by the type of their numbers."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]  # vectors as encoders give them
Doubles = npt.NDArray[np.float64]  # statistics
Flags = npt.NDArray[np.bool_]  # a mask over rows
Indices = npt.NDArray[np.int64]  # row or class numbers
Counts = npt.NDArray[np.int64]  # how often something occurred
