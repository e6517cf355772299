"""Compare two examinations: n exactly, numbers and vectors to 1e-6."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from eyechart.store import Store

NUMBERS = ["value", "low", "high"]


def assert_same_findings(out: Path, expected: Path) -> None:
    found, known = (pq.read_table(folder / "findings.parquet") for folder in (out, expected))
    assert known.num_rows > 0
    assert found.drop(NUMBERS).to_pylist() == known.drop(NUMBERS).to_pylist()
    for column in NUMBERS:
        here, there = (np.array(table.column(column).to_pylist(), float) for table in (found, known))
        np.testing.assert_allclose(here, there, rtol=0, atol=1e-6)


def assert_same_vectors(store: Path, expected: Path) -> int:
    """Unit vectors to 1e-6, of the same keys; how many there are."""
    here, there = ({s.label: s for s in Store(place).shelves() if s.label.role == "image"} for place in (store, expected))
    assert here.keys() == there.keys() and len(there) == 1
    (label,) = there
    keys = sorted({key for segment in there[label].refresh() for block in segment.blocks for key in _keys(block)})
    assert sorted({key for segment in here[label].refresh() for block in segment.blocks for key in _keys(block)}) == keys
    first, second = (shelf.get(keys) for shelf in (here[label], there[label]))
    units = [vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in (first, second)]
    np.testing.assert_allclose(*units, rtol=0, atol=1e-6)
    return len(keys)


def _keys(block) -> list[bytes]:
    return [bytes(row) for row in block.keys.view("V32").tolist()] if len(block.keys) else []
