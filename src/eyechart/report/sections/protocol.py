"""The protocol, spelled out: what every hash stands for, and which models, datasets and software gave the numbers."""

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
    h2,
    h3,
    li,
    ol,
    p,
    section,
    span,
    summary,
)

_FEW = 12  # items of a list that are seen without opening anything


def protocol_anchors(protocol: Mapping[str, Any]) -> dict[str, str]:
    """An anchor for each protocol hash. Numbered, because a hash read from a file may hold any text."""
    return {key: f"protocol-{place}" for place, key in enumerate(protocol.get("protocols") or {}, start=1)}


def protocol_section(protocol: Mapping[str, Any], anchors: Mapping[str, str]) -> Markup:
    parts: list[Child] = []
    hashes = protocol.get("protocols") or {}
    if hashes:
        parts.append(h3("Settings behind each number"))
        parts += [
            details(summary(code(key), " ", span(_probe_of(value), class_="quiet")), spelled_out(value), id=anchors[key])
            for key, value in hashes.items()
        ]
    for kind, title in (("models", "Models"), ("datasets", "Datasets"), ("probes", "Probes")):
        named = protocol.get(kind) or {}
        if named:
            parts.append(h3(title))
            parts += [details(summary(bdi(name)), spelled_out(value)) for name, value in named.items()]
    if protocol.get("environment"):
        parts += [h3("Software"), details(summary("Versions and machine"), spelled_out(protocol["environment"]))]
    return section(
        h2("Protocol"),
        p("Everything that was chosen, so that another can do the same.", class_="sentence"),
        *parts,
        id="protocol",
    )


def _probe_of(value: Any) -> str:
    return str(value.get("probe", "")) if isinstance(value, Mapping) else ""


def spelled_out(value: Any) -> Markup:
    """Any JSON value as nested definitions; long lists are folded."""
    if isinstance(value, Mapping):
        if not value:
            return span("none", class_="quiet")
        return dl(*((dt(bdi(str(k))), dd(spelled_out(v))) for k, v in value.items()), class_="spelled")
    if isinstance(value, list):
        if not value:
            return span("none", class_="quiet")
        items = ol(*(li(spelled_out(v)) for v in value))
        return items if len(value) <= _FEW else details(summary(f"{len(value):,} items"), items)
    if value is None:
        return span("not known", class_="quiet")
    if isinstance(value, bool):
        return span("yes" if value else "no")
    return div(bdi(str(value)))
