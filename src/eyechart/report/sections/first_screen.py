"""The first screen: what was examined, the decision, the main number, six tiles, and failures as pictures."""

from collections.abc import Mapping, Sequence

from eyechart.findings.numbers import format_interval, number_and_unit
from eyechart.findings.ood_score_kind import FREE_ANSWER
from eyechart.findings.run import Run
from eyechart.notice import counted
from eyechart.report.evidence_links import EvidenceLinks
from eyechart.report.html.builder import Markup, a, bdi, div, h2, li, p, section, span, ul
from eyechart.report.picture_details import PictureDetail
from eyechart.report.picture_groups import Gallery
from eyechart.report.sections.axis import main_axis
from eyechart.report.sections.gauge import gauge
from eyechart.report.sections.picture_card import picture_card
from eyechart.report.sections.tiles import CLASSES, TILES, docs_link, tile, worst_class_note
from eyechart.report.summary import HeadlineRow, headline_rows
from eyechart.report.thumbnails import Place
from eyechart.report.view import View
from eyechart.report.worst_class import ORDER
from eyechart.verdict.ruling import Outcome

FAILURES = 12


def first_screen(
    run: Run,
    view: View,
    gallery: Gallery | None,
    details: Sequence[PictureDetail],
    thumbnails: dict[Place, str],
    docs: Mapping[str, str],
    evidence: EvidenceLinks,
) -> Markup:
    outcome: Outcome = min(view.verdict.areas.values(), key=ORDER.index, default="not tested")
    notes = {"worst classes": worst_class_note(run, view, linked=gallery is not None)}
    return section(
        div(
            div(
                p(view.verdict.decision, class_=f"decision {CLASSES[outcome]}"),
                _number(run, view, docs, evidence),
                class_="answer",
            ),
            ul(*(li(tile(title, area, view, docs, evidence, notes.get(area))) for title, area in TILES), class_="tiles"),
            class_="hero",
        ),
        _failures(view, gallery, details, thumbnails),
        id=f"{view.key}/top",
        class_="first-screen",
        tabindex=-1,
    )


def _number(run: Run, view: View, docs: Mapping[str, str], evidence: EvidenceLinks) -> Markup | None:
    figure = view.number
    if figure is None:
        rows = [r for r in headline_rows(run) if r.model == view.model and r.dataset == view.main and r.value is not None]
        return _headline(view, rows[0], docs, evidence) if rows else None
    number, unit = number_and_unit(figure.value, figure.unit)
    return div(
        p(docs_link(figure.title, figure.probe, docs), " on ", bdi(figure.dataset), class_="metric"),
        p(
            a(number, span(unit, class_="sign"), href=evidence.of(view, figure), class_="number"),
            span(
                f"95% CI {format_interval(figure.low, figure.high, figure.unit)}, n\u00a0=\u00a0{figure.size_text}",
                class_="quiet",
            ),
            class_="figure-line",
        ),
        main_axis(figure),
        class_="main-number",
    )


def _headline(view: View, row: HeadlineRow, docs: Mapping[str, str], evidence: EvidenceLinks) -> Markup:
    """The first headline number of a dataset without an accuracy."""
    number, unit = number_and_unit(row.value, row.unit)
    facts = ", ".join(
        filter(None, [row.interval_text and f"95% CI {row.interval_text}", f"n\u00a0=\u00a0{row.size_text}", row.chance_text])
    )
    return div(
        p(docs_link(row.title, row.probe, docs), " on ", bdi(row.dataset), class_="metric"),
        p(
            a(
                number,
                span(unit, class_="sign" if unit == "%" else "unit") if unit else None,
                href=evidence.of(view, row),
                class_="number",
            ),
            span(facts, class_="quiet"),
            class_="figure-line",
        ),
        gauge(row),
        class_="main-number",
    )


def _title(errors: int, total: int, close: int) -> str:
    """What the pictures are: errors, and where there are fewer than places, the correct predictions with the smallest margin."""
    decisions = f"the {close} closest correct predictions" if close > 1 else "the closest correct prediction"
    if total > errors:
        return f"{errors} of {total:,} errors"
    if not total:
        return f"No errors; {decisions}"
    every = "The only error" if total == 1 else f"All {total} errors"
    return f"{every}, and {decisions}" if close else every


def _failures(
    view: View, gallery: Gallery | None, details: Sequence[PictureDetail], thumbnails: dict[Place, str]
) -> Markup | None:
    if view.main is None or not details:
        return None
    wrong = [d for d in details if d.wrong]
    close = [d for d in details if not d.wrong][: FAILURES - len(wrong)] if len(wrong) < FAILURES else []
    shown = [*wrong[:FAILURES], *close]
    total = gallery.wrong if gallery is not None else len(wrong)
    if all(d.true is None for d in details):
        title = f"No labels; the {counted(len(close), 'prediction')} with the smallest margin"
    else:
        title = _title(min(len(wrong), FAILURES), total, len(close))
        if gallery is not None and gallery.group.prompts == FREE_ANSWER:
            title = f"{FREE_ANSWER.capitalize()}s: {title[:1].lower()}{title[1:]}"
    cards = [li(picture_card(d, view.main, thumbnails.get((view.main, d.id)))) for d in shown]
    link = a("See all", href=f"#{view.key}/pictures?{'show=wrong' if wrong else 'sort=margin'}")
    return div(
        div(h2(title, span(" on ", bdi(view.main), class_="quiet") if view.dataset is None else None), link, class_="line"),
        ul(*cards, class_="failures"),
        class_="failing",
    )
