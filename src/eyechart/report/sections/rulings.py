"""One row for each ruling: what it says, the figures on a line, pictures, and a link to the evidence."""

from collections.abc import Mapping

from eyechart.report.evidence_links import EvidenceLinks
from eyechart.report.html.builder import Child, Markup, a, article, bdi, code, div, h2, h3, li, p, section, ul
from eyechart.report.ruling_pictures import Details, ShownPicture, ruling_pictures
from eyechart.report.sections.axis import ruling_chart
from eyechart.report.sections.figures import figure_list, separated, within_limits_clause
from eyechart.report.sections.picture_card import picture_card
from eyechart.report.sections.tiles import badge, read_more
from eyechart.report.thumbnails import Place
from eyechart.report.view import View
from eyechart.report.worst_class import ORDER
from eyechart.verdict.definition import OUTCOMES
from eyechart.verdict.ruling import Ruling

FIGURES = 1


def rulings_section(
    view: View,
    evidence: EvidenceLinks,
    details: Details,
    thumbnails: dict[Place, str],
    docs: Mapping[str, str],
) -> Markup | None:
    """The rows, the worst first.

    Args:
        view: The view.
        evidence: Where numbers are proved.
        details: The pictures of a model on a dataset.
        thumbnails: Picture → file.
        docs: Probe → documentation page.
    """
    if not view.verdict.rulings:
        return None
    rows = sorted(enumerate(view.verdict.rulings), key=lambda pair: ORDER.index(pair[1].outcome))
    return section(
        h2("Verdict"),
        p(OUTCOMES, class_="sentence"),
        *(_row(view, evidence, place, ruling, details, thumbnails, docs) for place, ruling in rows),
        id=f"{view.key}/rulings",
        class_="rulings",
    )


def _row(
    view: View,
    evidence: EvidenceLinks,
    place: int,
    ruling: Ruling,
    details: Details,
    thumbnails: dict[Place, str],
    docs: Mapping[str, str],
) -> Markup:
    sentence = f"It is inconclusive {ruling.sentence}." if ruling.outcome == "inconclusive" else ruling.sentence
    pictures, reason = ruling_pictures(view, ruling, evidence, details, thumbnails)
    return article(
        div(
            p(badge(ruling.outcome), " ", bdi(ruling.area), class_="of-area"),
            h3(bdi(sentence)),
            p(*separated(figure_list(ruling, docs, FIGURES)), within_limits_clause(ruling), class_="quiet")
            if ruling.figures
            else None,
            p(*_remedy(ruling), class_="quiet") if ruling.remedy else None,
            p(*_links(view, evidence, ruling, docs), class_="links"),
        ),
        ruling_chart(ruling.figures),
        ul(*(li(_card(one, thumbnails)) for one in pictures), class_="three") if pictures else None,
        p(reason, class_="quiet no-pictures") if reason else None,
        id=f"{view.key}/ruling-{place}",
        class_=f"ruling {'with-pictures' if pictures else ''}".strip(),
    )


def _card(one: ShownPicture, thumbnails: dict[Place, str]) -> Markup:
    source = thumbnails[one.dataset, one.detail.id]
    return picture_card(one.detail, one.dataset, source, gallery=one.gallery, row=one.row, facts=one.facts)


def _remedy(ruling: Ruling) -> list[Child]:
    return ["Test it: ", code(ruling.remedy)] if ruling.outcome == "not tested" else [bdi(ruling.remedy)]


def _links(view: View, evidence: EvidenceLinks, ruling: Ruling, docs: Mapping[str, str]) -> list[Child]:
    if not ruling.figures:
        return [read_more(ruling, docs)]
    figure = ruling.figures[0]
    links: list[Child] = [a("See all", href=evidence.of(view, figure))]
    if figure.probe in docs:
        links += [" · ", a(f"What {figure.probe} measures", href=docs[figure.probe])]
    return links
