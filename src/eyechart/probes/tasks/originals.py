"""Shifted versions of a picture name it in `attr.source_id`: which rows show the same original as a picture of the source."""

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


def shift_units(pair: ShiftPair, source: ProbeInput[Any], offset: int) -> Indices:
    """Numbers for the shifted rows of a pair, equal for rows that are not independent, compatible with the units of the source.

    A row gets the unit of its original in the source. Other rows get a number from `offset` up.
    """
    if pair.shifted is source:
        return source.units[pair.rows]
    units = offset + pair.shifted.units[pair.rows]
    named = originals(pair.shifted)
    if named is None or not refers_to_source(pair.shifted, source):
        return units
    ids = source.dataset.ids()
    known = {ids[row]: int(source.units[row]) for row in np.flatnonzero(unshifted(source.dataset))}
    names = (named[row] for row in pair.rows)
    return np.array([known.get(name, unit) if name else unit for name, unit in zip(names, units.tolist(), strict=True)], np.int64)


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
