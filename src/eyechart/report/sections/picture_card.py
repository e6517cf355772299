"""A picture as a button that enlarges it, with what was predicted."""

import json
from collections.abc import Sequence

from eyechart.report.html.builder import Markup, bdi, button, img, span
from eyechart.report.picture_details import PictureDetail


def picture_card(
    detail: PictureDetail,
    dataset: str,
    source: str | None,
    *,
    gallery: str | None = None,
    row: str | None = None,
    facts: Sequence[tuple[str, str]] = (),
) -> Markup:
    """The small copy of a picture, and 'true → predicted' below it.

    Args:
        detail: The picture.
        dataset: Its dataset.
        source: The file of its small copy; None where there is none.
        gallery: The gallery that has its row: missed queries, or pictures that prefer a false caption; None for predictions.
        row: Its id in that gallery; None for its own id.
        facts: What else is known, as names and texts: shown beside the enlarged picture. Without classes, the first one is shown
            below the small copy.
    """
    picture = (
        img(src=source, alt="", loading="lazy", decoding="async", width=160, height=160)
        if source
        else span(bdi(detail.id), class_="no-picture")
    )
    true = detail.true if detail.true is not None else ""
    says = detail.predicted and (detail.wrong or detail.true is None)  # a correct prediction is shown already
    relation = "predicted as" if gallery is None else "but"
    said = f"Enlarge {true or detail.id}{f', {relation} {detail.predicted}' if says else ''}"
    return button(
        picture,
        span(
            span(bdi(true), class_="true") if true else None,
            _prediction(detail) if says else None,
            span(bdi(": ".join(facts[0])), class_="predicted") if facts and not (says or true) else None,
            class_="says",
        ),
        type="button",
        class_="picture",
        data_id=row or detail.id,
        data_dataset=dataset,
        data_source=source,
        data_gallery=gallery,
        data_facts=json.dumps(facts, ensure_ascii=False) if facts else None,
        aria_label=said,
    )


def _prediction(detail: PictureDetail) -> Markup:
    arrow = span("→ ", class_="arrow", aria_hidden="true")
    return span(arrow, bdi(detail.predicted), class_="taken" if detail.wrong else "predicted")
