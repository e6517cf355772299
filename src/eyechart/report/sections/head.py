"""The head of the page: what was examined, the choice of model and dataset, and the navigation."""

from collections.abc import Sequence

from eyechart.findings.run import Run
from eyechart.notice import counted
from eyechart.report.html.builder import Child, Markup, a, bdi, button, div, element, h1, header, label, li, nav, p, span, ul
from eyechart.report.html.eye_chart import eye_chart
from eyechart.report.picture_counts import pictures_text
from eyechart.report.probe_counts import probe_counts
from eyechart.report.sections.exclusions import Exclusions
from eyechart.report.sections.exclusions_section import exclusion_links
from eyechart.report.tabs import TABS
from eyechart.report.view import NO_VIEW, View, exam_datasets

SECTIONS = (("top", "Result"), ("rulings", "Verdict"), ("classes", "Classes"), ("pictures", "Pictures"))


def head(run: Run, view: View | None, views: Sequence[View], excluded: Exclusions) -> Markup:
    """The header. Without a view, no model could be examined.

    Args:
        run: The run.
        view: The view that opens the page.
        views: All views.
        excluded: What was left out.
    """
    toggle = button("Dark", type="button", id="theme-toggle", hidden=True)
    return header(
        eye_chart(),
        div(title_block(run, view, excluded), id="title"),
        div(*_chooser(run, exam_datasets(run), views), toggle, class_="choices"),
        class_="top compact",
    )


def title_block(run: Run, view: View | None, excluded: Exclusions) -> Markup:
    """The model, the dataset and n, as they are for a view."""
    model = view.model if view else ", ".join(run.models[:3]) or ", ".join(excluded.failed) or "no model"
    return div(
        p("Eye examination", class_="kicker"),
        h1(bdi(model), span(" on ", class_="quiet"), bdi(_dataset(view, exam_datasets(run)))),
        p(*_facts(run, view, excluded), class_="quiet counts"),
    )


def _dataset(view: View | None, datasets: Sequence[str]) -> str:
    if view is not None and view.dataset is not None:
        return view.dataset
    return datasets[0] if len(datasets) == 1 else counted(len(datasets), "dataset")


def _facts(run: Run, view: View | None, excluded: Exclusions) -> list[Child]:
    """n, classes and companions, and how much was left out."""
    facts: list[Child] = []
    names = exam_datasets(run) if view is None or view.dataset is None else [view.dataset]
    if pictures := pictures_text(run, view.model if view else None, names):
        facts.append(f"n = {pictures}")
    if len(names) == 1 and (classes := _count(run, names[0], "classes")):
        facts.append(counted(classes, "class", "classes"))
    beside = [name for name in run.companions if len(names) > 1 or run.dataset_facts(name).get("of") in (None, names[0])]
    if beside:
        facts.append(f"compared with {counted(len(beside), 'dataset')}")
    model, dataset = (view.model, view.dataset) if view else (None, None)
    probes = probe_counts(run, excluded, model, dataset, exam_datasets(run))
    facts.append(counted(probes.answered, "probe"))
    shown = excluded if view is None else excluded.of_view(view.model, view.dataset, exam_datasets(run))
    facts += exclusion_links(shown, probes, view.key if view else NO_VIEW)
    return [part for place, fact in enumerate(facts) for part in (" · " if place else None, span(fact))]


def _count(run: Run, dataset: str, key: str) -> int:
    value = run.dataset_facts(dataset).get(key)
    return value if isinstance(value, int) else len(value) if isinstance(value, list) else 0


def _chooser(run: Run, datasets: Sequence[str], views: Sequence[View]) -> list[Child]:
    if len(views) < 2:
        return []
    parts: list[Child] = []
    if len(run.models) > 1:
        parts.append(label("Model ", _options("choose-model", [(model, model) for model in run.models])))
    if len(datasets) > 1:
        every = [("", f"all {len(datasets)} datasets"), *((name, name) for name in datasets)]
        parts.append(label("Dataset ", _options("choose-dataset", every)))
    return parts


def _options(identity: str, options: Sequence[tuple[str, str]]) -> Markup:
    return element("select", *(element("option", text, value=value) for value, text in options), id=identity)


def contents(view: View) -> Markup:
    """The navigation, which stays at the top: sections of the page, then tabs."""
    sections = [li(a(title, href=f"#{view.key}/{key}", data_to=key)) for key, title in SECTIONS]
    tabs = [
        li(a(tab.title, href=f"#{view.key}/{tab.key}", data_to=tab.key), class_=None if place else "first-tab")
        for place, tab in enumerate(TABS)
    ]
    return nav(ul(*sections, *tabs), aria_label="Contents", class_="contents")
