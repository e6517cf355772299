"""Headline metrics as records of Every Eval Ever, a shared schema for evaluation results (https://evalevalai.com).

One JSON file per model and dataset, in the folders of its datastore: data/BENCHMARK/DEVELOPER/MODEL/UUID.json. A record must
say whether lower is better, so metrics without a direction are left out.
"""

import hashlib
import json
import uuid
from pathlib import Path
from typing import Any

from eyechart.errors import UsageError
from eyechart.files.atomic import write_json
from eyechart.findings.exhibit import slug
from eyechart.findings.finding import slice_key
from eyechart.findings.numbers import slice_text
from eyechart.findings.run import Run
from eyechart.report.exports.file_names import file_names
from eyechart.report.exports.headline_metrics import headline_metrics
from eyechart.report.exports.options import ExportOptions
from eyechart.report.summary import HeadlineRow

SCHEMA_VERSION = "0.2.2"
_UNKNOWN = "unknown"


def write_every_eval_ever(run: Run, folder: Path, options: ExportOptions) -> list[Path]:
    """Write the records.

    Raises:
        UsageError: If `options` name no organization, which every record must.
    """
    if not options.organization:
        raise UsageError("every-eval-ever: a record names who ran the evaluation; give it: --organization NAME")
    datasets, models, paths = file_names(run.datasets), file_names(run.models), []
    for model in run.models:
        rows = [row for row in headline_metrics(run, model) if row.higher_is_better is not None]
        for dataset in dict.fromkeys(row.dataset for row in rows):
            record = _record(run, model, dataset, [row for row in rows if row.dataset == dataset], options)
            place = folder / "data" / datasets[dataset] / slug(record["model_info"]["developer"]) / models[model]
            path = place / f"{_uuid(record)}.json"
            write_json(path, record)
            paths.append(path)
    return paths


def _record(run: Run, model: str, dataset: str, rows: list[HeadlineRow], options: ExportOptions) -> dict[str, Any]:
    about, created = _model_info(run, model), _created(run)
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{dataset}/{about['id']}/{created}",
        "retrieved_timestamp": created,
        "source_metadata": {
            "source_name": "Eyechart",
            "source_type": "evaluation_run",
            "source_organization_name": options.organization,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "eyechart", "version": str(run.protocol.get("eyechart") or _UNKNOWN)},
        "model_info": about,
        "evaluation_results": [_result(run, row, options) for row in rows],
    }


def _model_info(run: Run, model: str) -> dict[str, Any]:
    facts = run.model_facts(model)
    spec = str(facts.get("spec") or model)
    backend, _, name = spec.partition(":")
    on_hub = backend == "hf" and name.count("/") == 1
    given = facts.get("card")
    card: dict[str, Any] = given if isinstance(given, dict) else {}
    details = {key: card.get(key) for key in ("architecture", "source", "dataset_size", "parameters", "resolution", "loss")}
    details |= {"spec": spec, "fingerprint": facts.get("fingerprint")}
    return {
        "name": model,
        "id": name if on_hub else spec,
        "developer": name.partition("/")[0] if on_hub else _UNKNOWN,
        "inference_engine": {"name": str(card.get("backend") or backend)},
        "additional_details": {key: str(value) for key, value in details.items() if value is not None},
    }


def _created(run: Run) -> str:
    """When the findings were written, as Unix time: the same for every export of a run."""
    findings = None if run.folder is None else run.folder / "findings.parquet"
    return str(int(findings.stat().st_mtime)) if findings is not None and findings.is_file() else "0"


def _result(run: Run, row: HeadlineRow, options: ExportOptions) -> dict[str, Any]:
    where = json.loads(row.slice)
    own = {key: value for key, value in where.items() if key != "prompts"}
    name = f"{row.dataset}/{row.probe}.{row.metric}"
    return {
        "evaluation_result_id": name + (slice_key(own) if own else ""),
        "evaluation_name": row.dataset,
        "source_data": _source(run, row.dataset, options),
        "metric_config": {
            "evaluation_description": run.question(row.probe),
            "metric_id": "accuracy" if row.metric == "top1" else f"eyechart.{row.probe}.{row.metric}",
            "metric_name": row.title + (f" ({slice_text(row.slice)})" if where else ""),
            "metric_unit": "proportion" if row.record.unit == "fraction" else row.record.unit,
            "metric_parameters": {key: _plain(value) for key, value in where.items()},
            "lower_is_better": not row.higher_is_better,
            **_range(row),
        },
        "score_details": {"score": row.value, "uncertainty": _uncertainty(row)},
    }


def _source(run: Run, dataset: str, options: ExportOptions) -> dict[str, Any]:
    hub = options.hub_dataset(run, dataset)
    if hub is None:
        return {"dataset_name": dataset, "source_type": "other"}
    source = {"dataset_name": dataset, "source_type": "hf_dataset", "hf_repo": hub.id}
    n = run.dataset_facts(dataset).get("n")
    return source | ({"samples_number": n} if isinstance(n, int) else {})


def _range(row: HeadlineRow) -> dict[str, Any]:
    """The schema wants both ends of a continuous score; they are known only for fractions."""
    if row.record.unit != "fraction":
        return {}
    return {"score_type": "continuous", "min_score": -1.0 if row.record.difference else 0.0, "max_score": 1.0}


def _uncertainty(row: HeadlineRow) -> dict[str, Any]:
    found: dict[str, Any] = {"num_samples": row.n}
    if row.low is not None and row.high is not None:
        found["confidence_interval"] = {"lower": row.low, "upper": row.high, "confidence_level": 0.95}
        if row.interval:
            found["confidence_interval"]["method"] = row.interval
    return found


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float | bool) else json.dumps(value)


def _uuid(record: dict[str, Any]) -> uuid.UUID:
    """The form of a random UUID, as the datastore asks for, but made from the record: the same record has the same name."""
    digest = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).digest()
    return uuid.UUID(bytes=digest[:16], version=4)
