"""imagenet-testbed: top-1 accuracy of 338 models under 213 settings (robustness_top1s.csv), and their groups (model_types.csv).

Models trained on 125 to 500 classes have no accuracy on all of ImageNet; those cells are empty. Its group STANDARD includes
self-supervised models, which are a separate group here; the published group is kept as well.
"""

import re
from collections.abc import Sequence
from typing import Any

from eyechart.models.names.sources import find_source
from eyechart.notice import Notice
from eyechart.study.facts import Facts, facts_from_card
from eyechart.study.groups import CONTRASTIVE, MORE_DATA, OTHER, ROBUST, STANDARD, ZERO_SHOT, is_contrastive
from eyechart.study.importers.text_files import ExcludedRows, Imported, TextFile, columns_of, none_recognized, read_rows, share
from eyechart.study.measures import measure_of
from eyechart.study.table import Value, to_table

ORIGIN = "testbed"
_GROUPS = {"STANDARD": STANDARD, "MORE_DATA": MORE_DATA, "ROBUST_INTV": ROBUST}
# Training data of models with more data, by their names, in the terms of `models/names/sources.toml`.
_SOURCES = (
    (r"_clip_", "openai"),
    (r"^instagram|_swsl$|^FixResNeXt101", "ig1b"),
    (r"_ssl$", "yfcc100m"),
    (r"jft|noisystudent", "jft"),
    (r"^BiT-M|imagenet21k|^vit_", "in21k"),
)


def read_testbed(files: Sequence[TextFile]) -> Imported:
    """Every accuracy of the testbed; without model_types.csv the groups are unknown."""
    results = [file for file in files if {"model", "val"} <= set(columns_of(file))]
    kinds = [file for file in files if {"model", "natural_type"} <= set(columns_of(file))]
    if not results:
        raise none_recognized(files, "imagenet-testbed's robustness_top1s.csv, and model_types.csv next to it")
    excluded = ExcludedRows(", ".join(file.name for file in results))
    types = {row["model"]: row["natural_type"] for file in kinds for row in read_rows(file, ["model"], excluded)}
    values, known = [], set[str]()
    for file in results:
        for row in read_rows(file, ["model"], excluded):
            name = row.pop("model")
            if name in known:
                excluded.note("duplicate row of this model", name)
                continue
            known.add(name)
            facts = testbed_facts(name, types.get(name))
            for column, text in row.items():
                value, measure = share(text, percent=True), measure_of(ORIGIN, column)
                if value is not None:
                    values.append((facts, Value(measure.name, value, measure.count(ORIGIN))))
                elif text:
                    excluded.note("not a percentage", f"{name}, {column}: {text!r}")
    notices = excluded.notices()
    if not kinds:
        remedy = "give the folder that also contains model_types.csv"
        notices += (Notice(excluded.where, "the groups of its models are unknown", remedy),)
    return Imported(to_table(values, ORIGIN), notices)


def testbed_facts(name: str, published: str | None) -> Facts:
    """Facts from the name of a model and its published group."""
    card: dict[str, Any] = {"architecture": name}
    group = _GROUPS.get(published, OTHER) if published else None
    if group == STANDARD and is_contrastive(name):
        group = CONTRASTIVE
    if "_clip_zeroshot" in name:
        group = ZERO_SHOT
        card |= {"family": "CLIP", "loss": "InfoNCE"}
    word = "in1k" if group in (STANDARD, CONTRASTIVE, ROBUST) else None
    if group in (MORE_DATA, ZERO_SHOT):
        word = next((word for pattern, word in _SOURCES if re.search(pattern, name)), None)
    if word and (source := find_source(word)):
        card |= {"source": source.name, "dataset_size": source.size}
    return facts_from_card(f"testbed:{name}", card, group=group, published_group=published)
