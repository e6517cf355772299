"""Which rows show one scene: shifted versions of a picture name it in `attr.source_id`, copies share a cluster."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.shift_pairs import ShiftPair, unshifted


def originals(shifted: ProbeInput[Any]) -> list[str | None] | None:
    """The original of each row (`attr.source_id`), None for a row without one; None where no row has one."""
    if not shifted.dataset.has("attr.source_id"):
        return None
    entries = shifted.dataset.table.column("attr.source_id").to_pylist()
    named = [str(value).strip() or None if value is not None else None for value in entries]
    return named if any(named) else None


def refers_to_source(shifted: ProbeInput[Any], source: ProbeInput[Any]) -> bool:
    """Whether the originals of a shifted set are pictures of the source.

    A companion in which one row is a version of another row keeps its originals itself, whatever the ids of the source are.
    """
    named, own = originals(shifted), shifted.dataset.ids()
    if named is None or shifted is source:
        return named is not None
    known = set(own)
    return not any(name in known and name != row for name, row in zip(named, own, strict=True))


def scene_keys(shifted: ProbeInput[Any]) -> Sequence[str | int]:
    """A key for the scene of each row: its original; its own id where it is an original; else its cluster."""
    clusters: list[int] = shifted.clusters.tolist()
    named = originals(shifted)
    if named is None:
        return clusters
    with_versions = set(named)
    return [
        name if name is not None else row if row in with_versions else cluster
        for name, row, cluster in zip(named, shifted.dataset.ids(), clusters, strict=True)
    ]


def shift_units(pair: ShiftPair, source: ProbeInput[Any], offset: int) -> Indices:
    """Scene numbers for the shifted rows of a pair, compatible with the clusters of the source.

    A row gets the cluster of its original in the source. Other rows get a number from `offset` up, equal for equal scenes.
    """
    named, keys = originals(pair.shifted), scene_keys(pair.shifted)
    known: dict[str | int, int] = {}
    if named is not None and refers_to_source(pair.shifted, source):
        ids = source.dataset.ids()
        known = {ids[row]: int(source.clusters[row]) for row in np.flatnonzero(unshifted(source.dataset))}
    if pair.shifted is source:
        known |= {int(cluster): int(cluster) for cluster in source.clusters}
    fresh: dict[str | int, int] = {}
    return np.array(
        [known[s] if (s := keys[row]) in known else offset + fresh.setdefault(s, len(fresh)) for row in pair.rows], np.int64
    )


def paired_rows(pair: ShiftPair, source: ProbeInput[Any]) -> tuple[Indices, Indices] | None:
    """Positions in `rows` and in `source_rows` of pictures of one scene; None where there are none."""
    wanted = originals(pair.shifted)
    if wanted is None or not refers_to_source(pair.shifted, source):
        return None
    ids = source.dataset.ids()
    place = {ids[row]: position for position, row in enumerate(pair.source_rows)}
    pairs = [(i, place[name]) for i, row in enumerate(pair.rows) if (name := wanted[row]) is not None and name in place]
    if not pairs:
        return None
    of_shifted, of_source = np.array(pairs, np.int64).T
    return of_shifted, of_source
