"""The page: one folder that opens from the file system, offline, with everything a run has found."""

from pathlib import Path

from eyechart.findings.run import Run, read_run
from eyechart.notice import counted
from eyechart.report.html.builder import (
    Child,
    Markup,
    a,
    bdi,
    div,
    element,
    h2,
    li,
    main,
    nav,
    p,
    section,
    span,
    ul,
)
from eyechart.report.html.shell import document, page_header, write_folder
from eyechart.report.sections.about_models import about_models
from eyechart.report.sections.findings import findings_section
from eyechart.report.sections.guide import guide_section
from eyechart.report.sections.headline import comparison, numbers
from eyechart.report.sections.left_out import LeftOut, left_out
from eyechart.report.sections.pictures import Place, write_thumbnails
from eyechart.report.sections.probe import Charts, exhibit_figure, probe_section
from eyechart.report.sections.protocol import protocol_anchors, protocol_section
from eyechart.report.sections.remarks import remark_links, remarks_section
from eyechart.report.sections.verdict import verdict_section
from eyechart.verdict.guide import guides
from eyechart.verdict.verdict import verdicts


def write_report(folder: Path, run: Run | None = None) -> Path:
    """Write `folder`/report/ and return the path of its index.html. The old report stays until the new one is complete.

    Args:
        folder: The folder of an examination.
        run: What it holds, where it was read already.
    """
    run = run or read_run(folder)

    def fill(made: Path) -> None:
        thumbnails = write_thumbnails(run, made / "pictures")
        (made / "index.html").write_text(page(run, thumbnails), encoding="utf-8")

    return write_folder(folder / "report", fill)


def page(run: Run, thumbnails: dict[Place, str]) -> str:
    charts, anchors = Charts(), protocol_anchors(run.protocol)
    probes = {probe: f"probe-{place}" for place, probe in enumerate(run.probes, start=1)}
    missing = left_out(run)
    guide = guide_section(guides(run), probes, several=len(run.models) > 1)
    verdict = verdict_section(verdicts(run), probes, several=len(run.models) > 1)
    return document(
        f"Eye examination of {_listed(run.models)} on {_listed(run.datasets)}",
        a("Skip to the findings", href="#headline", class_="skip"),
        _header(run, missing),
        _contents(probes, judged=verdict is not None, guided=guide is not None, remarks=bool(missing)),
        main(
            verdict,
            _headline(run, missing, charts, probes),
            guide,
            *(probe_section(run, probe, charts, thumbnails, anchor) for probe, anchor in probes.items()),
            remarks_section(run, missing),
            findings_section(run, h2("All findings"), anchors),
            protocol_section(run.protocol, anchors),
        ),
        made_by=f"Eyechart {run.protocol.get('eyechart', '')}".rstrip(),
        scripts=("findings.js",),
    )


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _header(run: Run, missing: LeftOut) -> Markup:
    counts: list[Child] = [
        counted(len(run.models), "model"),
        counted(len(run.datasets), "dataset"),
        counted(len(run.probes), "probe"),
        counted(run.findings.num_rows, "finding"),
        *remark_links(missing),
    ]
    return page_header(
        "Eye examination",
        _names(run.models),
        p("looking at ", _names(run.datasets), class_="lead"),
        p(*((" · " if place else None, span(count)) for place, count in enumerate(counts)), class_="quiet counts"),
    )


def _names(names: list[str]) -> list[Child]:
    parts: list[Child] = []
    for place, name in enumerate(names[:4]):
        parts += [", " if place else None, bdi(name)]
    return [*parts, f" and {len(names) - 4} more" if len(names) > 4 else None]


def _contents(probes: dict[str, str], *, judged: bool, guided: bool, remarks: bool) -> Markup:
    links = [
        a("At a glance", href="#verdict") if judged else None,
        a("Headline", href="#headline"),
        a("How to write captions", href="#guide") if guided else None,
        *(a(bdi(probe.replace("_", " ")), href=f"#{anchor}") for probe, anchor in probes.items()),
        a("Left out", href="#remarks") if remarks else None,
        a("All findings", href="#findings"),
        a("Protocol", href="#protocol"),
    ]
    return nav(ul(*(li(link) for link in links if link)), aria_label="Contents")


def _headline(run: Run, missing: LeftOut, charts: Charts, probes: dict[str, str]) -> Markup:
    side_by_side = [exhibit_figure(e, charts, {}) for e in comparison(run)]
    script = element("noscript", p("Charts, sorting and filtering need JavaScript; all else on this page is here without it."))
    compared = div(*side_by_side, class_="exhibits") if side_by_side else None
    shown = numbers(run, missing, probes)
    return section(h2("Headline findings"), script, shown, compared, about_models(run), id="headline", tabindex=-1)
