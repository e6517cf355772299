"""The page: one folder that opens from the file system, offline, with everything a run has found."""

import shutil
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from eyechart.findings.run import Run, read_run
from eyechart.notice import counted
from eyechart.report.drawing import theme
from eyechart.report.findings_section import findings_section
from eyechart.report.headline import cards, comparison
from eyechart.report.html import (
    Child,
    Markup,
    a,
    bdi,
    button,
    data_script,
    div,
    element,
    footer,
    h1,
    h2,
    header,
    li,
    main,
    nav,
    p,
    section,
    span,
    ul,
)
from eyechart.report.left_out import LeftOut, left_out
from eyechart.report.letters import eye_chart
from eyechart.report.pictures import Place, write_thumbnails
from eyechart.report.probe_section import Charts, exhibit_figure, probe_section
from eyechart.report.protocol_section import protocol_anchors, protocol_section
from eyechart.report.remarks import remark_links, remarks_section

# Nothing is fetched, nothing inline runs, nothing is evaluated. 'file:' is what 'self' means to some browsers on a file's page.
_POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; img-src 'self' file: data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
_SCRIPTS = ("vega.min.js", "vega-lite.min.js", "vega-embed.min.js", "charts.js", "findings.js")


def write_report(folder: Path) -> Path:
    """Read the run in `folder`, write `folder`/report/ anew and give the path of its index.html.

    The old report stays until the new one is complete.
    """
    run = read_run(folder)
    made = Path(tempfile.mkdtemp(prefix=".report-", dir=folder))
    try:
        made.chmod(0o755)  # mkdtemp keeps it to its maker; a report is to be shared
        _copy_assets(made / "assets")
        thumbnails = write_thumbnails(run, made / "pictures")
        (made / "index.html").write_text(page(run, thumbnails), encoding="utf-8")
        _put(made, folder / "report")
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder / "report" / "index.html"


def _put(made: Path, place: Path) -> None:
    """Rename `made` to `place`; what was there before goes only once it has made room."""
    old = Path(tempfile.mkdtemp(prefix=".report-", dir=place.parent))
    try:
        if place.exists():
            place.replace(old / "report")
        made.replace(place)
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _copy_assets(place: Path) -> None:
    place.mkdir()
    for room in ("assets", "runtime"):
        with as_file(files("eyechart.report") / room) as source:
            for path in sorted(source.iterdir()):
                if path.suffix in {".js", ".css", ".txt"}:
                    shutil.copyfile(path, place / path.name)


def page(run: Run, thumbnails: dict[Place, str]) -> str:
    charts, anchors = Charts(), protocol_anchors(run.protocol)
    probes = {probe: f"probe-{place}" for place, probe in enumerate(run.probes, start=1)}
    missing = left_out(run)
    body = [
        a("Skip to the findings", href="#headline", class_="skip"),
        _header(run, missing),
        _contents(probes, bool(missing)),
        main(
            _headline(run, missing, charts),
            *(probe_section(run, probe, charts, thumbnails, anchor) for probe, anchor in probes.items()),
            remarks_section(run, missing),
            findings_section(run.findings, h2("All findings"), anchors),
            protocol_section(run.protocol, anchors),
        ),
        footer(p(f"Made by Eyechart {run.protocol.get('eyechart', '')}. This page holds all it shows and fetches nothing.")),
        data_script("theme", theme()),
        *(element("script", src=f"assets/{name}") for name in _SCRIPTS),
    ]
    document = element("html", _head(run), element("body", *body), lang="en")
    return f"<!doctype html>\n{document.text}\n"


def _head(run: Run) -> Markup:
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"Eye examination of {_listed(run.models)} on {_listed(run.datasets)}"),
        element("link", rel="stylesheet", href="assets/report.css"),
        # In the head and before anything is painted, so that a chosen theme does not flash.
        element("script", src="assets/theme.js"),
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
    return header(
        div(
            p("Eye examination", class_="kicker"),
            h1(_names(run.models)),
            p("looking at ", _names(run.datasets), class_="lead"),
            p(*((" · " if place else None, span(count)) for place, count in enumerate(counts)), class_="quiet counts"),
        ),
        eye_chart(),
        button("Dark", type="button", id="theme-toggle", hidden=True),
        class_="top",
    )


def _names(names: list[str]) -> list[Child]:
    parts: list[Child] = []
    for place, name in enumerate(names[:4]):
        parts += [", " if place else None, bdi(name)]
    return [*parts, f" and {len(names) - 4} more" if len(names) > 4 else None]


def _contents(probes: dict[str, str], remarks: bool) -> Markup:
    links = [
        a("Headline", href="#headline"),
        *(a(bdi(probe.replace("_", " ")), href=f"#{anchor}") for probe, anchor in probes.items()),
        a("Left out", href="#remarks") if remarks else None,
        a("All findings", href="#findings"),
        a("Protocol", href="#protocol"),
    ]
    return nav(ul(*(li(link) for link in links if link)), aria_label="Contents")


def _headline(run: Run, missing: LeftOut, charts: Charts) -> Markup:
    side_by_side = [exhibit_figure(e, charts, {}) for e in comparison(run)]
    script = element("noscript", p("Charts, sorting and filtering need JavaScript; all else on this page is here without it."))
    compared = div(*side_by_side, class_="exhibits") if side_by_side else None
    return section(h2("Headline findings"), script, cards(run, missing), compared, id="headline", tabindex=-1)
