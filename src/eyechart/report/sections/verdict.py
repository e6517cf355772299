"""The verdict on the page: what is bad, what is good and what is inconclusive."""

from collections.abc import Mapping, Sequence

from eyechart.notice import counted
from eyechart.report.html.builder import Child, Markup, bdi, details, div, h2, h3, h4, li, p, section, summary, ul
from eyechart.report.sections.figures import figure_list, open_clause, separated, within_limits_clause
from eyechart.verdict.rulings import Ruling
from eyechart.verdict.verdict import Verdict

OPEN_VERDICTS = 3  # up to so many models, verdicts are unfolded
BAD_FIGURES, GOOD_FIGURES = 2, 1  # shown per sentence


def verdict_section(made: Sequence[Verdict], anchors: Mapping[str, str], *, several: bool) -> Markup | None:
    """The section, or None without a verdict.

    Args:
        made: The verdicts.
        anchors: Probe → its anchor on the page.
        several: Whether the page is about several models.
    """
    if not made:
        return None
    parts: list[Child] = []
    for verdict in made:
        body = _body(verdict, anchors)
        if not several:
            parts.append(div(*body, class_="group"))
        elif len(made) <= OPEN_VERDICTS:
            parts.append(div(h3(bdi(verdict.model), " ", _count(verdict)), *body, class_="group"))
        else:
            parts.append(details(summary(bdi(verdict.model), " ", _count(verdict)), *body, class_="group"))
    about = (
        "What to know before relying on the model. A result is bad where the 95% interval of a dataset is entirely outside the "
        "stated limit (accuracy: not entirely above chance), good where the intervals of all datasets are inside it, and "
        "inconclusive otherwise. Your application may need other limits."
    )
    return section(h2("Verdict"), p(about, class_="sentence"), *parts, id="verdict")


def _count(verdict: Verdict) -> str:
    return f"({counted(len(verdict.bad), 'warning')}, {len(verdict.good)} good, {len(verdict.inconclusive)} inconclusive)"


def _body(verdict: Verdict, anchors: Mapping[str, str]) -> list[Child]:
    inconclusive = separated([open_clause(r, anchors) for r in verdict.inconclusive])
    return [
        _listed("Bad", verdict.bad, anchors, BAD_FIGURES, "bad") if verdict.bad else p("Nothing is bad."),
        _listed("Good", verdict.good, anchors, GOOD_FIGURES, "good") if verdict.good else None,
        p("Inconclusive: ", *inconclusive, ".", class_="quiet undecided") if verdict.inconclusive else None,
    ]


def _listed(title: str, rulings: Sequence[Ruling], anchors: Mapping[str, str], most: int, kind: str) -> Markup:
    lines = [
        li(p(bdi(r.sentence)), p(*separated(figure_list(r, anchors, most)), within_limits_clause(r), class_="quiet"))
        for r in rulings
    ]
    return div(h4(f"{title} ({len(rulings)})"), ul(*lines, class_="guide"), class_=kind)
