"""Classes and pictures: places that scripts fill with the class table, the confusion matrix and the gallery."""

from eyechart.findings.run import Run
from eyechart.notice import counted
from eyechart.report.gallery_files import list_command, listed
from eyechart.report.html.builder import Child, Markup, bdi, button, div, element, field, h2, h3, label, p, section, span
from eyechart.report.missed_queries import MissedQueries
from eyechart.report.picture_groups import Gallery
from eyechart.report.sections.worst_class_line import worst_class_line
from eyechart.report.view import View
from eyechart.report.worst_class import worst_class

SHOW = {"all": "all", "wrong": "errors", "right": "correct", "below-5": "true class not in the top 5"}


def classes_section(run: Run, view: View, gallery: Gallery | None) -> Markup | None:
    """The judged worst class, and the class table beside the confusion matrix; None without predictions."""
    if gallery is None:
        return None
    if not gallery.labelled:
        text = "No picture has a label, so there is neither an accuracy by class nor a confusion matrix."
        return section(h2("Classes", *_where(view)), p(text, class_="sentence"), id=f"{view.key}/classes", class_="classes")
    worst = worst_class(run, view.model, view.verdict)
    if worst is not None:
        several = " of all datasets" if view.dataset is None else ""
        named = p(f"Worst class{several}: ", *worst_class_line(run, view, worst, linked=True), ".", class_="sentence worst-class")
    return section(
        h2("Classes", *_where(view)),
        named if worst is not None else None,
        p("Choose a class or a cell to see its pictures below.", class_="sentence"),
        div(
            div(h3("Accuracy by class"), div(class_="class-table", data_gallery=gallery.key), class_="beside"),
            div(h3("Confusion matrix"), div(class_="matrix", data_gallery=gallery.key), class_="beside"),
            class_=f"side-by-side {_size(gallery)}",
        ),
        id=f"{view.key}/classes",
        class_="classes",
    )


def _size(gallery: Gallery) -> str:
    """How much height the table and the matrix are given before they are drawn."""
    count = len(gallery.classes)
    return "of-few" if count <= 10 else "of-some" if count <= 14 else "of-many"


def pictures_section(view: View, gallery: Gallery | MissedQueries | None, galleries: int) -> Markup | None:
    """The gallery with its filters; None without predictions and missed queries.

    Args:
        view: The view.
        gallery: The gallery that it begins with.
        galleries: How many galleries of the model there are to choose from. Filters that will be there have their place at once,
            so that nothing moves when they are filled.
    """
    if gallery is None:
        return None
    queries = isinstance(gallery, MissedQueries)
    how, command = (
        (gallery.listed, gallery.files) if isinstance(gallery, MissedQueries) else (listed(gallery), list_command(gallery))
    )
    return section(
        h2("Pictures", *_where(view)),
        p(
            span(_held(gallery), class_="held"),
            "Pictures without a small copy are shown by their id. To list ",
            span(how, class_="listed"),
            ": ",
            element("code", command),
            class_="sentence",
        ),
        div(
            label("Dataset ", element("select", class_="of-gallery"), hidden=galleries < 2),
            label("Find ", field(type="search", class_="find", placeholder="class or id", autocomplete="off")),
            label("Class ", element("select", class_="of-true"), hidden=queries),
            label("Predicted ", element("select", class_="of-predicted"), hidden=queries),
            label("Attribute ", element("select", class_="of-where"), hidden=not gallery.attributes),
            label("Show ", _select("of-show", SHOW), hidden=_unlabelled(gallery)),
            label(
                "Sort by ",
                _select(
                    "of-sort",
                    {
                        "first": "least certain" if _unlabelled(gallery) else "errors first",
                        "confidence": "confidence",
                        "margin": "margin",
                        "rank": "rank",
                        "ood": "OOD score",
                    },
                ),
                hidden=queries,
            ),
            span(class_="chosen"),
            button("Clear", type="button", class_="clear"),
            span(_count(gallery), class_="count", role="status"),
            class_="filters",
        ),
        div(class_="gallery-view", data_gallery=gallery.key, tabindex=-1),
        id=f"{view.key}/pictures",
        class_="browse",
        data_gallery=gallery.key,
    )


def _held(gallery: Gallery | MissedQueries) -> str:
    first = "the smallest margins" if _unlabelled(gallery) else "errors"
    what, first = ("predictions", first) if isinstance(gallery, Gallery) else (f"missed {gallery.noun}s", "the largest ranks")
    total = gallery.table.num_rows
    if gallery.kept == total:
        return f"All {total:,} {what}. "
    return f"The page holds {gallery.kept:,} of {total:,} {what}, {first} first. "


def _unlabelled(gallery: Gallery | MissedQueries) -> bool:
    """Whether no picture has a label: there are no errors to show first."""
    return isinstance(gallery, Gallery) and not gallery.labelled


def _count(gallery: Gallery | MissedQueries) -> str:
    if isinstance(gallery, MissedQueries):
        return f"{counted(gallery.kept, gallery.noun)} missed"
    if not gallery.labelled:
        return f"{counted(gallery.kept, 'picture')}, no labels"
    return f"{counted(gallery.kept, 'picture')}, {counted(gallery.wrong, 'error')}"


def _select(kind: str, options: dict[str, str]) -> Markup:
    return element("select", *(element("option", text, value=value) for value, text in options.items()), class_=kind)


def _where(view: View) -> list[Child]:
    return [span(" of ", bdi(view.main), class_="quiet")] if view.dataset is None else []
