"""open_clip's results: zero-shot accuracy and retrieval of its models (docs/openclip_*results.csv, docs/model_profile.csv).

Known problems: rows of `*-quickgelu/openai` repeat the plain ones; where both differ, one was run with the wrong activation; one
model was run without its weights; older files have name and tag in one column.
"""

from collections.abc import Sequence

from eyechart.errors import DataError
from eyechart.models.names.model_names import needs_quickgelu, read_open_clip
from eyechart.study.facts import Facts, facts_from_card
from eyechart.study.importers.text_files import (
    ExcludedRows,
    Imported,
    TextFile,
    columns_of,
    millions,
    none_recognized,
    number,
    read_rows,
    share,
)
from eyechart.study.measures import measure_of
from eyechart.study.table import Value, to_table

ORIGIN = "open_clip"
_NOT_MEASURES = {"name", "pretrained", "params (M)", "FLOPs (B)"}
_BROKEN = {"coca_ViT-B-32/mscoco_finetuned_laion2b_s13b_b90k"}  # at chance on all 38 datasets
PERCENTAGES = "a percentage, where open_clip's tables have fractions from 0 to 1"
_LOADED = 0.01  # ImageNet accuracy: the weakest trained model has 2.7%, chance is 0.1%

Scores = dict[str, float]


def read_open_clip_results(files: Sequence[TextFile]) -> Imported:
    """Rows of all result files; profiles add resolutions and numbers of parameters."""
    results = [file for file in files if "name" in columns_of(file)]
    profiles = [file for file in files if {"model", "image_size", "mparams"} <= set(columns_of(file))]
    if not results:
        raise none_recognized(files, "open_clip's openclip_results.csv, openclip_classification_results.csv or the like")
    excluded = ExcludedRows(", ".join(file.name for file in results))
    scores: dict[str, Scores] = {}
    came_from: dict[tuple[str, str], str] = {}
    sizes: dict[str, int | None] = {}
    for file in results:
        for row in read_rows(file, ["name"], excluded):
            model = _model(row)
            if model is None:
                excluded.note("no tag for the name", row["name"])
                continue
            sizes.setdefault(model, millions(row.get("params (M)")))
            _take(scores.setdefault(model, {}), row, model, came_from, file, excluded)
    if not came_from and PERCENTAGES in excluded.found:
        example = excluded.found[PERCENTAGES][0]
        raise DataError(f"{excluded.where}: {PERCENTAGES} ({example}); divide the values by 100 and add the table again")
    sides = {row["model"]: number(row["image_size"]) for file in profiles for row in read_rows(file, ["model"], excluded)}
    _exclude_broken(scores, excluded)
    _exclude_duplicates(scores, excluded)
    values = []
    for model, mine in scores.items():
        facts = _facts(model, sizes[model], sides.get(model.split("/")[0]))
        for name, value in mine.items():
            measure = measure_of(ORIGIN, name)
            values.append((facts, Value(measure.name, value, measure.count(ORIGIN))))
    return Imported(to_table(values, ORIGIN), excluded.notices())


def _model(row: dict[str, str]) -> str | None:
    """'architecture/tag'; older files have 'architecture tag' as the name."""
    architecture, tag = row["name"], row.get("pretrained", "")
    if not tag:
        architecture, _, tag = row["name"].rpartition(" ")
    return f"{architecture}/{tag}" if architecture and tag else None


def _take(
    mine: Scores, row: dict[str, str], model: str, came_from: dict[tuple[str, str], str], file: TextFile, excluded: ExcludedRows
) -> None:
    """Read the values of a row. `came_from`: the file of the first value of a measure, which is kept."""
    for name, text in row.items():
        if name in _NOT_MEASURES or not text:
            continue
        value, row_name = share(text), f"{model}, {name}"
        if value is None:
            percent = share(text, percent=True) is not None
            excluded.note(PERCENTAGES if percent else "not a fraction", f"{row_name}: {text!r}")
            continue
        first = came_from.setdefault((model, name), file.name)
        if mine.setdefault(name, value) != value:
            before = f"an earlier row of {file.name}" if first == file.name else first
            excluded.note(f"another value than in {before}, which is kept", row_name)


def _exclude_broken(scores: dict[str, Scores], excluded: ExcludedRows) -> None:
    for model in [m for m, mine in scores.items() if m in _BROKEN or mine.get("ImageNet 1k", 1.0) < _LOADED]:
        excluded.note("at chance, so its weights were not loaded", model)
        del scores[model]


def _exclude_duplicates(scores: dict[str, Scores], excluded: ExcludedRows) -> None:
    """Keep the plain spelling of a model where both have equal values, else the one with the correct activation."""
    for model in list(scores):
        architecture, _, tag = model.partition("/")
        duplicate = f"{architecture}-quickgelu/{tag}"
        if duplicate not in scores:
            continue
        if scores[duplicate] == scores[model]:
            excluded.note("repeats the row without -quickgelu", duplicate)
            del scores[duplicate]
        else:
            wrong = model if needs_quickgelu(architecture, tag) else duplicate
            excluded.note("run with another activation than in training", wrong)
            del scores[wrong]


def _facts(model: str, parameters: int | None, side: float | None) -> Facts:
    architecture, _, tag = model.partition("/")
    card = read_open_clip(architecture, tag)
    return facts_from_card(
        f"open_clip:{model}", {"loss": "InfoNCE"} | card, parameters=parameters, resolution=None if side is None else round(side)
    )
