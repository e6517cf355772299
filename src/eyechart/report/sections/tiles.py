"""The tiles of the first screen: one area each, with the number that it is judged by."""

from collections.abc import Mapping

from eyechart.findings.metric import Area
from eyechart.findings.numbers import format_interval, number_and_unit, slice_text
from eyechart.findings.run import Run
from eyechart.notice import counted
from eyechart.report.evidence_links import EvidenceLinks
from eyechart.report.html.builder import Child, Markup, a, article, bdi, code, h3, p, span
from eyechart.report.sections.worst_class_line import worst_class_line
from eyechart.report.view import View
from eyechart.report.worst_class import ORDER, worst_class
from eyechart.verdict.not_tested import PROBE_TO_READ
from eyechart.verdict.ruling import NOT_JUDGED, Outcome, Ruling

TILES: tuple[tuple[str, Area], ...] = (
    ("Accuracy", "accuracy"),
    ("Worst classes", "worst classes"),
    ("Calibration", "calibration"),
    ("Robustness", "robustness"),
    ("Out-of-distribution", "out-of-distribution"),
    ("Groups", "groups"),
)
SIGNS: dict[Outcome, str] = {"good": "✓", "bad": "✕", "inconclusive": "?", "not tested": "–"}
CLASSES: dict[Outcome, str] = {"good": "is-good", "bad": "is-bad", "inconclusive": "is-open", "not tested": "is-untested"}


def badge(outcome: Outcome) -> Markup:
    """An outcome as a sign and a word: never by color alone."""
    return span(span(SIGNS[outcome], aria_hidden="true", class_="sign"), " ", outcome, class_=f"badge {CLASSES[outcome]}")


def docs_link(text: str, probe: str, docs: Mapping[str, str]) -> Markup:
    return a(bdi(text), href=docs[probe]) if probe in docs else span(bdi(text))


def read_more(ruling: Ruling, docs: Mapping[str, str]) -> Markup | None:
    """Where nothing was measured: a link to what would be."""
    probe = PROBE_TO_READ.get(ruling.area, "")
    return a(f"What {probe} measures", href=docs[probe]) if probe in docs else None


def tile(
    title: str, area: Area, view: View, docs: Mapping[str, str], evidence: EvidenceLinks, worst: Markup | None = None
) -> Markup:
    """An area: its outcome and the number that decides it, which is a link to what it counts.

    Args:
        title: What the area is called.
        area: The area.
        view: The view.
        docs: Probe → documentation page.
        evidence: Where numbers are proved.
        worst: A line about the worst class, for the area of classes.
    """
    rulings = [(place, r) for place, r in enumerate(view.verdict.rulings) if r.area == area]
    place, ruling = min(rulings, key=lambda pair: ORDER.index(pair[1].outcome), default=(None, None))
    if ruling is None or place is None:
        return article(h3(title), badge("not tested"), class_="tile is-untested")
    heading = h3(a(title, href=f"#{view.key}/ruling-{place}"))
    kind = f"tile {CLASSES[ruling.outcome]}"
    if ruling.outcome == "not tested":
        how = p("Test it: ", _command(ruling.remedy), class_="command") if ruling.remedy else p(ruling.sentence, class_="command")
        return article(heading, badge("not tested"), how, p(read_more(ruling, docs), class_="tile-about"), class_=kind)
    if ruling.not_judged:
        sign = span(span(SIGNS["inconclusive"], aria_hidden="true", class_="sign"), " not judged", class_="badge is-open")
        return article(heading, sign, *_not_judged(ruling, docs), class_=kind)
    return article(heading, badge(ruling.outcome), *_tile_figure(ruling, view, docs, evidence), worst, class_=kind)


def _command(text: str) -> Markup:
    """A command in which no word is broken: not after the hyphens of an option either."""
    return code(*(part for word in text.split(" ") for part in (span(word, class_="word"), " ")))


def _not_judged(ruling: Ruling, docs: Mapping[str, str]) -> list[Child]:
    """Why there is no judgment, and the figure in small print: it means nothing by itself."""
    reason = ruling.remedy.removeprefix(NOT_JUDGED)
    figure = ruling.figures[0]
    return [
        p(bdi(reason[:1].upper() + reason[1:]), class_="tile-about"),
        p(docs_link(figure.short, figure.probe, docs), bdi(f" {figure.text}"), class_="tile-about quiet"),
    ]


def worst_class_note(run: Run, view: View, *, linked: bool) -> Markup | None:
    """The worst class with a link to its errors; where the number of the tile is its accuracy, how many others have the same.

    Args:
        run: The run.
        view: The view.
        linked: Whether the page has the pictures.
    """
    found = worst_class(run, view.model, view.verdict)
    if found is None:
        return None
    if found.is_figure:
        same = counted(found.ties, "other class has", "other classes have")
        return p(f"{same} the same accuracy", class_="tile-about quiet") if found.ties else None
    return p("worst class: ", *worst_class_line(run, view, found, linked=linked), class_="tile-about")


def _tile_figure(ruling: Ruling, view: View, docs: Mapping[str, str], evidence: EvidenceLinks) -> list[Child]:
    if not ruling.figures:
        return []
    figure = ruling.figures[0]
    number, unit = number_and_unit(figure.value, figure.unit)
    where = [slice_text(figure.slice)] if figure.where else []
    where += [_dataset(ruling)] if view.dataset is None else []
    return [
        p(
            a(span(number, class_="tile-number"), unit if unit == "%" else f" {unit}", href=evidence.of(view, figure)),
            class_="tile-value",
        ),
        p(
            docs_link(figure.short, figure.probe, docs),
            f", {format_interval(figure.low, figure.high, figure.unit)}" if figure.low is not None else None,
            ", n\u00a0=\u00a0",
            figure.short_size_text,
            class_="tile-about",
        ),
        p(bdi(", ".join(where)), class_="tile-about quiet") if where else None,
    ]


def _dataset(ruling: Ruling) -> str:
    """The dataset of the deciding figure, and whether others are better."""
    name = ruling.figures[0].dataset
    judged = {f.dataset for f in (*ruling.figures, *ruling.against)}
    return f"{name}, the weakest of {len(judged)} datasets" if len(judged) > 1 and ruling.outcome != "inconclusive" else name
