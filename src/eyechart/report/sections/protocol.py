"""The protocol: the settings behind every hash, and the models, datasets and software of the run."""

from collections.abc import Mapping
from typing import Any

from eyechart.report.html.builder import (
    Child,
    Markup,
    bdi,
    code,
    dd,
    details,
    div,
    dl,
    dt,
    h3,
    li,
    ol,
    p,
    section,
    span,
    summary,
)

_FEW = 12  # items of a list that are not folded


def protocol_anchors(protocol: Mapping[str, Any]) -> dict[str, str]:
    """An address for each protocol hash, without the view. Numbered, because a hash from a file may be any text."""
    return {key: f"protocol/{place}" for place, key in enumerate(protocol.get("protocols") or {}, start=1)}


def protocol_section(protocol: Mapping[str, Any], anchors: Mapping[str, str]) -> Markup:
    parts: list[Child] = []
    hashes = protocol.get("protocols") or {}
    if hashes:
        parts.append(h3("Settings behind each number"))
        parts += [
            details(summary(code(key), " ", span(_probe_of(value), class_="quiet")), definitions(value), data_anchor=anchors[key])
            for key, value in hashes.items()
        ]
    for kind, title in (("models", "Models"), ("datasets", "Datasets"), ("probes", "Probes")):
        named = protocol.get(kind) or {}
        if named:
            parts.append(h3(title))
            parts += [details(summary(bdi(name)), definitions(value)) for name, value in named.items()]
    if protocol.get("environment"):
        parts += [h3("Software"), details(summary("Versions and machine"), definitions(protocol["environment"]))]
    return section(p("All settings, so that the results can be reproduced.", class_="sentence"), *parts, class_="protocol")


def _probe_of(value: Any) -> str:
    return str(value.get("probe", "")) if isinstance(value, Mapping) else ""


def definitions(value: Any) -> Markup:
    """Any JSON value as nested definitions; long lists are folded."""
    if isinstance(value, Mapping):
        if not value:
            return span("none", class_="quiet")
        return dl(*((dt(bdi(str(k))), dd(definitions(v))) for k, v in value.items()), class_="definitions")
    if isinstance(value, list):
        if not value:
            return span("none", class_="quiet")
        items = ol(*(li(definitions(v)) for v in value))
        return items if len(value) <= _FEW else details(summary(f"{len(value):,} items"), items)
    if value is None:
        return span("unknown", class_="quiet")
    if isinstance(value, bool):
        return span("yes" if value else "no")
    return div(bdi(str(value)))
