"""How many different pictures a figure rests on: copies and versions of a picture are one."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from eyechart.findings.metric import DIFFERENT_PICTURES
from eyechart.findings.run import EXAM, Run
from eyechart.verdict.evidence import Figure

# What a probe of texts alone can need. Its n counts texts, however many pictures the dataset has.
_WITHOUT_PICTURES = {"texts", "captions", "objects", "classes", "labels", "logit_scale"}


def with_originals(figures: Iterable[Figure], run: Run) -> tuple[Figure, ...]:
    """The figures, each with the number of different pictures that it rests on.

    A probe that compares two sets of pictures counts both, and the smaller number holds; for the others the exam counts the
    pictures of the dataset. Results of an older version have no count: there the interval of top-1 accuracy shows it.
    """
    figures = tuple(figures)
    counted = [f for f in figures if f.metric == DIFFERENT_PICTURES and f.value]
    of_sets: dict[tuple[str, str], Figure] = {}
    for f in sorted(counted, key=lambda f: f.value or 0.0, reverse=True):
        of_sets[f.dataset, f.probe] = f
    read = _from_accuracy(figures)
    return tuple(f if _of_texts(run, f.probe) else _with_count(f, of_sets, read) for f in figures)


def _with_count(figure: Figure, counted: Mapping[tuple[str, str], Figure], read: Mapping[str, float]) -> Figure:
    count = counted.get((figure.dataset, figure.probe)) or counted.get((figure.dataset, EXAM))
    if count is None:
        return replace(figure, originals=read.get(figure.dataset))
    return replace(figure, originals=count.value, originals_of=str(count.where.get("set", "")))


def _from_accuracy(figures: Iterable[Figure]) -> dict[str, float]:
    """Dataset → pictures, by the interval of top-1 accuracy. Near n it is not trusted, since not every interval is Wilson's."""
    accuracies = (f for f in figures if (f.probe, f.metric) == ("zero_shot", "top1") and f.value is not None and not f.where)
    return {f.dataset: f.independent if f.independent < 0.6 * f.n else float(f.n) for f in accuracies}


def _of_texts(run: Run, probe: str) -> bool:
    needs = run.needs(probe)
    return bool(needs) and needs <= _WITHOUT_PICTURES
