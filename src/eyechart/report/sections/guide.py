"""The caption guide on the page: each sentence with the figures that decide it."""

from collections.abc import Mapping

from eyechart.report.html.builder import Child, Markup, bdi, div, h3, li, p, ul
from eyechart.report.sections.figures import figure_list, open_clause, separated
from eyechart.verdict.guide import Guide

FIGURES = 3  # shown per sentence
TITLE = "How to write captions and prompts for"


def guide_part(guide: Guide, docs: Mapping[str, str]) -> Markup:
    """The guide of one model.

    Args:
        guide: The guide.
        docs: Probe → documentation page.
    """
    about = "Advice that follows from the findings of this examination, with the figures that decide it."
    return div(h3(f"{TITLE} this model"), p(about, class_="sentence"), *_body(guide, docs), class_="captions-guide")


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
