"""Views of a run: what the first screen shows for one model, on all datasets or on one."""

from dataclasses import dataclass

from eyechart.findings.run import Run
from eyechart.verdict.evidence import Figure
from eyechart.verdict.verdict import Verdict, verdict_of

NO_VIEW = "m0"  # what addresses name where no model could be examined


@dataclass(frozen=True)
class View:
    """One choice of model and dataset.

    key: Its name in addresses and data files.
    model: The model.
    dataset: The dataset; None for all of them.
    main: The dataset of the main number and of the pictures; None where the run has no dataset.
    verdict: The verdict on the model, over all datasets or on this one.
    number: The main accuracy with its baselines and target; without an accuracy, R@1 of retrieval; None without both.
    """

    key: str
    model: str
    dataset: str | None
    main: str | None
    verdict: Verdict
    number: Figure | None


def exam_datasets(run: Run) -> list[str]:
    """Datasets that were examined, without those they were compared with."""
    return [name for name in run.datasets if name not in run.companions]


def views_of(run: Run) -> list[View]:
    """For each model a view of all datasets, and one of each where there are several. The first view opens the page."""
    datasets = exam_datasets(run)
    made = []
    for m, model in enumerate(run.models):
        if len(datasets) == 1:
            made.append(_view(run, f"m{m}", model, datasets[0], datasets))
            continue
        made.append(_view(run, f"m{m}", model, None, datasets))
        made += [_view(run, f"m{m}-d{d}", model, dataset, [dataset]) for d, dataset in enumerate(datasets)]
    return made


def main_figures(verdict: Verdict) -> list[Figure]:
    """The figures of accuracy; without one, those of retrieval."""
    for area in ("accuracy", "retrieval"):
        if found := [f for r in verdict.rulings if r.area == area for f in (*r.figures, *r.against)]:
            return found
    return []


def view_key(run: Run, model: str, dataset: str) -> str:
    """The key of the view of one model and dataset."""
    datasets, key = exam_datasets(run), f"m{run.models.index(model)}"
    return key if len(datasets) == 1 else f"{key}-d{datasets.index(dataset)}"


def _view(run: Run, key: str, model: str, dataset: str | None, datasets: list[str]) -> View:
    verdict = verdict_of(run, model, dataset)
    judged = main_figures(verdict)
    # The first dataset of the plan on which it was judged.
    number = min(judged, key=lambda f: datasets.index(f.dataset) if f.dataset in datasets else len(datasets), default=None)
    main = number.dataset if number else (datasets[0] if datasets else None)
    return View(key, model, dataset, main, verdict, number)
