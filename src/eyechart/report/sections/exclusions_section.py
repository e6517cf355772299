"""Exclusions and notices on the page: counted in its header, listed in a section. Nothing is excluded silently."""

from dataclasses import asdict

import pyarrow as pa

from eyechart.findings.run import Run
from eyechart.notice import counted
from eyechart.report.html.builder import Child, Markup, a, bdi, h3, h4, section, span
from eyechart.report.sections.exclusions import ExcludedPicture, Exclusions
from eyechart.report.sections.probe import plain_table


def exclusion_links(excluded: Exclusions, view: str) -> list[Markup]:
    """The count of each kind, as a link to its list in the tab of the protocol."""
    several = len({s.dataset for s in excluded.skips}) > 1
    counts = {
        "failed": (len(excluded.failed), "{} failed", "model"),
        "skipped": (len({s.probe for s in excluded.skips}), "{} skipped" + " on some datasets" * several, "probe"),
        "excluded": (sum(excluded.pictures.values()), "{} set aside", "picture"),
        "notices": (len(excluded.notices), "{}", "notice"),
    }
    return [
        a(text.format(counted(n, noun)), href=f"#{view}/protocol/{anchor}") for anchor, (n, text, noun) in counts.items() if n
    ]


def exclusions_section(run: Run, excluded: Exclusions) -> Markup | None:
    if not excluded:
        return None
    parts: list[Child] = []
    if excluded.failed:
        table = pa.table({"model": list(excluded.failed), "reason": list(excluded.failed.values())})
        parts += [h4("Models that could not be examined", data_anchor="protocol/failed"), plain_table(table, "Failed models")]
    if excluded.skips:
        table = pa.Table.from_pylist([asdict(s) for s in excluded.skips])
        parts += [h4("Skipped probes", data_anchor="protocol/skipped"), plain_table(table, "Skipped probes")]
    for place, dataset in enumerate(excluded.pictures):
        title = h4(
            "Pictures set aside ", span("of ", bdi(dataset), class_="quiet"), data_anchor=None if place else "protocol/excluded"
        )
        mine = [s for s in excluded.excluded if s.dataset == dataset]
        parts += [title, plain_table(_pictures(mine, len(run.models) - len(excluded.failed)), "Pictures set aside")]
    if excluded.notices:
        table = pa.Table.from_pylist([asdict(n) for n in excluded.notices])
        parts += [h4("Notices", data_anchor="protocol/notices"), plain_table(table, "Notices")]
    return section(h3("Exclusions and notices"), *parts, class_="exclusions")


def _pictures(pictures: list[ExcludedPicture], models: int) -> pa.Table:
    """Models are named only where they differ."""
    table = pa.Table.from_pylist([{"id": s.id, "reason": s.reason, "place": s.place} for s in pictures])
    if all(len(s.models) == models for s in pictures) or models == 1:
        return table
    return table.append_column("models", pa.array([", ".join(s.models) for s in pictures]))
