"""Thumbnails of the pictures in exhibits, each written once next to the page."""

import hashlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.exhibit import PlacedExhibit
from eyechart.findings.run import Run
from eyechart.report.html.builder import Child, Markup, bdi, dd, div, dl, dt, figcaption, figure, img, li, p, span, ul
from eyechart.report.html.drawing import cell, units_of

Place = tuple[str, str]  # dataset and id
SHOWN = 60  # cards in a gallery
IN_A_CARD = 6  # pictures in a card
LONG = 24  # characters; longer texts get their own line
PAIRS = (("true", "predicted"), ("class", "predicted as"))  # columns that together title a card


def picture_ids(row: dict[str, Any]) -> list[str]:
    ids = row.get("ids")
    if ids is None:
        ids = [row.get("id")]
    return [str(i) for i in ids if i is not None][:IN_A_CARD]


def source(row: dict[str, Any], placed: PlacedExhibit) -> str:
    """The dataset that a row's pictures come from."""
    return str(row.get("dataset") or placed.dataset)


def write_thumbnails(run: Run, folder: Path) -> dict[Place, str]:
    """Write the thumbnails of all galleries; picture → its path relative to the page."""
    wanted: dict[str, set[str]] = defaultdict(set)
    places: dict[Place, str] = {}
    for placed in run.exhibits:
        if placed.exhibit.kind == "pictures":
            for row in placed.exhibit.table.slice(0, SHOWN).to_pylist():
                wanted[source(row, placed)].update(picture_ids(row))
                if isinstance(row.get("drawn"), bytes):
                    places[_drawn(row["drawn"])] = _write(row["drawn"], folder)
    for placed in run.exam_exhibits("pictures"):
        table = placed.exhibit.table
        for dataset, ids in wanted.items():
            mine = pc.and_(pc.equal(table["dataset"], dataset), pc.is_in(table["id"], pa.array(sorted(ids), pa.string())))
            for row in table.select(["id", "jpeg"]).filter(mine).to_pylist():
                if row["jpeg"]:
                    places[dataset, row["id"]] = _write(row["jpeg"], folder)
    return places


def _drawn(jpeg: bytes) -> Place:
    """The key of a picture that belongs to no dataset."""
    return "", hashlib.sha256(jpeg).hexdigest()[:20]


def _write(jpeg: bytes, folder: Path) -> str:
    # Named by content: an id is user text and no file name, and equal pictures share a file.
    name = f"{_drawn(jpeg)[1]}.jpg"
    folder.mkdir(exist_ok=True)
    if not (folder / name).exists():
        (folder / name).write_bytes(jpeg)
    return f"{folder.name}/{name}"


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
    shown = [_thumbnail(i, thumbnails.get((dataset, i))) for i in ids]
    if isinstance(row.get("drawn"), bytes):
        shown.append(_thumbnail("drawn by the probe", thumbnails.get(_drawn(row["drawn"]))))
    strip = div(*shown, class_="strip")
    facts = {k: v for k, v in row.items() if k not in {"id", "ids", "dataset", "drawn"}}
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


def _thumbnail(identity: str, place: str | None) -> Markup:
    if place is None:
        return span(bdi(identity), class_="no-picture", title="there is no thumbnail of this picture")
    return img(src=place, alt=identity, title=identity, loading="lazy", decoding="async", width=104, height=104)
