"""The content of a study: its tables, its measures, and the models with given measures."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.errors import UsageError
from eyechart.study.measures import find_measure, known_measures, title_of
from eyechart.study.table import titles_of


def origins_held(study: pa.Table) -> list[dict[str, Any]]:
    """Each table with its numbers of models and values."""
    return [
        {"origin": origin, "models": len(set(models)), "values": len(models)}
        for origin, models in sorted(_grouped(study, "origin", "model").items())
    ]


def measures_held(study: pa.Table) -> list[dict[str, Any]]:
    """Each measure with its title, its number of models and its tables; known measures first."""
    models, origins = (_grouped(study, "metric", column) for column in ("model", "origin"))
    titles = titles_of(study)
    order = {name: place for place, name in enumerate(known_measures())}
    names = sorted(models, key=lambda name: (order.get(name, len(order)), name))
    return [
        {
            "measure": name,
            "title": titles.get(name, title_of(name)),
            "models": len(set(models[name])),
            "against": known.against if (known := known_measures().get(name)) else None,
            "origins": sorted(set(origins[name])),
        }
        for name in names
    ]


def models_with(study: pa.Table, measures: Sequence[str]) -> list[dict[str, Any]]:
    """Models with all of these measures from one table, sorted by the first measure in descending order."""
    held = study["metric"].unique().to_pylist()
    wanted = [find_measure(name, held) for name in measures]
    found: dict[tuple[str, str | None, str], dict[str, Any]] = {}
    for row in study.filter(pc.is_in(study["metric"].cast(pa.string()), pa.array(wanted))).to_pylist():
        key = row["model"], row["prompts"], row["origin"]
        facts = {name: row[name] for name in ("model", "group", "source", "prompts", "origin")}
        mine = found.setdefault(key, facts | {"units": {}})
        mine[row["metric"]], mine["units"][row["metric"]] = row["value"], row["unit"]
    rows = [row for row in found.values() if all(name in row for name in wanted)]
    if not rows:
        raise UsageError(f"no model has all of {', '.join(wanted)} from one table; `eyechart study show` lists all measures")
    return sorted(rows, key=lambda row: -row[wanted[0]])


def _grouped(study: pa.Table, by: str, column: str) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for key, value in zip(study[by].to_pylist(), study[column].to_pylist(), strict=True):
        grouped.setdefault(key, []).append(value)
    return grouped
