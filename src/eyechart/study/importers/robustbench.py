"""RobustBench: accuracy of twelve ImageNet classifiers on ImageNet-3DCC (unaggregated_results_3d.csv).

The file has two header lines, corruptions and severities. Accuracies are over 5,000 pictures.
"""

import csv
import io
from collections.abc import Sequence
from itertools import zip_longest

from eyechart.models.names.sources import find_source
from eyechart.study.facts import facts_from_card
from eyechart.study.groups import ROBUST, STANDARD
from eyechart.study.importers.text_files import ExcludedRows, Imported, TextFile, none_recognized, share
from eyechart.study.table import Value, to_table

ORIGIN = "robustbench"
_PICTURES = 5_000
# The table's names are those of papers; the architecture is a ResNet-50 unless the name has another.
_STANDARD = {"AlexNet": "alexnet", "Standard_R50": "resnet50"}
_ARCHITECTURES = {"50_2": "wide_resnet50_2", "DeiT-S": "deit_small_patch16_224", "DeiT-B": "deit_base_patch16_224"}


def read_robustbench(files: Sequence[TextFile]) -> Imported:
    """Accuracy by corruption and severity, and its mean over all of them (`imagenet-3dcc`)."""
    tables = [file for file in files if (lines := _lines(file)) and len(lines) > 2 and set(lines[1][1:]) == set("12345")]
    if not tables:
        raise none_recognized(files, "RobustBench's unaggregated_results_3d.csv")
    excluded = ExcludedRows(", ".join(file.name for file in tables))
    source, values, known = find_source("in1k"), [], set[str]()
    for file in tables:
        corruptions, severities, *rows = _lines(file)
        names = [f"imagenet-3dcc.{corruption}.{severity}" for corruption, severity in zip(corruptions, severities, strict=True)]
        for model, *cells in rows:
            shares = [share(text) for text in cells]
            if model in known or len(shares) != len(names) - 1 or None in shares:
                excluded.note("a duplicate, or not a fraction in every column", model)
                continue
            known.add(model)
            card = {"architecture": _architecture(model)} | ({"source": source.name} if source else {})
            facts = facts_from_card(f"robustbench:{model}", card, group=STANDARD if model in _STANDARD else ROBUST)
            found = {name: value for name, value in zip(names[1:], shares, strict=True) if value is not None}
            found["imagenet-3dcc"] = sum(found.values()) / len(found)
            values += [(facts, Value(name, value, _PICTURES)) for name, value in found.items()]
    return Imported(to_table(values, ORIGIN), excluded.notices())


def _architecture(model: str) -> str:
    named = next((name for part, name in _ARCHITECTURES.items() if part in model), "resnet50")
    return _STANDARD.get(model, named)


def _lines(file: TextFile) -> list[list[str]]:
    """Cells without spaces; none where the text is not CSV or the header lines differ in length."""
    try:
        lines = [[cell.strip() for cell in line] for line in csv.reader(io.StringIO(file.text, newline="")) if line]
    except csv.Error:
        return []
    if len(lines) < 2 or any((a is None) != (b is None) for a, b in zip_longest(lines[0], lines[1])):
        return []
    return lines
