"""The verdict on the page: what is bad, good, inconclusive and not tested."""

from collections.abc import Mapping, Sequence

from eyechart.notice import counted
from eyechart.report.html.builder import Child, Markup, bdi, code, details, div, h2, h3, h4, li, p, section, summary, ul
from eyechart.report.sections.figures import figure_list, separated, within_limits_clause
from eyechart.verdict.ruling import Ruling
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
        "What to know before relying on the model. A result is bad where the 95% interval of a dataset is entirely beyond its "
        "target, good where the intervals of all datasets are within it, and inconclusive otherwise. Targets are defaults unless "
        "you set them (--target top1=0.8)."
    )
    return section(h2("Verdict"), p(about, class_="sentence"), *parts, id="verdict")


def _count(verdict: Verdict) -> str:
    return f"({counted(len(verdict.bad), 'warning')}, {len(verdict.good)} good, {len(verdict.inconclusive)} inconclusive)"


def _body(verdict: Verdict, anchors: Mapping[str, str]) -> list[Child]:
    return [
        p(verdict.decision),
        _listed("Bad", verdict.bad, anchors, BAD_FIGURES, "bad") if verdict.bad else None,
        _listed("Good", verdict.good, anchors, GOOD_FIGURES, "good") if verdict.good else None,
        _listed("Inconclusive", verdict.inconclusive, anchors, GOOD_FIGURES, "undecided") if verdict.inconclusive else None,
        _listed("Not tested", verdict.not_tested, anchors, 0, "undecided") if verdict.not_tested else None,
    ]


def _listed(title: str, rulings: Sequence[Ruling], anchors: Mapping[str, str], most: int, kind: str) -> Markup:
    lines = [
        li(
            p(bdi(_sentence(r))),
            p(*separated(figure_list(r, anchors, most)), within_limits_clause(r), class_="quiet") if most else None,
            p(_remedy(r), class_="quiet") if r.remedy else None,
        )
        for r in rulings
    ]
    return div(h4(f"{title} ({len(rulings)})"), ul(*lines, class_="guide"), class_=kind)


def _sentence(ruling: Ruling) -> str:
    return f"It is inconclusive {ruling.sentence}." if ruling.outcome == "inconclusive" else ruling.sentence


def _remedy(ruling: Ruling) -> list[Child]:
    return ["Test it: ", code(ruling.remedy)] if ruling.outcome == "not tested" else [bdi(ruling.remedy)]
