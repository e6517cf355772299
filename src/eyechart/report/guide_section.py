"""The guide on the page and in Markdown: each sentence with the figures that decide it, and a link to them."""

from collections.abc import Mapping, Sequence

from eyechart.report.evidence import Figure
from eyechart.report.guide import Guide
from eyechart.report.html import Child, Markup, a, bdi, details, div, h2, h3, li, p, section, span, summary, ul
from eyechart.report.rulings import Ruling

OPEN_GUIDES = 4  # models whose guide is seen without opening anything
FIGURES = 3  # of one sentence that are shown; the others are among the findings
TITLE = "How to write captions and prompts for"


def guide_section(made: Sequence[Guide], anchors: Mapping[str, str], *, several: bool) -> Markup | None:
    """`anchors`: where on the page each probe answers. `several`: whether the page is about more models than one."""
    if not made:
        return None
    parts: list[Child] = []
    for place, guide in enumerate(made):
        if place < OPEN_GUIDES:
            parts.append(div(h3(bdi(guide.model)) if several else None, _body(guide, anchors), class_="group"))
        else:
            parts.append(details(summary(bdi(guide.model)), _body(guide, anchors), class_="group"))
    told = "Only what the findings of this examination decide, each with the figure that decides it."
    title = f"{TITLE} {'these models' if several else 'this model'}"
    return section(h2(title), p(told, class_="sentence"), *parts, id="guide")


def _body(guide: Guide, anchors: Mapping[str, str]) -> list[Child]:
    advice = [li(p(bdi(r.sentence)), *(p(*f, class_="quiet") for f in _cited(r, anchors))) for r in guide.advice]
    return [
        ul(*advice, class_="guide") if advice else p("The findings decide nothing that advice could come from.", class_="quiet"),
        p("Not decided: ", *_separated([_asked(r, anchors) for r in guide.undecided]), ".", class_="quiet undecided")
        if guide.undecided
        else None,
    ]


def _asked(ruling: Ruling, anchors: Mapping[str, str]) -> list[Child]:
    return [bdi(ruling.sentence), " (", *_separated(_cited(ruling, anchors, 1)), ")"]


def _cited(ruling: Ruling, anchors: Mapping[str, str], most: int = FIGURES) -> list[list[Child]]:
    cited = [_figure(f, anchors) for f in ruling.figures[:most]]
    more = len(ruling.figures) - most
    if more > 0:
        cited.append([f"and {more} more like it"])
    return cited


def _figure(figure: Figure, anchors: Mapping[str, str]) -> list[Child]:
    name: Child = bdi(figure.name)
    anchor = anchors.get(figure.probe)
    return [
        a(name, href=f"#{anchor}") if anchor else name,
        ": ",
        span(figure.text, class_="figure"),
        span(" on ", bdi(figure.dataset)),
    ]


def _separated(parts: Sequence[Child]) -> list[Child]:
    return [child for place, part in enumerate(parts) for child in ("; " if place else None, part)]
