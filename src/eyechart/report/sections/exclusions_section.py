"""Exclusions and notices on the page: counted in its header, listed in a section. Nothing is excluded silently."""

from dataclasses import asdict

import pyarrow as pa

from eyechart.findings.run import Run
from eyechart.notice import counted
from eyechart.report.html.builder import Child, Markup, a, bdi, h3, h4, section, span
from eyechart.report.probe_counts import ProbeCounts
from eyechart.report.sections.exclusions import ExcludedPicture, Exclusions
from eyechart.report.sections.probe import plain_table


def exclusion_links(excluded: Exclusions, probes: ProbeCounts, view: str) -> list[Markup]:
    """The count of each kind, as a link to its list in the tab of the protocol."""
    pictures = sum(excluded.pictures.values())
    counts = {
        "failed": f"{counted(len(excluded.failed), 'model')} failed" if excluded.failed else "",
        "skipped": probes.skipped_text,
        "excluded": f"{counted(pictures, 'picture')} set aside" if pictures else "",
        "notices": counted(len(excluded.notices), "notice") if excluded.notices else "",
    }
    return [a(text, href=f"#{view}/protocol/{anchor}") for anchor, text in counts.items() if text]


def exclusions_section(run: Run, excluded: Exclusions, view: str | None = None) -> Markup | None:
    """The lists that the header counts.

    Args:
        run: The run.
        excluded: What was left out.
        view: The view that the links of the header name, where no script leads them here.
    """
    if not excluded:
        return None

    def title(anchor: str, *content: Child) -> Markup:
        return h4(*content, data_anchor=f"protocol/{anchor}", id=None if view is None else f"{view}/protocol/{anchor}")

    parts: list[Child] = []
    if excluded.failed:
        table = pa.table({"model": list(excluded.failed), "reason": list(excluded.failed.values())})
        parts += [title("failed", "Models that could not be examined"), plain_table(table, "Failed models")]
    if excluded.skips:
        table = pa.Table.from_pylist([asdict(s) for s in excluded.skips])
        parts += [title("skipped", "Skipped probes"), plain_table(table, "Skipped probes")]
    for place, dataset in enumerate(excluded.pictures):
        named = ("Pictures set aside ", span("of ", bdi(dataset), class_="quiet"))
        mine = [s for s in excluded.excluded if s.dataset == dataset]
        table = _pictures(mine, len(run.models) - len(excluded.failed))
        parts += [h4(*named) if place else title("excluded", *named), plain_table(table, "Pictures set aside")]
    if excluded.notices:
        table = pa.Table.from_pylist([asdict(n) for n in excluded.notices])
        parts += [title("notices", "Notices"), plain_table(table, "Notices")]
    return section(h3("Exclusions and notices"), *parts, class_="exclusions")


def _pictures(pictures: list[ExcludedPicture], models: int) -> pa.Table:
    """Models are named only where they differ."""
    table = pa.Table.from_pylist([{"id": s.id, "reason": s.reason, "place": s.place} for s in pictures])
    if all(len(s.models) == models for s in pictures) or models == 1:
        return table
    return table.append_column("models", pa.array([", ".join(s.models) for s in pictures]))
