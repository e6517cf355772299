"""An examination as a notebook shows it: the headline findings as a table, and where the page is."""

from pathlib import Path

from eyechart.findings.run import Run
from eyechart.report.html.builder import element, p, render
from eyechart.report.summary import summary_rows

_COLUMNS = ("model", "dataset", "question", "metric", "value", "95% interval", "n")


def notebook_html(run: Run, page: Path) -> str:
    head = element("tr", *(element("th", column) for column in _COLUMNS))
    rows = [element("tr", *(element("td", cell) for cell in row)) for row in summary_rows(run)]
    skipped = run.skips.num_rows
    about = f"{run.findings.num_rows} findings, {skipped} skipped questions. The page: {page}"
    return render([element("table", element("thead", head), element("tbody", *rows)), p(about)])
