"""The verdict on the page: what to know first, then what holds, then what is not decided."""

from collections.abc import Mapping, Sequence

from eyechart.report.html.builder import Child, Markup, bdi, details, div, h2, h3, h4, li, p, section, summary, ul
from eyechart.report.sections.cited import asked, cited, contrary, separated
from eyechart.verdict.rulings import Ruling
from eyechart.verdict.verdict import Verdict

OPEN_VERDICTS = 3  # models of which all verdicts are seen without opening anything; of more, how many warnings each has
WARNED, HELD = 2, 1  # figures shown beside a warning, and beside what holds


def verdict_section(made: Sequence[Verdict], anchors: Mapping[str, str], *, several: bool) -> Markup | None:
    """`anchors`: where on the page each probe answers. `several`: whether the page is about more models than one."""
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
    told = (
        "What to know before relying on the model. A warning stands where the whole 95% interval of a dataset lies beyond the "
        "limit that the sentence names (of right answers and weakest classes: what chance gives); other stakes may ask for "
        "other limits."
    )
    return section(h2("At a glance"), p(told, class_="sentence"), *parts, id="verdict")


def _count(verdict: Verdict) -> str:
    return f"({len(verdict.bad)} to watch, {len(verdict.good)} that hold)"


def _body(verdict: Verdict, anchors: Mapping[str, str]) -> list[Child]:
    warned = _listed("Watch out", verdict.bad, anchors, WARNED, "warns")
    return [
        warned if verdict.bad else p("Nothing that was asked gives a warning."),
        _listed("What holds", verdict.good, anchors, HELD, "holds") if verdict.good else None,
        p("Not decided: ", *separated([asked(r, anchors) for r in verdict.inconclusive]), ".", class_="quiet undecided")
        if verdict.inconclusive
        else None,
    ]


def _listed(title: str, rulings: Sequence[Ruling], anchors: Mapping[str, str], most: int, kind: str) -> Markup:
    lines = [li(p(bdi(r.sentence)), p(*separated(cited(r, anchors, most)), contrary(r), class_="quiet")) for r in rulings]
    return div(h4(f"{title} ({len(rulings)})"), ul(*lines, class_="guide"), class_=kind)
