"""The documentation page of each probe, beside the report, so that every number can link to what it means."""

from collections.abc import Iterable
from pathlib import Path

from eyechart.findings.exhibit import slug
from eyechart.findings.metric import Metric
from eyechart.findings.numbers import format_value
from eyechart.findings.run import Run
from eyechart.report.html.builder import a, bdi, code, h2, li, main, p, ul
from eyechart.report.html.shell import document, page_header

FOLDER = "docs"


def write_docs(run: Run, folder: Path) -> dict[str, str]:
    """Write a page for each probe of the run; probe → its address relative to the report.

    Args:
        run: The run.
        folder: The folder of the report.
    """
    (folder / FOLDER).mkdir(exist_ok=True)
    written: dict[str, str] = {}
    for number, probe in enumerate(run.probes):
        # A probe of another package may have any name.
        name = f"{slug(probe)}.html" if slug(probe) == probe else f"probe-{number}.html"
        (folder / FOLDER / name).write_text(_page(run, probe), encoding="utf-8")
        written[probe] = f"{FOLDER}/{name}"
    return written


def _page(run: Run, probe: str) -> str:
    metrics = [metric for of, metric in run.metrics() if of == probe]
    return document(
        f"{probe}: what it measures",
        page_header("Probe", bdi(probe.replace("_", " ")), p(bdi(run.question(probe)), class_="lead")),
        main(
            h2("Metrics"),
            ul(*_metrics(metrics)) if metrics else p("The results do not describe the metrics of this probe."),
            p(a("Back to the report", href="../index.html")),
        ),
        root="../",
        charts=False,
    )


def _metrics(metrics: Iterable[Metric]) -> Iterable[object]:
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
