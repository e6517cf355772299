"""The half that a temperature is fitted on, and the half that it is judged on."""

import numpy as np
import pyarrow as pa
from tests.probes.vectors import given_by_vectors

from eyechart.probes.calibration.sets import split_halves


def test_versions_of_a_picture_are_in_one_half():
    """Else a temperature would be judged on versions of pictures that it was fitted on."""
    truth = np.repeat(np.arange(2), 60)
    originals = pa.array([f"original-{row // 3}" for row in range(120)])
    inputs = given_by_vectors(np.eye(2)[truth], np.eye(2), truth, None, columns={"attr.source_id": originals})
    halves = split_halves(inputs, seed=0)
    fit, held_out = ({int(row) // 3 for row in half.rows} for half in (halves.fit, halves.held_out))
    assert fit and held_out and fit.isdisjoint(held_out)
    assert len(halves.fit.rows) + len(halves.held_out.rows) == 120
