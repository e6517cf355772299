"""The tab that compares: models on the same pictures, and the headline numbers of all models and datasets."""

from collections.abc import Mapping

from eyechart.comparison.compare import Comparison, DatasetComparison, compare
from eyechart.comparison.decision import decision, outcome, points
from eyechart.comparison.in_turn import in_turn
from eyechart.comparison.pairs import ModelPair
from eyechart.errors import EyechartError
from eyechart.findings.numbers import format_estimate, format_value
from eyechart.findings.run import Run
from eyechart.report.html.builder import Child, Markup, bdi, code, div, h3, h4, li, p, table, tbody, td, th, thead, tr, ul
from eyechart.report.picture_details import PictureDetail
from eyechart.report.sections.headline import comparison as side_by_side
from eyechart.report.sections.headline import overview_of
from eyechart.report.sections.picture_card import picture_card
from eyechart.report.sections.probe import Charts, exhibit_figure
from eyechart.report.thumbnails import Place

MOST_MODELS = 8  # every two models are compared, so their number is bounded
PICTURES = 6  # gained and lost pictures of a pair, each


def compare_panel(run: Run, thumbnails: dict[Place, str], docs: Mapping[str, str]) -> dict[str, object]:
    """The tab as HTML, with the data of its charts."""
    charts = Charts(start="compare")
    body: list[Child] = [*_models(run, thumbnails), overview_of(run, docs)]
    figures = [exhibit_figure(e, charts, {}) for e in side_by_side(run)]
    if figures:
        body.append(div(*figures, class_="exhibits"))
    return {"html": div(*body).text, "charts": charts.held}


def _models(run: Run, thumbnails: dict[Place, str]) -> list[Child]:
    if len(run.models) < 2:
        return [p("This examination has one model. Compare it with another one: ", code("eyechart compare RUN OTHER"))]
    if run.folder is None or not run.predictions_file.is_file():
        return [p("The run has no predictions, so models cannot be compared picture by picture.", class_="quiet")]
    if len(run.models) > MOST_MODELS:
        return [
            p(f"With more than {MOST_MODELS} models, compare some of them: ", code("eyechart compare RUN --model A --model B"))
        ]
    try:
        made = compare(run.folder)
    except EyechartError as reason:
        return [p("The models cannot be compared picture by picture: ", bdi(str(reason)), class_="quiet")]
    about = (
        "On the pictures that all models classified. Models that share a letter are inseparable (exact McNemar test, Holm over "
        "pairs). A difference is a model minus the first one, with a 95% interval that is paired by picture: above 0, the model "
        "is more accurate than the first one."
    )
    return [
        h3("Models on the same pictures"),
        *(p(bdi(decision(made.models, d)), ".", class_="decision of-dataset") for d in made.datasets),
        p(about, class_="sentence"),
        *(_dataset(made, d, thumbnails) for d in made.datasets),
    ]


def _dataset(made: Comparison, d: DatasetComparison, thumbnails: dict[Place, str]) -> Markup:
    pairs = {pair.second: pair for pair in d.pairs if pair.first == made.models[0]}
    heads = ("model", "top-1 (higher is better)", "inseparable", "difference", "is", "p", "gained", "lost")
    rows = []
    for model, accuracy, letters in zip(made.models, d.accuracies, d.letters, strict=True):
        pair = pairs.get(model)
        rows.append(tr(th(bdi(model), scope="row"), td(format_estimate(*accuracy, "fraction")), td(letters), *_difference(pair)))
    return div(
        h4(bdi(d.dataset)),
        div(
            table(thead(tr(*(th(head, scope="col") for head in heads))), tbody(*rows)),
            class_="scroll",
            tabindex=0,
            role="region",
            aria_label=f"Models on {d.dataset}",
        ),
        *(_changed(d.dataset, pair, thumbnails) for pair in pairs.values()),
        class_="compared",
    )


def _difference(pair: ModelPair | None) -> list[Markup]:
    if pair is None:
        return [td("reference"), td(), td(), td(), td()]
    d = pair.top1
    return [
        td(points(d)),
        td(outcome(separable=d.separable, better=d.value > 0)),
        td(format_value(d.p, "p-value")),
        td(f"{d.gained:,}", class_="num"),
        td(f"{d.lost:,}", class_="num"),
    ]


def _changed(dataset: str, pair: ModelPair, thumbnails: dict[Place, str]) -> Markup | None:
    """Pictures that one of two models classifies correctly."""
    parts: list[Child] = []
    for change, wrong, (right, other) in (
        ("gained", "first_predicted", (pair.second, pair.first)),
        ("lost", "second_predicted", (pair.first, pair.second)),
    ):
        rows = [r for r in pair.changed.to_pylist() if r["change"] == change and (dataset, r["id"]) in thumbnails]
        rows = in_turn(rows, lambda row: row["class"])
        cards = [
            li(picture_card(PictureDetail(r["id"], r["class"], r[wrong], (), (), ""), dataset, thumbnails[dataset, r["id"]]))
            for r in rows[:PICTURES]
        ]
        if cards:
            parts += [p(bdi(right), " is right and ", bdi(other), " is wrong:"), ul(*cards, class_="failures")]
    return div(*parts) if parts else None
