"""Which rows of a table are not independent: copies of a picture, and versions of one (`attr.source_id`)."""

import numpy as np

from eyechart.arrays import Indices
from eyechart.data.dataset import Dataset

SOURCE = "attr.source_id"


def independent_units(dataset: Dataset, clusters: Indices) -> Indices:
    """Numbers from 0 up, equal for rows that show one original; intervals and splits keep such rows together.

    Args:
        dataset: The pictures. A version of a picture (darker, corrupted, another background) names its original in
            `attr.source_id`. Versions of one original belong together whether or not the original is in the table.
        clusters: Equal numbers mark rows that show the same picture.
    """
    _, pictures = np.unique(clusters, return_inverse=True)
    units = pictures.astype(np.int64)
    if not dataset.has(SOURCE) or not len(units):
        return units
    entries = dataset.table.column(SOURCE).to_pylist()
    named = [str(value).strip() if value is not None else "" for value in entries]
    versions = [row for row, name in enumerate(named) if name]
    if not versions:
        return units
    from scipy.sparse import coo_array  # loaded where it is needed: it takes longer than a small examination
    from scipy.sparse.csgraph import connected_components

    picture_of = dict(zip(dataset.ids(), units.tolist(), strict=True))
    count = int(units.max()) + 1
    absent: dict[str, int] = {}  # originals that are not in the table
    ends = [picture_of[n] if (n := named[row]) in picture_of else count + absent.setdefault(n, len(absent)) for row in versions]
    size = count + len(absent)
    links = coo_array((np.ones(len(versions), np.bool_), (units[versions], ends)), shape=(size, size))
    _, component = connected_components(links, directed=False)
    return np.unique(component[units], return_inverse=True)[1].astype(np.int64)
