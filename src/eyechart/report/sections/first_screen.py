"""The first screen: what was examined, the decision, the main number, six tiles, and failures as pictures."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from eyechart.findings.metric import Area
from eyechart.findings.numbers import format_interval, number_and_unit, slice_text
from eyechart.findings.run import Run
from eyechart.report.class_rows import class_rows
from eyechart.report.html.builder import Child, Markup, a, article, bdi, code, div, h2, h3, li, p, section, span, ul
from eyechart.report.picture_details import PictureDetail
from eyechart.report.picture_groups import Gallery
from eyechart.report.sections.axis import main_axis
from eyechart.report.sections.gauge import gauge
from eyechart.report.sections.picture_card import picture_card
from eyechart.report.summary import HeadlineRow, headline_rows
from eyechart.report.thumbnails import Place
from eyechart.report.view import View, view_key
from eyechart.verdict.evidence import Figure
from eyechart.verdict.ruling import NOT_JUDGED, Outcome, Ruling
from eyechart.verdict.verdict import Verdict

FAILURES = 12
TILES: tuple[tuple[str, Area], ...] = (
    ("Accuracy", "accuracy"),
    ("Worst class", "worst classes"),
    ("Calibration", "calibration"),
    ("Robustness", "robustness"),
    ("Out-of-distribution", "out-of-distribution"),
    ("Groups", "groups"),
)
SIGNS: dict[Outcome, str] = {"good": "✓", "bad": "✕", "inconclusive": "?", "not tested": "–"}
_CLASSES: dict[Outcome, str] = {"good": "is-good", "bad": "is-bad", "inconclusive": "is-open", "not tested": "is-untested"}
_ORDER: tuple[Outcome, ...] = ("bad", "inconclusive", "good", "not tested")


def badge(outcome: Outcome) -> Markup:
    """An outcome as a sign and a word: never by color alone."""
    return span(span(SIGNS[outcome], aria_hidden="true", class_="sign"), " ", outcome, class_=f"badge {_CLASSES[outcome]}")


def first_screen(
    run: Run,
    view: View,
    gallery: Gallery | None,
    details: Sequence[PictureDetail],
    thumbnails: dict[Place, str],
    docs: Mapping[str, str],
) -> Markup:
    worst: Outcome = min(view.verdict.areas.values(), key=_ORDER.index, default="not tested")
    weakest = _weakest(run, view, linked=gallery is not None)
    return section(
        div(
            div(
                p(view.verdict.decision, class_=f"decision {_CLASSES[worst]}"),
                _number(run, view, docs),
                class_="answer",
            ),
            ul(*(li(_tile(title, area, view, docs, weakest)) for title, area in TILES), class_="tiles"),
            class_="hero",
        ),
        _failures(view, gallery, details, thumbnails),
        id=f"{view.key}/top",
        class_="first-screen",
        tabindex=-1,
    )


def _number(run: Run, view: View, docs: Mapping[str, str]) -> Markup | None:
    figure = view.number
    if figure is None:
        rows = [r for r in headline_rows(run) if r.model == view.model and r.dataset == view.main and r.value is not None]
        return _headline(rows[0], docs) if rows else None
    number, unit = number_and_unit(figure.value, figure.unit)
    return div(
        p(_docs_link(figure.title, figure.probe, docs), " on ", bdi(figure.dataset), class_="metric"),
        p(
            span(number, span(unit, class_="sign"), class_="number"),
            span(f"95% CI {format_interval(figure.low, figure.high, figure.unit)}, n\u00a0=\u00a0{figure.n:,}", class_="quiet"),
            class_="figure-line",
        ),
        main_axis(figure),
        class_="main-number",
    )


def _headline(row: HeadlineRow, docs: Mapping[str, str]) -> Markup:
    """The first headline number of a dataset without an accuracy."""
    number, unit = number_and_unit(row.value, row.unit)
    facts = ", ".join(
        filter(None, [row.interval_text and f"95% CI {row.interval_text}", f"n\u00a0=\u00a0{row.n:,}", row.chance_text])
    )
    return div(
        p(_docs_link(row.title, row.probe, docs), " on ", bdi(row.dataset), class_="metric"),
        p(
            span(number, span(unit, class_="sign" if unit == "%" else "unit") if unit else None, class_="number"),
            span(facts, class_="quiet"),
            class_="figure-line",
        ),
        gauge(row),
        class_="main-number",
    )


def _docs_link(text: str, probe: str, docs: Mapping[str, str]) -> Markup:
    return a(bdi(text), href=docs[probe]) if probe in docs else span(bdi(text))


def _tile(title: str, area: Area, view: View, docs: Mapping[str, str], weakest: Markup | None) -> Markup:
    rulings = [(place, r) for place, r in enumerate(view.verdict.rulings) if r.area == area]
    place, ruling = min(rulings, key=lambda pair: _ORDER.index(pair[1].outcome), default=(None, None))
    if ruling is None or place is None:
        return article(h3(title), badge("not tested"), class_="tile is-untested")
    heading = h3(a(title, href=f"#{view.key}/ruling-{place}"))
    kind = f"tile {_CLASSES[ruling.outcome]}"
    if ruling.outcome == "not tested":
        how = p("Test it: ", code(ruling.remedy), class_="command") if ruling.remedy else p(ruling.sentence, class_="command")
        return article(heading, badge("not tested"), how, class_=kind)
    if ruling.not_judged:
        sign = span(span(SIGNS["inconclusive"], aria_hidden="true", class_="sign"), " not judged", class_="badge is-open")
        return article(heading, sign, *_not_judged(ruling), class_=kind)
    named = weakest if area == "worst classes" else None
    return article(heading, badge(ruling.outcome), *_tile_figure(ruling, view, docs), named, class_=kind)


def _not_judged(ruling: Ruling) -> list[Child]:
    """Why there is no judgment, and the figure in small print: it means nothing by itself."""
    reason = ruling.remedy.removeprefix(NOT_JUDGED)
    figure = ruling.figures[0]
    return [
        p(bdi(reason[:1].upper() + reason[1:]), class_="tile-about"),
        p(bdi(f"{figure.short} {figure.text}"), class_="tile-about quiet"),
    ]


def _weakest(run: Run, view: View, *, linked: bool) -> Markup | None:
    """The class with the lowest accuracy on the dataset that decides about classes, with a link to its errors.

    None where the deciding figure names the class itself.
    """
    figure = deciding_figure(view.verdict, "worst classes")
    rows = [] if figure is None or "class" in figure.where else class_rows(run, view.model, figure.dataset)
    if figure is None or not rows:
        return None
    row = rows[0]
    key, query = view_key(run, view.model, figure.dataset), {"true": row["class"], "show": "wrong"}
    address = f"#{key}/pictures?{urlencode(query, quote_via=quote)}"
    return p(
        "weakest: ", a(bdi(row["class"]), href=address) if linked else bdi(row["class"]), f" {row['text']}", class_="tile-about"
    )


def deciding_figure(verdict: Verdict, area: Area) -> Figure | None:
    """The figure that the worst ruling of an area rests on; None where there is none."""
    rulings = [r for r in verdict.rulings if r.area == area and r.figures]
    return min(rulings, key=lambda r: _ORDER.index(r.outcome)).figures[0] if rulings else None


def _tile_figure(ruling: Ruling, view: View, docs: Mapping[str, str]) -> list[Child]:
    if not ruling.figures:
        return []
    figure = ruling.figures[0]
    number, unit = number_and_unit(figure.value, figure.unit)
    where = [slice_text(figure.slice)] if figure.where else []
    where += [_dataset(ruling)] if view.dataset is None else []
    return [
        p(span(number, class_="tile-number"), unit if unit == "%" else f" {unit}", class_="tile-value"),
        p(
            _docs_link(figure.short, figure.probe, docs),
            f", {format_interval(figure.low, figure.high, figure.unit)}" if figure.low is not None else None,
            ", n\u00a0=\u00a0",
            f"{figure.n:,}",
            class_="tile-about",
        ),
        p(bdi(", ".join(where)), class_="tile-about quiet") if where else None,
    ]


def _dataset(ruling: Ruling) -> str:
    """The dataset of the deciding figure, and whether others are better."""
    name = ruling.figures[0].dataset
    judged = {f.dataset for f in (*ruling.figures, *ruling.against)}
    return f"{name}, the weakest of {len(judged)} datasets" if len(judged) > 1 and ruling.outcome != "inconclusive" else name


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
    title = _title(min(len(wrong), FAILURES), total, len(close))
    cards = [li(picture_card(d, view.main, thumbnails.get((view.main, d.id)))) for d in shown]
    link = a("See all", href=f"#{view.key}/pictures?{'show=wrong' if wrong else 'sort=margin'}")
    return div(
        div(h2(title, span(" on ", bdi(view.main), class_="quiet") if view.dataset is None else None), link, class_="line"),
        ul(*cards, class_="failures"),
        class_="failing",
    )
