"""Which rows show one scene: versions of a picture name it in `attr.source_id`, copies of a picture share its number."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.shift_pairs import ShiftPair, unshifted


def originals(shifted: ProbeInput[Any]) -> list[str | None] | None:
    """Of which picture each row is a version (`attr.source_id`), None for a row that names none; None where no row does."""
    if not shifted.dataset.has("attr.source_id"):
        return None
    entries = shifted.dataset.table.column("attr.source_id").to_pylist()
    named = [str(value).strip() or None if value is not None else None for value in entries]
    return named if any(named) else None


def means_the_source(shifted: ProbeInput[Any], source: ProbeInput[Any]) -> bool:
    """Whether `originals` are pictures of the source. A set beside it in which a row is a version of another row keeps its
    originals itself, and means those, whatever the source calls its own pictures."""
    named, own = originals(shifted), shifted.dataset.ids()
    if named is None or shifted is source:
        return named is not None
    known = set(own)
    return not any(name in known and name != row for name, row in zip(named, own, strict=True))


def scenes(shifted: ProbeInput[Any]) -> Sequence[str | int]:
    """What each row of a set shows: the picture that it names as its original; itself, where it is the original of others; else
    its own picture. A row that names nothing is no version of the next one that names nothing."""
    clusters: list[int] = shifted.clusters.tolist()
    named = originals(shifted)
    if named is None:
        return clusters
    with_versions = set(named)
    return [
        name if name is not None else row if row in with_versions else cluster
        for name, row, cluster in zip(named, shifted.dataset.ids(), clusters, strict=True)
    ]


def units_beside(contrast: ShiftPair, source: ProbeInput[Any], offset: int) -> Indices:
    """Numbers of scenes for the contrast's rows, to go with the source's own clusters: that of the source's picture which a row
    names, else one from `offset` up, the same for rows that show the same scene."""
    named, shown = originals(contrast.shifted), scenes(contrast.shifted)
    known: dict[str | int, int] = {}
    if named is not None and means_the_source(contrast.shifted, source):
        ids = source.dataset.ids()
        known = {ids[row]: int(source.clusters[row]) for row in np.flatnonzero(unshifted(source.dataset))}
    if contrast.shifted is source:
        known |= {int(cluster): int(cluster) for cluster in source.clusters}
    fresh: dict[str | int, int] = {}
    return np.array(
        [known[s] if (s := shown[row]) in known else offset + fresh.setdefault(s, len(fresh)) for row in contrast.rows], np.int64
    )


def partners(contrast: ShiftPair, source: ProbeInput[Any]) -> tuple[Indices, Indices] | None:
    """Positions in `rows` and in `source_rows` of pictures of one scene; None where there are none."""
    wanted = originals(contrast.shifted)
    if wanted is None or not means_the_source(contrast.shifted, source):
        return None
    ids = source.dataset.ids()
    place = {ids[row]: position for position, row in enumerate(contrast.source_rows)}
    pairs = [(i, place[name]) for i, row in enumerate(contrast.rows) if (name := wanted[row]) is not None and name in place]
    if not pairs:
        return None
    of_shifted, of_source = np.array(pairs, np.int64).T
    return of_shifted, of_source
