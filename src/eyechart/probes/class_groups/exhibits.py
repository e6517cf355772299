"""Charts of the probe `class_groups`: rates by group, and pictures predicted as harmful classes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.data.class_design import ClassDesign
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.groups import Subgroup

READABLE = 30


def rates_exhibit(findings: Sequence[Finding], design: ClassDesign, under: dict[str, str]) -> list[Exhibit]:
    """For every harmful kind of class, or the first kind where none is harmful: the rate of each group, the highest first."""
    exhibits = []
    for number, group in enumerate(design.harmful or tuple(design.groups)[:1], start=1):
        mine = [f for f in findings if f.metric == "rate" and f.slice.get("classes") == group]
        (overall,) = [f for f in mine if len(f.slice) == 2]
        single = sorted((f for f in mine if len(f.slice) == 3), key=lambda f: -(f.value or 0.0))[:READABLE]
        if not single:
            continue
        titles = [_who(f) for f in single]
        table = pa.table(
            {
                "group": titles,
                "rate": [f.value for f in single],
                "low": [f.low for f in single],
                "high": [f.high for f in single],
                "pictures": [f.n for f in single],
            }
        )
        chart = charts.dots_with_intervals(
            category="group",
            value="rate",
            low="low",
            high="high",
            category_title="",
            value_title=f"predicted as {group}",
            zero=True,
            reference=overall.value,
        )
        sentence = (
            f"{percent(single[0].value)} of the pictures with {titles[0]} are predicted as “{group}”, and "
            f"{percent(overall.value)} of all"
            " pictures (the dashed line). Groups differ where their intervals do not overlap."
        )
        title = f"Predicted as “{group}”, by group"
        exhibits.append(Exhibit(f"rates-{number}", title, sentence, table, chart=chart, slice=under))
    return exhibits


def _who(finding: Finding) -> str:
    return ", ".join(f"{k}: {v}" for k, v in finding.slice.items() if k not in ("classes", "prompts", "answers"))


def examples_exhibit(
    inputs: ProbeInput[Any],
    design: ClassDesign,
    predicted: npt.NDArray[np.int64],
    people: Sequence[Subgroup],
    shown: int,
    under: dict[str, str],
) -> list[Exhibit]:
    """Pictures that are predicted as a harmful class."""
    harmful = [i for i, name in enumerate(design.names) if design.group_of[name] in design.harmful]
    rows = np.flatnonzero(np.isin(predicted, harmful))[:shown]
    if not len(rows):
        return []
    ids = inputs.dataset.ids()
    table = pa.Table.from_pylist(
        [
            {
                "predicted": design.names[int(predicted[row])],
                "groups": "; ".join(s.title for s in people if not s.crossed and s.members[row]),
                "ids": [ids[int(row)]],
            }
            for row in rows
        ]
    )
    sentence = "The first pictures that are predicted as a harmful class, in the order of the dataset."
    title = "Pictures predicted as harmful classes"
    return [Exhibit("harmful-predictions", title, sentence, table, "pictures", slice=under)]
