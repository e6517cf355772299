"""ImageNet-X: published accuracy by visual factor (top_factor_class_testbed_accuracies.csv and …_base_accuracies.csv).

The models of the first are those of imagenet-testbed, with the same names; facts about them come from that table, once it is in
the study too. The values are CC-BY-NC: your study may contain them, but Eyechart does not ship them.
"""

from collections.abc import Sequence
from typing import Any

from eyechart.study.facts import Facts, facts_from_card
from eyechart.study.groups import CONTRASTIVE, STANDARD
from eyechart.study.importers.testbed import testbed_facts
from eyechart.study.importers.text_files import ExcludedRows, Imported, TextFile, columns_of, none_recognized, read_rows, share
from eyechart.study.measures import FACTORS, measure_of
from eyechart.study.table import Value, to_table

ORIGIN = "imagenet_x"
# The four models of the package itself, which are not in the testbed.
_BASE = {"ResNet50": STANDARD, "ViT": STANDARD, "DINO": CONTRASTIVE, "SimCLR": CONTRASTIVE}


def read_imagenet_x(files: Sequence[TextFile]) -> Imported:
    """Accuracy on each factor and on all of ImageNet-X."""
    results = [file for file in files if {"model", "average", "pose"} <= set(columns_of(file))]
    if not results:
        raise none_recognized(files, "ImageNet-X's top_factor_class_testbed_accuracies.csv or …_base_accuracies.csv")
    excluded = ExcludedRows(", ".join(file.name for file in results))
    values = []
    for file in results:
        for row in read_rows(file, ["model"], excluded):
            facts = _facts(row["model"])
            for column in ("average", *FACTORS):
                value, measure = share(row.get(column)), measure_of(ORIGIN, column)
                if value is not None:
                    values.append((facts, Value(measure.name, value, measure.count(ORIGIN))))
                elif row.get(column):
                    excluded.note("not a fraction", f"{row['model']}, {column}: {row[column]!r}")
    return Imported(to_table(values, ORIGIN), excluded.notices())


def _facts(name: str) -> Facts:
    if name not in _BASE:
        return testbed_facts(name, None)
    card: dict[str, Any] = {"architecture": "vit" if name in ("ViT", "DINO") else "resnet50", "source": "ImageNet-1k"}
    return facts_from_card(f"imagenet_x:{name}", card, group=_BASE[name])
