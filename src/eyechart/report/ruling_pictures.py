"""The pictures beside a ruling: those that it is about, or the reason why there are none."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.attributes import UNSHIFTED, has_attribute
from eyechart.findings.run import Run
from eyechart.report.class_rows import class_rows
from eyechart.report.evidence_links import EvidenceLinks
from eyechart.report.html.drawing import row_facts, units_of
from eyechart.report.missed_queries import MissedQueries
from eyechart.report.picture_details import NEIGHBORS, PictureDetail
from eyechart.report.picture_groups import Gallery
from eyechart.report.thumbnails import Place, picture_ids, source
from eyechart.report.view import View
from eyechart.verdict.evidence import Figure
from eyechart.verdict.ruling import Ruling

PICTURES = 3
FIRST = 60  # pictures among which three are looked for
NO_COPIES = "The run keeps no small copies of the pictures that this is about; “See all” leads to what it has."
_WITHOUT_ERRORS = {"retrieval", "words and objects", "shape and texture"}  # areas that errors of a classifier do not illustrate
_SHIFTS = ("corruption", "shift")  # slice keys that name a shift, or a shifted dataset

Details = Callable[[str, str], list[PictureDetail]]  # model and dataset → pictures to look at first


@dataclass(frozen=True)
class ShownPicture:
    """A picture beside a ruling.

    detail: The picture with what was predicted, or with its caption and what was preferred.
    dataset: Its dataset.
    gallery: The gallery that has its row; None for that of its dataset.
    row: Its id in that gallery; None for its own id.
    facts: What the probe shows with it: name and text.
    """

    detail: PictureDetail
    dataset: str
    gallery: str | None = None
    row: str | None = None
    facts: tuple[tuple[str, str], ...] = ()


def ruling_pictures(
    view: View, ruling: Ruling, evidence: EvidenceLinks, details: Details, thumbnails: dict[Place, str]
) -> tuple[list[ShownPicture], str]:
    """At most three pictures that have a small copy; where there are none although the ruling is about pictures, the reason.

    Args:
        view: The view.
        ruling: The ruling.
        evidence: The run, its predictions and its missed queries.
        details: The pictures of a model on a dataset.
        thumbnails: Picture → file.
    """
    if not ruling.figures:
        return [], ""
    figure = ruling.figures[0]
    if ruling.area == "retrieval" or evidence.missed_of(view, figure) is not None:
        return _of_queries(view, figure, evidence, thumbnails)
    if ruling.area == "robustness":
        chosen = [*_of_probe(view, figure, evidence, thumbnails), *_shifted_errors(view, figure, evidence, thumbnails)]
        found = _different(chosen, thumbnails)
        return found, "" if found else _why_no_errors(view, figure, evidence)
    known = [ShownPicture(d, figure.dataset) for d in details(view.model, figure.dataset)]
    errors = [one for one in known if one.detail.wrong]
    named = _classes_of(evidence.run, view, figure)
    of_class = [one for one in known if one.detail.true in named]
    if of_class:
        return _different(of_class, thumbnails), ""
    if ruling.area == "accuracy":
        return _different([*errors, *known], thumbnails), ""
    others = [] if ruling.area in _WITHOUT_ERRORS else errors
    return _different([*_of_probe(view, figure, evidence, thumbnails), *others], thumbnails), ""


def _different(chosen: Iterable[ShownPicture], thumbnails: dict[Place, str]) -> list[ShownPicture]:
    """The first ones with a small copy, each picture once."""
    found: dict[Place, ShownPicture] = {}
    for one in list(chosen)[:FIRST]:
        if (one.dataset, one.detail.id) in thumbnails:
            found.setdefault((one.dataset, one.detail.id), one)
    return list(found.values())[:PICTURES]


def _classes_of(run: Run, view: View, figure: Figure) -> set[str]:
    """The class that a figure is about; of worst@k, the k worst classes."""
    if "class" in figure.where:
        return {str(figure.where["class"])}
    k = figure.where.get("k") if figure.metric == "worst_at_k" else None
    return {row["class"] for row in class_rows(run, view.model, figure.dataset)[:k]} if isinstance(k, int) else set()


def _of_queries(
    view: View, figure: Figure, evidence: EvidenceLinks, thumbnails: dict[Place, str]
) -> tuple[list[ShownPicture], str]:
    """Queries without a correct result, and trials with a false caption preferred."""
    missed = evidence.missed_of(view, figure)
    if missed is None or not missed.table.num_rows:
        if figure.value is not None and figure.value >= 1:
            return [], "Nothing was missed, so there is no picture to show."
        return [], "The run keeps no missed queries, so there is no picture to show."
    found = _different(_queries(missed), thumbnails)
    return found, "" if found else NO_COPIES


def _queries(missed: MissedQueries) -> Iterator[ShownPicture]:
    """The rows as the gallery of missed queries names them: a picture that comes again has a number behind its id."""
    seen: dict[str, int] = {}
    for row in missed.table.slice(0, FIRST).to_pylist():
        id = str(row["id"])
        seen[id] = seen.get(id, 0) + 1
        taken = str(row["first_caption"]) if missed.are_trials else f"rank {row['rank']:,}"
        detail = PictureDetail(id, str(row["caption"]), taken, (), (), "")
        yield ShownPicture(detail, missed.group.dataset, missed.key, id if seen[id] == 1 else f"{id}#{seen[id]}")


def _of_probe(view: View, figure: Figure, evidence: EvidenceLinks, thumbnails: dict[Place, str]) -> list[ShownPicture]:
    """The first pictures of the probe's own galleries; of an original and its version, the version."""
    found = []
    for placed in evidence.run.probe_exhibits(figure.probe):
        mine = (placed.model, placed.dataset) == (view.model, figure.dataset) and placed.exhibit.kind == "pictures"
        mine = mine and not placed.exhibit.name.startswith(NEIGHBORS) and _same_shift(figure, placed.exhibit.slice)
        versions = placed.exhibit.name.startswith(
            "lost-pictures"
        )  # each row is an original and the version that is misclassified
        for row in placed.exhibit.table.slice(0, 2 * PICTURES).to_pylist() if mine else ():
            ids, of = picture_ids(row), source(row, placed)
            if not ids or (of, id := ids[-1 if versions else 0]) not in thumbnails:
                continue
            true = row.get("true") or row.get("class") or row.get("shows")
            taken = row.get("predicted") or row.get("predicted as") or row.get("nearest class")
            detail = PictureDetail(id, None if true is None else str(true), str(taken or true or ""), (), (), "")
            shown = (_prediction(view, of, id, evidence) if versions else None) or detail
            found.append(ShownPicture(shown, of, facts=row_facts(row, units_of(placed.exhibit.table))))
    return found


