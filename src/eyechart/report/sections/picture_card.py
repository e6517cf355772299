"""A picture as a button that enlarges it, with what was predicted."""

from eyechart.report.html.builder import Markup, bdi, button, img, span
from eyechart.report.picture_details import PictureDetail


def picture_card(detail: PictureDetail, dataset: str, source: str | None) -> Markup:
    """The small copy of a picture, and 'true → predicted' below it.

    Args:
        detail: The picture.
        dataset: Its dataset.
        source: The file of its small copy; None where there is none.
    """
    picture = (
        img(src=source, alt="", loading="lazy", decoding="async", width=160, height=160)
        if source
        else span(bdi(detail.id), class_="no-picture")
    )
    true = detail.true if detail.true is not None else ""
    says = detail.wrong or detail.true is None  # a correct prediction is the class that is shown already
    said = f"Enlarge {true or detail.id}{f', predicted as {detail.predicted}' if says else ''}"
    return button(
        picture,
        span(
            span(bdi(true), class_="true") if true else None,
            _prediction(detail) if says else None,
            class_="says",
        ),
        type="button",
        class_="picture",
        data_id=detail.id,
        data_dataset=dataset,
        data_source=source,
        aria_label=said,
    )


def _prediction(detail: PictureDetail) -> Markup:
    arrow = span("→ ", class_="arrow", aria_hidden="true")
    return span(arrow, bdi(detail.predicted), class_="taken" if detail.wrong else "predicted")
