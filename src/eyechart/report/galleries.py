"""The galleries of the page.

Everything is bounded: rows of one gallery, rows of all galleries, and rows of a data file. Where rows are left out, the page says
how many there are and which command lists them all. Errors come first, so what is left out are correct predictions.
"""

from eyechart.findings.prediction_groups import PredictionGroup, prediction_groups, read_group
from eyechart.findings.predictions import read_predictions
from eyechart.findings.run import Run
from eyechart.report.ood_galleries import all_ood_galleries
from eyechart.report.picture_groups import Galleries, Title, make_gallery

MOST_ROWS = 50_000  # of one gallery
MOST_ROWS_OF_ALL = 400_000
LEAST_ROWS = 1_000  # of one gallery, however many there are
_COLUMNS = (
    "dataset", "id", "class", "predicted_class", "rank", "confidence", "margin", "ood_score", "top5_classes",
    "top5_probabilities", "attributes",
)  # fmt: skip


def galleries_of(run: Run) -> Galleries:
    """The galleries of the page; empty without predictions.

    The title is the name of the dataset. Where its pictures were compared with several examined datasets, the later titles name
    the dataset with the classes. Several out-of-distribution sets have a gallery of all their pictures besides.
    """
    if run.folder is None or not run.predictions_file.is_file():
        return {}
    file = read_predictions(run.predictions_file)
    groups = _titled([g for g in prediction_groups(file, designs=True) if g.prompts is None or g.prompts in run.prompts[:1]])
    limit = min(MOST_ROWS, max(LEAST_ROWS, MOST_ROWS_OF_ALL // max(1, len(groups))))
    galleries = {
        title: make_gallery(f"g{number}", title, group, read_group(file, group, _COLUMNS), limit)
        for number, (title, group) in enumerate(groups.items())
    }
    return galleries | all_ood_galleries(galleries)


def _titled(groups: list[PredictionGroup]) -> dict[Title, PredictionGroup]:
    """The groups that are shown, under their titles."""
    compared = {(g.model, g.dataset, g.design) for g in groups if g.of != g.dataset}
    titled: dict[Title, PredictionGroup] = {}
    for group in groups:
        title = (group.model, group.dataset, group.design)
        if group.of == group.dataset and title in compared:
            continue  # of shifted pictures, the predictions that were compared: among the classes of the examined dataset
        if title in titled and titled[title].of != group.of:
            title = (group.model, f"{group.dataset}, classes of {group.of}", group.design)
        titled.setdefault(title, group)
    return titled
