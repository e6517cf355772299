"""Figures next to a sentence: what was measured, with a link to the documentation of its probe."""

from collections.abc import Mapping, Sequence

from eyechart.findings.numbers import slice_text
from eyechart.report.html.builder import Child, a, bdi, span
from eyechart.verdict.advice import Advice
from eyechart.verdict.evidence import Figure
from eyechart.verdict.ruling import Ruling

NAMED = 4  # datasets that are named one by one


def open_clause(ruling: Ruling | Advice, docs: Mapping[str, str]) -> list[Child]:
    """An inconclusive ruling with its first figure."""
    return [bdi(ruling.sentence), " (", *separated(figure_list(ruling, docs, 1)), ")"]


def figure_list(ruling: Ruling | Advice, docs: Mapping[str, str], most: int) -> list[list[Child]]:
    """The first figures of a ruling, and how many more there are."""
    shown = [_figure(f, docs) for f in ruling.figures[:most]]
    more = len(ruling.figures) - most
    if more > 0:
        shown.append([f"and {more} more"])
    return shown


def within_limits(ruling: Ruling) -> list[str]:
    """Where the same metric is within its limits: other datasets, or slices of the datasets with a warning."""
    warned = {f.dataset for f in ruling.figures}
    names = (f"{f.dataset} ({slice_text(f.slice)})" if f.dataset in warned else f.dataset for f in ruling.against)
    return list(dict.fromkeys(names))


def within_limits_clause(ruling: Ruling) -> Child:
    names = within_limits(ruling)
    more = " and others" if len(names) > NAMED else None
    return ["; within the limit: ", *separated([bdi(name) for name in names[:NAMED]]), more] if names else None


def _figure(figure: Figure, docs: Mapping[str, str]) -> list[Child]:
    name: Child = bdi(figure.name)
    page = docs.get(figure.probe)
    return [
        a(name, href=page) if page else name,
        ": ",
        span(figure.text, class_="figure"),
        span(" on ", bdi(figure.dataset)),
        span("; ", bdi(figure.compared_text)) if figure.compared_text else None,
    ]


def separated(parts: Sequence[Child]) -> list[Child]:
    return [child for place, part in enumerate(parts) for child in ("; " if place else None, part)]
