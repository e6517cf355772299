"""The worst class in a line: its name with a link to its errors, its accuracy, and its dataset where several are shown."""

from urllib.parse import quote, urlencode

from eyechart.findings.run import Run
from eyechart.report.html.builder import Child, a, bdi
from eyechart.report.view import View, view_key
from eyechart.report.worst_class import WorstClass


def worst_class_line(run: Run, view: View, worst: WorstClass, *, linked: bool) -> list[Child]:
    """'pentagon 13.6% on world-shifts'

    Args:
        run: The run.
        view: The view; one of all datasets names the dataset.
        worst: The worst class.
        linked: Whether the page has the pictures.
    """
    query = urlencode({"true": worst.name, "show": "wrong"}, quote_via=quote)
    address = f"#{view_key(run, view.model, worst.dataset)}/pictures?{query}"
    name = a(bdi(worst.name), href=address) if linked else bdi(worst.name)
    on: list[Child] = [" on ", bdi(worst.dataset)] if view.dataset is None else []
    return [name, f" {worst.text}", *on, worst.ties_text or None]
