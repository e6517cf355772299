"""The schema metadata of Hugging Face datasets: which columns are pictures, and the names of label numbers."""

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

Features = Mapping[str, Any]


def features_of(schema: pa.Schema) -> Features:
    """The feature of every column; empty where the file was not written by `datasets`."""
    try:
        features = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))["info"]["features"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return features if isinstance(features, dict) else {}


def kinds_of(features: Features) -> dict[str, str]:
    return {name: str(feature["_type"]) for name, feature in features.items() if isinstance(feature, dict) and "_type" in feature}


def class_names_of(features: Features, column: str | None) -> tuple[str, ...]:
    """The class names of a column of label numbers."""
    feature = features.get(column or "")
    names = feature.get("names") if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" else None
    return tuple(str(name) for name in names) if isinstance(names, list) else ()
