"""The page of a run: one folder that opens offline from the file system, with all findings."""

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
from eyechart.report.sections.exclusions import Exclusions, exclusions_of
from eyechart.report.sections.exclusions_section import exclusion_links, exclusions_section
from eyechart.report.sections.findings import findings_section
from eyechart.report.sections.guide import guide_section
from eyechart.report.sections.headline import comparison, numbers
from eyechart.report.sections.pictures import Place, write_thumbnails
from eyechart.report.sections.probe import Charts, exhibit_figure, probe_section
from eyechart.report.sections.protocol import protocol_anchors, protocol_section
from eyechart.report.sections.verdict import verdict_section
from eyechart.report.title import run_title
from eyechart.verdict.guide import guides
from eyechart.verdict.verdict import verdicts


def write_report(folder: Path, run: Run | None = None) -> Path:
    """Write `folder`/report/ and return the path of its index.html. An old report is replaced once the new one is complete.

    Args:
        folder: The folder of an examination.
        run: Its content, where it was read already.
    """
    run = run or read_run(folder)

    def fill(made: Path) -> None:
        thumbnails = write_thumbnails(run, made / "pictures")
        (made / "index.html").write_text(page(run, thumbnails), encoding="utf-8")

    return write_folder(folder / "report", fill)


def page(run: Run, thumbnails: dict[Place, str]) -> str:
    charts, anchors = Charts(), protocol_anchors(run.protocol)
    probes = {probe: f"probe-{place}" for place, probe in enumerate(run.probes, start=1)}
    excluded = exclusions_of(run)
    guide = guide_section(guides(run), probes, several=len(run.models) > 1)
    verdict = verdict_section(verdicts(run), probes, several=len(run.models) > 1)
    return document(
        run_title(run),
        a("Skip to the findings", href="#headline", class_="skip"),
        _header(run, excluded),
        _contents(probes, judged=verdict is not None, guided=guide is not None, excluded=bool(excluded)),
        main(
            verdict,
            _headline(run, excluded, charts, probes),
            guide,
            *(probe_section(run, probe, charts, thumbnails, anchor) for probe, anchor in probes.items()),
            exclusions_section(run, excluded),
            findings_section(run, h2("All findings"), anchors),
            protocol_section(run.protocol, anchors),
        ),
        made_by=f"Eyechart {run.protocol.get('eyechart', '')}".rstrip(),
        scripts=("findings.js",),
    )


def _header(run: Run, excluded: Exclusions) -> Markup:
    counts: list[Child] = [
        counted(len(run.models), "model"),
        counted(len(run.datasets), "dataset"),
        counted(len(run.probes), "probe"),
        counted(run.findings.num_rows, "finding"),
        *exclusion_links(excluded),
    ]
    return page_header(
        "Eye examination",
        _names(run.models),
        p("on ", _names(run.datasets), class_="lead"),
        p(*((" · " if place else None, span(count)) for place, count in enumerate(counts)), class_="quiet counts"),
    )


def _names(names: list[str]) -> list[Child]:
    parts: list[Child] = []
    for place, name in enumerate(names[:4]):
        parts += [", " if place else None, bdi(name)]
    return [*parts, f" and {len(names) - 4} more" if len(names) > 4 else None]


def _contents(probes: dict[str, str], *, judged: bool, guided: bool, excluded: bool) -> Markup:
    links = [
        a("Verdict", href="#verdict") if judged else None,
        a("Headline", href="#headline"),
        a("How to write captions", href="#guide") if guided else None,
        *(a(bdi(probe.replace("_", " ")), href=f"#{anchor}") for probe, anchor in probes.items()),
        a("Exclusions and notices", href="#exclusions") if excluded else None,
        a("All findings", href="#findings"),
        a("Protocol", href="#protocol"),
    ]
    return nav(ul(*(li(link) for link in links if link)), aria_label="Contents")


def _headline(run: Run, excluded: Exclusions, charts: Charts, probes: dict[str, str]) -> Markup:
    side_by_side = [exhibit_figure(e, charts, {}) for e in comparison(run)]
    script = element("noscript", p("Charts, sorting and filtering need JavaScript; the rest of this page works without it."))
    compared = div(*side_by_side, class_="exhibits") if side_by_side else None
    shown = numbers(run, excluded, probes)
    return section(h2("Headline findings"), script, shown, compared, about_models(run), id="headline", tabindex=-1)
