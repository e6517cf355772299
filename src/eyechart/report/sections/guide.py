"""The caption guide on the page: each sentence with the figures that decide it."""

from collections.abc import Mapping, Sequence

from eyechart.report.html.builder import Child, Markup, bdi, details, div, h2, h3, li, p, section, summary, ul
from eyechart.report.sections.figures import figure_list, open_clause, separated
from eyechart.verdict.guide import Guide

OPEN_GUIDES = 4  # models with an unfolded guide
FIGURES = 3  # shown per sentence
TITLE = "How to write captions and prompts for"


def guide_section(made: Sequence[Guide], anchors: Mapping[str, str], *, several: bool) -> Markup | None:
    """The section, or None without advice.

    Args:
        made: The guides.
        anchors: Probe → its anchor on the page.
        several: Whether the page is about several models.
    """
    if not made:
        return None
    parts: list[Child] = []
    for place, guide in enumerate(made):
        if place < OPEN_GUIDES:
            parts.append(div(h3(bdi(guide.model)) if several else None, _body(guide, anchors), class_="group"))
        else:
            parts.append(details(summary(bdi(guide.model)), _body(guide, anchors), class_="group"))
    about = "Advice that follows from the findings of this examination, with the figures that decide it."
    title = f"{TITLE} {'these models' if several else 'this model'}"
    return section(h2(title), p(about, class_="sentence"), *parts, id="guide")


def _body(guide: Guide, anchors: Mapping[str, str]) -> list[Child]:
    advice = [li(p(bdi(r.sentence)), *(p(*f, class_="quiet") for f in figure_list(r, anchors, FIGURES))) for r in guide.advice]
    return [
        ul(*advice, class_="guide")
        if advice
        else p("The findings decide none of the questions that the guide covers.", class_="quiet"),
        p("Inconclusive: ", *separated([open_clause(r, anchors) for r in guide.inconclusive]), ".", class_="quiet undecided")
        if guide.inconclusive
        else None,
    ]
