"""The documentation page of each probe, beside the report, so that every number can link to what it means."""

from collections.abc import Iterator
from pathlib import Path

from eyechart.docs import page_of_probe, write_pages
from eyechart.findings.metric import Metric
from eyechart.findings.numbers import format_value
from eyechart.findings.run import Run
from eyechart.report.html.builder import Markup, a, bdi, code, h2, li, main, nav, p, ul
from eyechart.report.html.shell import document, page_header
from eyechart.verdict.not_tested import PROBE_TO_READ

FOLDER = "docs"
TOPICS = ("report", "predictions", "findings")  # pages that the report itself links to


def write_docs(run: Run, folder: Path) -> dict[str, str]:
    """Write a page for each probe of the run and of the verdict's areas; probe → its address relative to the report.

    It is the probe's page of the documentation. A probe of another package has none there, so its page is made from the run.

    Args:
        run: The run.
        folder: The folder of the report.
    """
    probes = dict.fromkeys([*run.probes, *PROBE_TO_READ.values()])
    known = {probe: page.topic for probe in probes if (page := page_of_probe(probe)) is not None}
    # Without pictures: they would be most of the report.
    files = write_pages(folder / FOLDER, [*known.values(), *TOPICS], pictures=False, report=folder)
    written = {probe: files[topic].relative_to(folder).as_posix() for probe, topic in known.items()}
    for number, probe in enumerate(probe for probe in run.probes if probe not in known):
        # Numbered, because a probe of another package may have any name.
        written[probe] = f"probe-{number}.html"
        (folder / written[probe]).write_text(_page(run, probe), encoding="utf-8")
    return written


def _page(run: Run, probe: str) -> str:
    metrics = [metric for of, metric in run.metrics() if of == probe]
    return document(
        f"{probe}: what it measures",
        page_header("Probe", bdi(probe.replace("_", " ")), p(bdi(run.question(probe)), class_="lead")),
        nav(a("← Back to the report", href="index.html"), aria_label="Back"),
        main(
            h2("Metrics"),
            ul(*_metrics(metrics)) if metrics else p("The results do not describe the metrics of this probe."),
        ),
    )


def _metrics(metrics: list[Metric]) -> Iterator[Markup]:
    for metric in metrics:
        better = {True: "higher is better", False: "lower is better", None: "neither direction is better"}
        yield li(code(metric.name), ": ", bdi(metric.title), f"; {better[metric.higher_is_better]}", _limit(metric))


def _limit(metric: Metric) -> str:
    limits, unit = metric.limits, metric.shown_unit
    if limits is None:
        return ""
    parts = [f"at least {format_value(limits.at_least, unit)}"] if isinstance(limits.at_least, float | int) else []
    parts += [f"at most {format_value(limits.at_most, unit)}"] if limits.at_most is not None else []
    return f"; good: {' and '.join(parts)}" if parts else "; judged relative to chance"
