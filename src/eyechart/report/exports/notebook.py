"""An examination in a notebook: the headline findings as a table, and the path of the page."""

from pathlib import Path

from eyechart.findings.run import Run
from eyechart.notice import counted
from eyechart.report.html.builder import element, p, render
from eyechart.report.summary import summary_rows

_COLUMNS = ("model", "dataset", "probe", "metric", "value", "95% interval", "n")


def notebook_html(run: Run, page: Path) -> str:
    head = element("tr", *(element("th", column) for column in _COLUMNS))
    rows = [element("tr", *(element("td", cell) for cell in row)) for row in summary_rows(run)]
    skipped = run.skips.num_rows
    about = f"{counted(run.findings.num_rows, 'finding')}, {counted(skipped, 'skipped probe')}. Page: {page}"
    return render([element("table", element("thead", head), element("tbody", *rows)), p(about)])
