"""Figures beside a sentence: what was measured, with a link to where the page answers it."""

from collections.abc import Mapping, Sequence

from eyechart.findings.numbers import slice_text
from eyechart.report.html.builder import Child, a, bdi, span
from eyechart.verdict.evidence import Figure
from eyechart.verdict.rulings import Ruling

NAMED = 4  # datasets that are named one by one


def asked(ruling: Ruling, anchors: Mapping[str, str]) -> list[Child]:
    return [bdi(ruling.sentence), " (", *separated(cited(ruling, anchors, 1)), ")"]


def cited(ruling: Ruling, anchors: Mapping[str, str], most: int) -> list[list[Child]]:
    cited = [_figure(f, anchors) for f in ruling.figures[:most]]
    more = len(ruling.figures) - most
    if more > 0:
        cited.append([f"and {more} more like it"])
    return cited


def within(ruling: Ruling) -> list[str]:
    """Where it is surely otherwise, lest one dataset of many speaks for all: datasets, or slices of those warned of."""
    warned = {f.dataset for f in ruling.figures}
    names = (f"{f.dataset} ({slice_text(f.slice)})" if f.dataset in warned else f.dataset for f in ruling.against)
    return list(dict.fromkeys(names))


def contrary(ruling: Ruling) -> Child:
    names = within(ruling)
    more = " and others" if len(names) > NAMED else None
    return ["; surely within the limit: ", *separated([bdi(name) for name in names[:NAMED]]), more] if names else None


def _figure(figure: Figure, anchors: Mapping[str, str]) -> list[Child]:
    name: Child = bdi(figure.name)
    anchor = anchors.get(figure.probe)
    return [
        a(name, href=f"#{anchor}") if anchor else name,
        ": ",
        span(figure.text, class_="figure"),
        span(" on ", bdi(figure.dataset)),
    ]


def separated(parts: Sequence[Child]) -> list[Child]:
    return [child for place, part in enumerate(parts) for child in ("; " if place else None, part)]
