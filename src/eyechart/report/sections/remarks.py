"""What was left out and what was odd, on the page: counted in its head, listed in a section. Nothing is dropped silently."""

from dataclasses import asdict

import pyarrow as pa

from eyechart.findings.run import Run
from eyechart.notice import counted
from eyechart.report.html.builder import Child, Markup, a, bdi, h2, h3, section, span
from eyechart.report.sections.left_out import LeftOut, SetAsidePictures
from eyechart.report.sections.probe import plain_table


def remark_links(missing: LeftOut) -> list[Markup]:
    """A count of each kind that there is, as a link to its list."""
    counts = {
        "failed": (len(missing.failed), "{} failed", "model"),
        "skipped": (len(missing.skips), "{} not asked", "question"),
        "set-aside": (sum(missing.pictures.values()), "{} set aside", "picture"),
        "notices": (len(missing.notices), "{}", "notice"),
    }
    return [a(text.format(counted(n, thing)), href=f"#{anchor}") for anchor, (n, text, thing) in counts.items() if n]


def remarks_section(run: Run, missing: LeftOut) -> Markup | None:
    if not missing:
        return None
    parts: list[Child] = []
    if missing.failed:
        table = pa.table({"model": list(missing.failed), "reason": list(missing.failed.values())})
        parts += [h3("Models that could not be examined", id="failed"), plain_table(table, "Failed models")]
    if missing.skips:
        table = pa.Table.from_pylist([asdict(s) for s in missing.skips])
        parts += [h3("Questions that could not be asked", id="skipped"), plain_table(table, "Skipped questions")]
    for place, dataset in enumerate(missing.pictures):
        title = h3("Pictures set aside ", span("of ", bdi(dataset), class_="quiet"), id=None if place else "set-aside")
        mine = [s for s in missing.set_aside if s.dataset == dataset]
        parts += [title, plain_table(_pictures(mine, len(run.models) - len(missing.failed)), "Pictures set aside")]
    if missing.notices:
        table = pa.Table.from_pylist([asdict(n) for n in missing.notices])
        parts += [h3("Notices", id="notices"), plain_table(table, "Notices")]
    return section(h2("What was left out, and why"), *parts, id="remarks")


def _pictures(pictures: list[SetAsidePictures], models: int) -> pa.Table:
    """The models are named only where some could use what others could not."""
    table = pa.Table.from_pylist([{"id": s.id, "reason": s.reason, "place": s.place} for s in pictures])
    if all(len(s.models) == models for s in pictures) or models == 1:
        return table
    return table.append_column("models", pa.array([", ".join(s.models) for s in pictures]))