def _same_shift(figure: Figure, slice: Mapping[str, object]) -> bool:
    """Whether an exhibit is not about another shift than the figure."""
    return all(key not in slice or key not in figure.where or slice[key] == figure.where[key] for key in _SHIFTS)


def _prediction(view: View, dataset: str, id: str, evidence: EvidenceLinks) -> PictureDetail | None:
    for gallery in evidence.galleries.values():
        if (gallery.group.model, gallery.group.dataset, gallery.group.design) == (view.model, dataset, None) and gallery.leads:
            rows = gallery.table.filter(pc.equal(gallery.table["id"], id)).to_pylist()
            return next((_detail(row) for row in rows), None)
    return None


def _detail(row: dict[str, object]) -> PictureDetail:
    true = row["class"]
    return PictureDetail(str(row["id"]), None if true is None else str(true), str(row["predicted_class"]), (), (), "")


def _galleries(view: View, figure: Figure, evidence: EvidenceLinks) -> list[tuple[Gallery, pa.Table]]:
    """Galleries with shifted pictures of the dataset, and their shifted rows: of the shift that the figure names, if it does."""
    name = next((str(figure.where[key]) for key in _SHIFTS if key in figure.where), None)
    found = []
    for gallery in evidence.galleries.values():
        group = gallery.group
        mine = group.model == view.model and group.design is None and gallery.leads and not gallery.joins_sets
        if not mine or group.of != figure.dataset or group.role not in ("exam", "shift"):
            continue
        texts = [text for text in gallery.attributes if text.startswith("shift=")]
        of_name = [text for text in texts if text == f"shift={name}"]
        shifted = of_name or [text for text in texts if text.removeprefix("shift=") not in UNSHIFTED]
        if name is not None and not of_name and group.dataset != name:
            continue
        keep = np.full(gallery.table.num_rows, group.role == "shift" and not of_name)
        for text in shifted:
            keep |= has_attribute(gallery.table, text)
        if keep.any():
            found.append((gallery, gallery.table.filter(pa.array(keep))))
    return found


def _shifted_errors(view: View, figure: Figure, evidence: EvidenceLinks, thumbnails: dict[Place, str]) -> list[ShownPicture]:
    """Misclassified shifted pictures that have a small copy."""
    found = []
    for gallery, table in _galleries(view, figure, evidence):
        dataset = gallery.group.dataset
        copied = pa.array([id for of, id in thumbnails if of == dataset], pa.string())
        wrong = table.filter(pc.and_(pc.greater(pc.fill_null(table["rank"], 0), 1), pc.is_in(table["id"], copied)))
        found += [ShownPicture(_detail(row), dataset) for row in wrong.slice(0, PICTURES).to_pylist()]
    return found


def _why_no_errors(view: View, figure: Figure, evidence: EvidenceLinks) -> str:
    tables = [table for _, table in _galleries(view, figure, evidence)]
    if tables and not any(pc.any(pc.greater(table["rank"], 1)).as_py() for table in tables):
        return "No picture that this is about is misclassified, so there is none to show."
    return NO_COPIES
