"""Tabs on the page: their headings at once, their content when they are opened."""

from collections.abc import Mapping, Sequence

from eyechart.findings.run import ALL_MODELS, Run
from eyechart.report.html.builder import Child, Markup, a, bdi, code, details, div, h2, h3, p, section, summary
from eyechart.report.sections.parts import Part
from eyechart.report.tabs import TABS, Tab
from eyechart.report.view import View

_WHOLE = {"compare", "findings", "protocol"}  # tabs that are about the whole run


def panels(
    run: Run,
    view: View,
    parts: Sequence[Part],
    docs: Mapping[str, str],
    guides: Mapping[str, Markup],
) -> list[Markup]:
    """All tabs of a view; without results, the protocol alone.

    Args:
        run: The run.
        view: The view.
        parts: What the tabs hold.
        docs: Probe → documentation page.
        guides: Model → its caption guide.
    """
    return [
        section(
            h2(tab.title), *_content(run, view, tab, parts, docs, guides), id=f"{view.key}/{tab.key}", class_="panel", hidden=True
        )
        for tab in TABS
        if run.probes or tab.key == "protocol"
    ]


def _content(
    run: Run, view: View, tab: Tab, parts: Sequence[Part], docs: Mapping[str, str], guides: Mapping[str, Markup]
) -> list[Child]:
    if tab.key in _WHOLE:
        across = [part for part in parts if part.model == ALL_MODELS] if tab.key == "compare" else []
        return [_slot(tab.key, 600), *_probes(run, view, tab, across, docs)]
    datasets = None if view.dataset is None else {view.dataset, *_companions(run, view.dataset)}
    mine = [
        part
        for part in parts
        if part.model == view.model and (datasets is None or part.dataset in datasets) and part.tab == tab.key
    ]
    guide = guides.get(view.model) if tab.key == "words" else None
    if not mine:
        return [guide, p("Nothing of this was tested here.", class_="quiet") if guide is None else None]
    return [guide, *_probes(run, view, tab, mine, docs)]


def _companions(run: Run, dataset: str) -> list[str]:
    return [name for name in run.companions if run.dataset_facts(name).get("of") in {None, dataset}]


def _probes(run: Run, view: View, tab: Tab, parts: Sequence[Part], docs: Mapping[str, str]) -> list[Markup]:
    made = []
    for probe in dict.fromkeys(part.probe for part in parts):
        mine = [part for part in parts if part.probe == probe]
        key = f"{view.key}/{tab.key}/p{run.probes.index(probe)}"
        about = p(code(probe), " · ", a("what it measures", href=docs[probe]) if probe in docs else None, class_="quiet")
        made.append(
            section(
                h3(run.question(probe)),
                about,
                *(_part(run, part, key, named=len(mine) > 1, open=place == 0) for place, part in enumerate(mine)),
                id=key,
                class_="probe",
            )
        )
    return made


def _part(run: Run, part: Part, key: str, *, named: bool, open: bool) -> Markup:
    """One dataset of a probe; numbers link to it."""
    slot = _slot(part.file, part.height)
    own = f"{key}/d{run.datasets.index(part.dataset)}" if part.dataset in run.datasets else None
    if named:
        return details(summary(bdi(part.dataset)), slot, class_="part", open=open, id=own)
    return div(slot, class_="part", id=own)


def _slot(file: str, height: int) -> Markup:
    """A place that is filled from a data file when it can be seen."""
    return div(class_="slot", data_part=file, data_height=height)
