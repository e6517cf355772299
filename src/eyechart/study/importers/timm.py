"""timm's results: ImageNet-1k classifiers on ImageNet and its shifts (results/results-*.csv, results/model_metadata-in1k.csv).

Known problems: a row is a model at one picture size, so a model may have several; thousands have commas; older files have names
without a tag, and only the metadata has their pretraining; one row of one file is in no other.
"""

from collections.abc import Sequence
from typing import Any

from eyechart.models.names.model_names import read_timm
from eyechart.models.names.sources import find_source
from eyechart.notice import Notice, counted
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
from eyechart.study.measures import known_measures
from eyechart.study.table import Value, to_table

ORIGIN = "timm"
# Pretraining data in model_metadata-in1k.csv → in newer tags.
_OLD_PRETRAINING = {
    "in1k": "in1k", "in1k-dist": "in1k", "in1k-ap": "in1k", "in1k-adv": "in1k", "in21k": "in21k", "in21k-selfsl": "in21k",
    "jft300m-ns": "jft", "ig1b-wsl": "ig1b", "ig1b-swsl": "ig1b", "yfc-semisl": "yfcc100m",
}  # fmt: skip


def read_timm_results(files: Sequence[TextFile]) -> Imported:
    """Top-1 accuracy from all result files, each model at its native size."""
    of_file = {measure.known_as["timm"]: measure for measure in known_measures().values() if "timm" in measure.known_as}
    results = [file for file in files if file.stem in of_file and "top1" in columns_of(file)]
    if not results:
        raise none_recognized(files, f"files called {', '.join(f'{stem}.csv' for stem in of_file)}")
    excluded = ExcludedRows(", ".join(file.name for file in results))
    metadata = [file for file in files if columns_of(file) == ["model", "pretrain"]]
    pretraining = {row["model"]: row["pretrain"] for file in metadata for row in read_rows(file, ["model"], excluded)}
    scores: dict[tuple[str, int], dict[str, float]] = {}
    sizes: dict[str, int | None] = {}
    for file in results:
        for row in read_rows(file, ["model", "img_size", "top1"], excluded):
            side, value = number(row["img_size"]), share(row["top1"], percent=True)
            if side is None or value is None or not row["model"]:
                excluded.note("no accuracy or no picture size", f"{row['model']} in {file.name}")
                continue
            mine = scores.setdefault((row["model"], round(side)), {})
            if mine.setdefault(of_file[file.stem].name, value) != value:
                excluded.note("twice in a file, with two values", f"{row['model']} in {file.name}")
            sizes.setdefault(row["model"], millions(row.get("param_count")))
    native = _native(scores)
    values = []
    for (model, side), mine in scores.items():
        if native[model] == side:
            facts = _facts(model, side, sizes[model], pretraining.get(model))
            values += [(facts, Value(name, value, known_measures()[name].count(ORIGIN))) for name, value in mine.items()]
    notices = excluded.notices()
    if more := len(scores) - len(native):
        what = f"{counted(more, 'row')} excluded, at another picture size than the native one"
        notices += (Notice(excluded.where, what),)
    return Imported(to_table(values, ORIGIN), notices)


def _native(scores: dict[tuple[str, int], dict[str, float]]) -> dict[str, int]:
    """The smallest size: timm tests a model at its training size, and some also at a larger one."""
    native: dict[str, int] = {}
    for model, side in scores:
        native[model] = min(side, native.get(model, side))
    return native


def _facts(model: str, side: int, parameters: int | None, pretraining: str | None) -> Facts:
    card: dict[str, Any] = read_timm(model)
    if "." not in model and pretraining is not None:
        source = find_source(_OLD_PRETRAINING.get(pretraining, ""))
        card |= {"source": source.name, "dataset_size": source.size} if source else {}
    # The family of a fine-tuned CLIP is that of its image encoder.
    if card.get("loss") in ("InfoNCE", "sigmoid"):
        card["family"] = "SigLIP" if card["loss"] == "sigmoid" else "CLIP"
    return facts_from_card(
        f"timm:{model}", card, parameters=parameters, resolution=side, published_group=pretraining
    )  # fmt: skip
