"""Predictions as a FiftyOne dataset: a folder with `metadata.json` and `samples.json`, and the pictures where they are.

    fiftyone.Dataset.from_dir(dataset_dir=FOLDER, dataset_type=fiftyone.types.FiftyOneDataset)

FiftyOne reads metadata without a version as its plain JSON format, in which labels are objects with a class name.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from eyechart.errors import DataError, UsageError
from eyechart.files.atomic import atomic_path, write_json
from eyechart.findings.prediction_groups import PredictionGroup, prediction_groups, read_group
from eyechart.findings.run import Run
from eyechart.report.exports.file_names import file_names
from eyechart.report.exports.options import ExportOptions

_COLUMNS = ("id", "label", "predicted", "rank", "confidence", "margin", "ood_score")
_TABLES = ("csv", "tsv", "jsonl")


def write_fiftyone_datasets(run: Run, folder: Path, options: ExportOptions) -> list[Path]:
    """A folder `DATASET` for each dataset with predictions under the leading prompt set. Pictures are not copied.

    Raises:
        UsageError: If no dataset has predictions, or one has pictures that are not files.
        DataError: If a picture is not where it was.
    """
    file = run.open_predictions()
    leading = {None, *run.prompts[:1]}
    groups = [g for g in prediction_groups(file) if g.prompts in leading and g.dataset == g.of]
    if not groups:
        raise UsageError("fiftyone: the run has no predictions; examine a dataset with classes, with the probe zero_shot")
    names, paths = file_names(dict.fromkeys(group.dataset for group in groups)), []
    for dataset, name in names.items():
        mine = [group for group in groups if group.dataset == dataset]
        place = folder / name
        about = {"made_by": f"Eyechart {run.protocol.get('eyechart', '')}".strip(), "fields": _fields(mine)}
        write_json(place / "metadata.json", {"name": dataset, "media_type": "image", "info": {"eyechart": about}})
        with atomic_path(place / "samples.json") as unfinished, unfinished.open("w", encoding="utf-8") as out:
            out.write('{"samples": [')
            for number, sample in enumerate(_samples(run, file, dataset, mine)):
                out.write((",\n" if number else "\n") + json.dumps(sample, allow_nan=False))
            out.write("\n]}\n")
        paths += [place / "metadata.json", place / "samples.json"]
    return paths


def _samples(run: Run, file: Any, dataset: str, groups: Sequence[PredictionGroup]) -> Iterator[dict[str, Any]]:
    """The pictures of the first model, with the predictions of all."""
    fields = _fields(groups)
    first, *others = (read_group(file, group, _COLUMNS) for group in groups)
    answers = [{row["id"]: row for row in other.to_pylist()} for other in others]
    place = _place(run, dataset)
    for batch in first.to_batches():
        for row in batch.to_pylist():
            path = place / row["id"]
            if not path.is_file():
                remedy = "run the command in the folder that the examination was run in, or examine again"
                raise DataError(f"fiftyone: {path} does not exist; {remedy}")
            rows = [row, *(answer.get(row["id"]) for answer in answers)]
            sample: dict[str, Any] = {"filepath": str(path), "tags": _tags(row), "eyechart_id": row["id"]}
            if row["label"] is not None:
                sample["ground_truth"] = {"_cls": "Classification", "label": row["label"]}
            yield sample | {field: _label(found) for field, found in zip(fields, rows, strict=True) if found is not None}


def _tags(row: dict[str, Any]) -> list[str]:
    """Of the first model."""
    return [] if row["rank"] is None else ["correct" if row["rank"] == 1 else "wrong"]


def _label(row: dict[str, Any]) -> dict[str, Any]:
    numbers = {name: row[name] for name in ("confidence", "margin", "ood_score", "rank") if row[name] is not None}
    return {"_cls": "Classification", "label": row["predicted"], **numbers}


def _fields(groups: Sequence[PredictionGroup]) -> dict[str, dict[str, str | None]]:
    """Name of a field → its model and prompts. Field names are letters, digits and underscores."""
    plain = [re.sub(r"\W+", "_", group.model, flags=re.ASCII) for group in groups]
    names = [f"prediction_{i}_{name}" for i, name in enumerate(plain, start=1)] if len(groups) > 1 else ["prediction"]
    return {name: {"model": group.model, "prompts": group.prompts} for name, group in zip(names, groups, strict=True)}


def _place(run: Run, dataset: str) -> Path:
    """The folder that the ids are paths in."""
    facts = run.dataset_facts(dataset)
    reader = _object(facts.get("reader"))
    source = Path(str(facts.get("source") or "")).expanduser().absolute()
    if reader.get("kind") == "folder":
        return source / str(reader.get("split") or "")
    columns = _object(reader.get("columns"))
    by_path = "path" in columns and reader.get("ids") == f"column {columns['path']}"
    if reader.get("kind") in _TABLES and by_path and reader.get("root") != "given":
        return source.parent
    raise UsageError(
        f"fiftyone: the pictures of {dataset} are not known as files ({reader.get('kind') or 'an unknown reader'}); "
        "examine a folder, or a table with ids that are file names"
    )


def _object(value: Any) -> dict[str, Any]:
    """The JSON object, or an empty one where a protocol has something else there."""
    return value if isinstance(value, dict) else {}
