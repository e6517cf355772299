"""The guide on the page and in Markdown: each sentence with the figures that decide it, and a link to them."""

from collections.abc import Mapping, Sequence

from eyechart.report.html.builder import Child, Markup, bdi, details, div, h2, h3, li, p, section, summary, ul
from eyechart.report.sections.cited import asked, cited, separated
from eyechart.verdict.guide import Guide

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
    advice = [li(p(bdi(r.sentence)), *(p(*f, class_="quiet") for f in cited(r, anchors, FIGURES))) for r in guide.advice]
    return [
        ul(*advice, class_="guide") if advice else p("The findings decide nothing that advice could come from.", class_="quiet"),
        p("Not decided: ", *separated([asked(r, anchors) for r in guide.inconclusive]), ".", class_="quiet undecided")
        if guide.inconclusive
        else None,
    ]
