"""A population: the models of a study with both of two measures, as arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eyechart.arrays import Doubles
from eyechart.errors import UsageError, did_you_mean
from eyechart.notice import Notice, counted
from eyechart.study.groups import GROUPS, OTHER
from eyechart.study.importers.findings import ORIGIN as MINE
from eyechart.study.measures import find_measure, half_of, known_measures, title_of
from eyechart.study.table import FACTS, titles_of

Mask = npt.NDArray[np.bool_]
Key = tuple[str, str | None, bool]  # model, prompts, whether it is your own finding
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Population:
    """Models in a fixed order.

    x_measure: The measure on the x axis.
    y_measure: The measure on the y axis.
    x_title: The title of the x axis.
    y_title: The title of the y axis.
    x_unit: Its unit.
    y_unit: Its unit.
    models: Names.
    x: Values.
    y: Values.
    n_x: Number of pictures; NaN where unknown.
    n_y: Number of pictures; NaN where unknown.
    facts: Fact → a value per model.
    mine: Which are your own findings.
    notices: Warnings, each with a remedy.
    """

    x_measure: str
    y_measure: str
    x_title: str
    y_title: str
    x_unit: str
    y_unit: str
    models: tuple[str, ...]
    x: Doubles
    y: Doubles
    n_x: Doubles
    n_y: Doubles
    facts: Mapping[str, tuple[Any, ...]]
    mine: Mask
    notices: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        return len(self.models)

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(group or UNKNOWN for group in self.facts["group"])

    def facts_of(self, place: int) -> dict[str, Any]:
        """One model's name and facts."""
        return {"model": self.models[place], **{name: column[place] for name, column in self.facts.items()}}

    def where(self, chosen: Mask, *notices: Notice) -> "Population":
        """The models for which `chosen` is true."""
        at = np.flatnonzero(chosen)
        return replace(
            self,
            models=tuple(self.models[i] for i in at),
            x=self.x[at],
            y=self.y[at],
            n_x=self.n_x[at],
            n_y=self.n_y[at],
            facts={name: tuple(column[i] for i in at) for name, column in self.facts.items()},
            mine=self.mine[at],
            notices=(*self.notices, *notices),
        )


def pair(
    study: pa.Table, x: str | None, y: str, *, origins: Sequence[str] = (), groups: Sequence[str] = ()
) -> Population:  # fmt: skip
    """Every model with both measures. `x` defaults to the measure that the shift `y` is compared with.

    Both values of a model come from one table where possible. The group `other` (unfinished trainings, random features) is
    included only on request.
    """
    held = study["metric"].unique().to_pylist()
    y = find_measure(y, held)
    x = find_measure(_counterpart(y) if x is None else x, held)
    left, right = (_values(study, name, origins) for name in (x, y))
    keys = [key for key in right if key in left]
    if not keys:
        raise UsageError(f"no model of the study has both {x} and {y}; `eyechart study show` lists all measures")
    chosen = [_one_origin(left[key], right[key]) for key in keys]
    facts = _facts(study, [key[0] for key in keys])
    facts["prompts"], facts["origin"] = tuple(key[1] for key in keys), tuple(of_y["origin"] for _, of_y in chosen)
    titles = titles_of(study)
    population = Population(
        x,
        y,
        titles.get(x, title_of(x)),
        titles.get(y, title_of(y)),
        x_unit=chosen[0][0]["unit"],
        y_unit=chosen[0][1]["unit"],
        models=tuple(key[0] for key in keys),
        x=np.array([of_x["value"] for of_x, _ in chosen]),
        y=np.array([of_y["value"] for _, of_y in chosen]),
        n_x=np.array([of_x["n"] or np.nan for of_x, _ in chosen], np.float64),
        n_y=np.array([of_y["n"] or np.nan for _, of_y in chosen], np.float64),
        facts=facts,
        mine=np.array([key[2] for key in keys]),
        notices=_pair_notices(x, y, left, right),
    )
    return _of_groups(population, groups)


def _counterpart(y: str) -> str:
    known = known_measures().get(y)
    if known is None or known.against is None:
        raise UsageError(f"{y} is not a known shift; choose the measure to compare it with: --x MEASURE")
    return known.against


def _values(study: pa.Table, metric: str, origins: Sequence[str]) -> dict[Key, list[dict[str, Any]]]:
    wanted = pc.equal(study["metric"].cast(pa.string()), metric)
    if origins:
        wanted = pc.and_(wanted, pc.is_in(study["origin"].cast(pa.string()), pa.array([*origins, MINE])))
    columns = ["model", "prompts", "origin", "value", "n", "unit"]
    found: dict[Key, list[dict[str, Any]]] = {}
    for row in study.select(columns).filter(wanted).to_pylist():
        found.setdefault((row["model"], row["prompts"], row["origin"] == MINE), []).append(row)
    return found


def _one_origin(left: list[dict[str, Any]], right: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    shared = ((of_x, of_y) for of_x in left for of_y in right if of_x["origin"] == of_y["origin"])
    return next(shared, (left[0], right[0]))


def _facts(study: pa.Table, models: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Facts of each model from a row with a known group, else from its first row."""
    coded = study["model"].combine_chunks()
    codes = coded.indices.to_numpy()
    known = study["group"].is_valid().to_numpy()
    order = np.concatenate([np.flatnonzero(known), np.flatnonzero(~known)])
    of_code, first = np.unique(codes[order], return_index=True)
    row_of = dict(zip((coded.dictionary[int(code)].as_py() for code in of_code), order[first], strict=True))
    taken = study.select(list(FACTS)).take(pa.array([row_of[model] for model in models]))
    return {name: tuple(taken[name].to_pylist()) for name in FACTS}


def _of_groups(population: Population, groups: Sequence[str]) -> Population:
    present = np.array(population.groups)
    for group in groups:
        if group not in (*GROUPS, UNKNOWN):
            raise UsageError(f"there is no group {group!r}{did_you_mean(group, GROUPS)} (choose from: {', '.join(GROUPS)})")
    if groups:
        return population.where(np.isin(present, groups) | population.mine)
    rest = (present == OTHER) & ~population.mine
    if not rest.any():
        return population
    what = f"{counted(int(rest.sum()), 'model')} of the group {OTHER} excluded (unfinished trainings, random features)"
    return population.where(~rest, Notice(population.y_measure, what, f"include them with --group {OTHER}"))


def _pair_notices(x: str, y: str, left: Mapping[Key, object], right: Mapping[Key, object]) -> tuple[Notice, ...]:
    """Notices about different classes of the two measures, and about models without the first measure."""
    notices = []
    known = known_measures().get(y)
    if known and known.against not in (None, x) and x in known_measures():
        what = f"its classes differ from those of {x}, so distances mislead; {known.against} has the same classes"
        notices.append(Notice(y, what))
    if half_of(x) != half_of(y):
        parts = [f"{name} is over {_pictures(half_of(name))}" for name in (x, y)]
        notices.append(Notice(y, f"{' and '.join(parts)}, so their pictures differ", "compare measures of the same pictures"))
    unpaired = sum(key not in left for key in right)
    if unpaired:
        remedy = "--x imagenet compares it with the accuracy over all 1,000 classes" if x.endswith("-classes") else ""
        notices.append(Notice(y, f"{counted(unpaired, 'model')} excluded, without a value of {x}", remedy))
    return tuple(notices)


def _pictures(half: str | None) -> str:
    return f"the {half} half of the pictures" if half else "all pictures"
