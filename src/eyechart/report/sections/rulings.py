"""One row for each ruling: what it says, the figures on a line, pictures, and a link to the evidence."""

from collections.abc import Callable, Mapping

from eyechart.findings.run import Run
from eyechart.report.class_rows import class_rows
from eyechart.report.evidence_links import EvidenceLinks
from eyechart.report.html.builder import Child, Markup, a, article, bdi, code, div, h2, h3, li, p, section, ul
from eyechart.report.picture_details import NEIGHBORS, PictureDetail
from eyechart.report.sections.axis import ruling_chart
from eyechart.report.sections.figures import figure_list, separated, within_limits_clause
from eyechart.report.sections.picture_card import picture_card
from eyechart.report.sections.tiles import badge, read_more
from eyechart.report.thumbnails import Place, picture_ids, source
from eyechart.report.view import View
from eyechart.report.worst_class import ORDER
from eyechart.verdict.definition import OUTCOMES
from eyechart.verdict.evidence import Figure
from eyechart.verdict.ruling import Ruling

PICTURES = 3
FIRST = 60  # pictures among which three are looked for
FIGURES = 1
_WITHOUT_ERRORS = {"retrieval", "words and objects", "shape and texture"}  # areas that errors of a classifier do not illustrate

Details = Callable[[str, str], list[PictureDetail]]  # model and dataset → pictures to look at first


def rulings_section(
    run: Run,
    view: View,
    evidence: EvidenceLinks,
    details: Details,
    thumbnails: dict[Place, str],
    docs: Mapping[str, str],
) -> Markup | None:
    """The rows, the worst first.

    Args:
        run: The run.
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
        *(_row(run, view, evidence, place, ruling, details, thumbnails, docs) for place, ruling in rows),
        id=f"{view.key}/rulings",
        class_="rulings",
    )


def _row(
    run: Run,
    view: View,
    evidence: EvidenceLinks,
    place: int,
    ruling: Ruling,
    details: Details,
    thumbnails: dict[Place, str],
    docs: Mapping[str, str],
) -> Markup:
    sentence = f"It is inconclusive {ruling.sentence}." if ruling.outcome == "inconclusive" else ruling.sentence
    pictures = _pictures(run, view, ruling, details, thumbnails)
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
        ul(*(li(card) for card in pictures), class_="three") if pictures else None,
        id=f"{view.key}/ruling-{place}",
        class_=f"ruling {'with-pictures' if pictures else ''}".strip(),
    )


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


def _pictures(run: Run, view: View, ruling: Ruling, details: Details, thumbnails: dict[Place, str]) -> list[Markup]:
    """Three pictures: of the classes that the ruling is about, those that the probe shows, or errors of the dataset."""
    if not ruling.figures:
        return []
    figure = ruling.figures[0]
    known = [(d, figure.dataset) for d in details(view.model, figure.dataset)]
    errors = [(d, dataset) for d, dataset in known if d.wrong]
    named = _classes_of(run, view, figure)
    of_class = [(d, dataset) for d, dataset in known if d.true in named]
    shown = _of_probe(run, view, figure, thumbnails)
    if of_class:
        chosen = of_class
    elif ruling.area == "accuracy":
        chosen = [*errors, *known]
    else:
        chosen = [*shown, *([] if ruling.area in _WITHOUT_ERRORS else errors)]
    cards = {
        (dataset, d.id): picture_card(d, dataset, thumbnails[dataset, d.id])
        for d, dataset in chosen[:FIRST]
        if (dataset, d.id) in thumbnails
    }
    return list(cards.values())[:PICTURES]


def _classes_of(run: Run, view: View, figure: Figure) -> set[str]:
    """The class that a figure is about; of worst@k, the k worst classes."""
    if "class" in figure.where:
        return {str(figure.where["class"])}
    k = figure.where.get("k") if figure.metric == "worst_at_k" else None
    return {row["class"] for row in class_rows(run, view.model, figure.dataset)[:k]} if isinstance(k, int) else set()


def _of_probe(run: Run, view: View, figure: Figure, thumbnails: dict[Place, str]) -> list[tuple[PictureDetail, str]]:
    """The first pictures of the probe's own galleries."""
    found = []
    for placed in run.probe_exhibits(figure.probe):
        mine = (placed.model, placed.dataset) == (view.model, figure.dataset) and placed.exhibit.kind == "pictures"
        mine = mine and not placed.exhibit.name.startswith(NEIGHBORS)
        for row in placed.exhibit.table.slice(0, 2 * PICTURES).to_pylist() if mine else ():
            true = row.get("true") or row.get("class") or row.get("shows")
            taken = row.get("predicted") or row.get("predicted as") or row.get("nearest class")
            for id in picture_ids(row)[:1]:
                detail = PictureDetail(id, None if true is None else str(true), str(taken or true or id), (), (), "")
                if (source(row, placed), id) in thumbnails:
                    found.append((detail, source(row, placed)))
    return found
