"""Tables of class accuracies, {model: {"full": top-1, "classwise": {class: accuracy}}} in percent, one JSON file per dataset.

"No 'Zero-Shot' Without Exponential Data" (Udandarao et al., 2024) published such files, DATASET_PROMPTS_results.json. A study
holds values of whole datasets, so each file gives top-1 accuracy, the mean over classes, and what is known of the worst classes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from eyechart.errors import DataError
from eyechart.files.records import parse_json
from eyechart.metrics.classification.worst_classes import geometric_mean, harmonic_mean, worst_count, worst_mean
from eyechart.models.names.model_names import read_open_clip
from eyechart.study.facts import facts_from_card
from eyechart.study.importers.text_files import ExcludedRows, Imported, TextFile, none_recognized, share
from eyechart.study.measures import known_measures
from eyechart.study.table import Value, to_table

ORIGIN = "per_class"
EPSILON = 0.01  # the lowest class accuracy in smoothed means, as in the probe `worst`
_FILE = re.compile(r"(?P<dataset>.+)_(?P<prompts>[a-z]+)_results\.json")
_MODEL = re.compile(r"backbone(?P<architecture>.+)_pretrained(?P<tag>.+)")


def read_per_class(files: Sequence[TextFile]) -> Imported:
    """The summaries of every model in every file."""
    known = [(file, match) for file in files if (match := _FILE.fullmatch(file.name))]
    if not known:
        raise none_recognized(
            files, "DATASET_PROMPTS_results.json with the accuracy of each class, such as imagenet_ensemble_results.json"
        )
    excluded = ExcludedRows(", ".join(file.name for file, _ in known))
    values = []
    for file, match in known:
        content = parse_json(file.text, file.where)
        if not isinstance(content, dict):
            raise DataError(
                f'{file.where}: expected {{model: {{"full": …, "classwise": {{…}}}}}}; check that it is the right file'
            )
        for name, row in content.items():
            accuracies = _accuracies(row)
            if accuracies is None:
                excluded.note("no accuracy of two classes or more in percent", f"{name} in {file.name}")
                continue
            facts = facts_from_card(*_model(name))
            values += [(facts, value) for value in _values(match["dataset"], match["prompts"], row, accuracies)]
    return Imported(to_table(values, ORIGIN), excluded.notices())


def _accuracies(row: Any) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """The class accuracies as fractions; None where one of them is no percentage."""
    classwise = row.get("classwise") if isinstance(row, dict) else None
    if not isinstance(classwise, dict) or len(classwise) < 2:
        return None
    shares = [share(str(value), percent=True) for value in classwise.values()]
    found = [value for value in shares if value is not None]
    return np.array(found) if len(found) == len(shares) else None


def _values(
    dataset: str, prompts: str, row: Mapping[str, Any], accuracies: np.ndarray[Any, np.dtype[np.float64]]
) -> Iterator[Value]:
    """Top-1 under the measure of the dataset, and summaries of the classes under the names that findings have."""
    top1 = share(str(row.get("full")), percent=True)
    if top1 is not None:
        measure = known_measures().get(dataset)
        yield Value(dataset, top1, measure.n if measure else None, prompts=prompts)
    k = worst_count(len(accuracies))
    summaries = {
        "mean_per_class": accuracies.mean(),
        f"worst_at_k[k={k}]": worst_mean(accuracies, k),
        "worst_class": accuracies.min(),
        f"harmonic_mean_smoothed[epsilon={EPSILON}]": harmonic_mean(accuracies, least=EPSILON),
        f"geometric_mean_smoothed[epsilon={EPSILON}]": geometric_mean(accuracies, least=EPSILON),
        "zero_accuracy_share": (accuracies == 0).mean(),
    }
    for name, value in summaries.items():
        yield Value(f"{dataset}/{name}", float(value), None, prompts=prompts)


def _model(name: str) -> tuple[str, dict[str, Any]]:
    """The name that the study has for a model, and what it says of it."""
    match = _MODEL.fullmatch(name)
    if match is None:
        return f"{ORIGIN}:{name}", {}
    architecture, tag = match["architecture"], match["tag"]
    return f"{ORIGIN}:{architecture}/{tag}", read_open_clip(architecture, tag)
