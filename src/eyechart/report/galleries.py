"""The galleries of the page.

Everything is bounded: rows of one gallery, rows of all galleries, and rows of a data file. Where rows are left out, the page says
how many there are and which command lists them all. Errors come first, so what is left out are correct predictions. Galleries of
other prompt sets than the leading one have a bound of their own, so that they take no rows from the leading ones.
"""

from collections.abc import Iterator

import pyarrow.parquet as pq

from eyechart.findings.prediction_groups import PredictionGroup, prediction_groups, read_group
from eyechart.findings.run import Run
from eyechart.report.ood_galleries import all_ood_galleries
from eyechart.report.picture_groups import Galleries, Gallery, Title, make_gallery, under_prompts

MOST_ROWS = 50_000  # of one gallery
MOST_ROWS_OF_ALL = 400_000  # under the leading prompt set
MOST_ROWS_OF_OTHER_PROMPTS = 200_000  # of all galleries under other prompt sets
MOST_READ_OF_OTHER_PROMPTS = 1_000_000  # predictions; prompt sets beyond them have no galleries
LEAST_ROWS = 1_000  # of one gallery, however many there are
_COLUMNS = (
    "dataset", "id", "class", "predicted_class", "rank", "confidence", "margin", "ood_score", "top5_classes",
    "top5_probabilities", "attributes",
)  # fmt: skip


def galleries_of(run: Run) -> Galleries:
    """The galleries of the page; empty without predictions.

    The title is the name of the dataset. Where its pictures were compared with several examined datasets, the later titles name
    the dataset with the classes. Several out-of-distribution sets have a gallery of all their pictures besides. Galleries under
    the leading prompt set come first; the titles of the others name their prompt set.
    """
    if run.folder is None or not run.predictions_file.is_file():
        return {}
    file = run.open_predictions()
    groups = prediction_groups(file, designs=True)
    leading = _titled([g for g in groups if g.prompts is None or g.prompts in run.prompts[:1]])
    others = [_titled(of_prompts, prompts) for prompts, of_prompts in _other_prompts(run, file, groups)]
    count = sum(map(len, others))
    galleries: dict[Title, Gallery] = {}
    for titled in (leading, *others):
        leads = titled is leading
        limit = _limit(MOST_ROWS_OF_ALL, len(leading)) if leads else _limit(MOST_ROWS_OF_OTHER_PROMPTS, count)
        of_prompts = {
            title: make_gallery(f"g{number}", title, group, read_group(file, group, _COLUMNS), limit, leads=leads)
            for number, (title, group) in enumerate(titled.items(), len(galleries))
        }
        galleries |= of_prompts | all_ood_galleries(of_prompts, len(galleries))
    return galleries


def _other_prompts(run: Run, file: pq.ParquetFile, groups: list[PredictionGroup]) -> Iterator[tuple[str, list[PredictionGroup]]]:
    """The groups of each prompt set besides the leading one, as long as they are not too many to read."""
    read = 0
    for prompts in run.prompts[1:]:
        mine = [group for group in groups if group.prompts == prompts]
        read += sum(file.metadata.row_group(number).num_rows for group in mine for number in group.row_groups)
        if read > MOST_READ_OF_OTHER_PROMPTS:
            return
        yield prompts, mine


def _limit(of_all: int, galleries: int) -> int:
    return min(MOST_ROWS, max(LEAST_ROWS, of_all // max(1, galleries)))


def _titled(groups: list[PredictionGroup], prompts: str | None = None) -> dict[Title, PredictionGroup]:
    """The groups that are shown, under their titles, which name `prompts` where it is given."""
    compared = {(g.model, g.dataset, g.design) for g in groups if g.of != g.dataset}
    titled: dict[Title, PredictionGroup] = {}
    for group in groups:
        title = (group.model, group.dataset, group.design)
        if group.of == group.dataset and title in compared:
            continue  # of shifted pictures, the predictions that were compared: among the classes of the examined dataset
        if title in titled and titled[title].of != group.of:
            title = (group.model, f"{group.dataset}, classes of {group.of}", group.design)
        titled.setdefault(title, group)
    if prompts is None:
        return titled
    return {(model, f"{name}, {under_prompts(prompts)}", design): group for (model, name, design), group in titled.items()}
