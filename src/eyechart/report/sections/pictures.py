"""The gallery of an exhibit: a card for each row, with pictures that enlarge."""

from typing import Any

from eyechart.findings.exhibit import PlacedExhibit
from eyechart.report.html.builder import Child, Markup, bdi, button, dd, div, dl, dt, figcaption, figure, img, li, p, span, ul
from eyechart.report.html.drawing import NO_FACTS, cell, units_of
from eyechart.report.thumbnails import SHOWN, Place, drawn_place, picture_ids, source

LONG = 24  # characters; longer texts get their own line
PAIRS = (("true", "predicted"), ("class", "predicted as"))  # columns that together title a card


def gallery(placed: PlacedExhibit, thumbnails: dict[Place, str]) -> Markup:
    """A card for each row: its pictures, then the other columns; a class and its prediction become A → B."""
    table = placed.exhibit.table
    units = units_of(table)
    cards = [li(_card(row, units, source(row, placed), thumbnails)) for row in table.slice(0, SHOWN).to_pylist()]
    more = table.num_rows - SHOWN
    kind = "gallery drawn" if "drawn" in table.column_names else "gallery" if "ids" in table.column_names else "gallery singles"
    return div(ul(*cards, class_=kind), p(f"and {more} more in the exhibit's file", class_="quiet") if more > 0 else None)


def _card(row: dict[str, Any], units: dict[str, str], dataset: str, thumbnails: dict[Place, str]) -> Markup:
    ids = picture_ids(row)
    shown = [_thumbnail(i, thumbnails.get((dataset, i)), dataset) for i in ids]
    if isinstance(row.get("drawn"), bytes):
        shown.append(_thumbnail("drawn by the probe", thumbnails.get(drawn_place(row["drawn"]))))
    strip = div(*shown, class_="strip")
    facts = {k: v for k, v in row.items() if k not in NO_FACTS and v not in (None, "")}
    title: Child = None
    pair = next((pair for pair in PAIRS if facts.keys() >= set(pair)), None)
    if pair:
        true, taken = (bdi(str(facts.pop(column))) for column in pair)
        title = p(true, span(" → ", class_="arrow", role="img", aria_label="predicted as"), taken, class_="pair")
    elif len(ids) == 1 and not facts:
        title = p(bdi(ids[0]))
    return figure(strip, figcaption(title, _facts(facts, units)))


def _facts(facts: dict[str, Any], units: dict[str, str]) -> Markup | None:
    if not facts:
        return None
    texts = {column.replace("_", " "): cell(value, units[column]) for column, value in facts.items()}
    return dl(*(div(dt(name), dd(bdi(text)), class_="long" if len(text) > LONG else None) for name, text in texts.items()))


def _thumbnail(identity: str, place: str | None, dataset: str = "") -> Markup:
    if place is None:
        return span(bdi(identity), class_="no-picture", title="there is no thumbnail of this picture")
    picture = img(src=place, alt="", loading="lazy", decoding="async", width=104, height=104)
    about = {"data_id": identity, "data_dataset": dataset or None, "data_source": place}
    return button(picture, type="button", class_="enlarge", title=identity, aria_label=f"Enlarge {identity}", **about)
