"""Which published measure a finding of one's own is: the same pictures, the same question, the same classes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eyechart.findings.run import Run
from eyechart.study.measures import FACTORS, known_measures

_IMAGENET = "imagenet"
_AVERAGE = "imagenet-x-average"
# The testbed counts an ImageNet picture's own class alone, the probe every class that ObjectNet calls by one name.
_COUNTED_OTHERWISE = "objectnet"
_VIDEO, _WIDEST = "imagenet-vid-robust", 10


@dataclass(frozen=True)
class OwnDataset:
    """A dataset of an examination under the names it goes by, and how it was read."""

    names: frozenset[str]
    reader: Mapping[str, Any]

    @property
    def is_published(self) -> bool:
        return any(not self.names.isdisjoint((name, *known.datasets)) for name, known in known_measures().items())

    def measure(self, metric: str = "top1") -> str | None:
        """The published measure that this metric of it is. Another split than the published one has none."""
        if self.reader.get("split") not in (None, "test", "val", "validation"):
            return None
        for name, known in known_measures().items():
            if known.metric == metric and not self.names.isdisjoint((name, *known.datasets)):
                return name
        return None


def own_dataset(name: str, about: Mapping[str, Any], renamed: str | None) -> OwnDataset:
    """`about` is what the protocol says of it; `renamed` the measure that its user says it is."""
    reader = about.get("reader") if isinstance(about.get("reader"), dict) else {}
    if renamed is not None:
        return OwnDataset(frozenset((renamed, *known_measures()[renamed].datasets)), reader or {})
    benchmark = about.get("benchmark")
    return OwnDataset(frozenset((str(benchmark) if benchmark else name.lower().replace("_", "-"),)), reader or {})


def is_published(run: Run) -> bool:
    """Whether published tables have results on a dataset of the examination."""
    about = {name: value for name, value in (run.protocol.get("datasets") or {}).items() if isinstance(value, dict)}
    return any(own_dataset(name, value, None).is_published for name, value in about.items())


def published_measure(dataset: str, metric: str, where: Mapping[str, Any], sets: Mapping[str, OwnDataset]) -> str | None:
    """The measure of a finding on one of the examination's datasets, None where no published table has it.

    Accuracies of the probe `shift` are taken over the classes that both sides have, which is what published lines relate.
    """
    mine = sets[dataset]
    if not where and metric == "overall_accuracy" and _is_imagenet_x(mine):
        return _AVERAGE
    if not where:  # of videos, the accuracy on all frames is neither that on anchors nor that on the worst of a window
        return None if mine.reader.get("kind") == _VIDEO else mine.measure(metric)
    if metric == "factor_accuracy" and set(where) == {"factor"} and where["factor"] in FACTORS and _is_imagenet_x(mine):
        return f"imagenet-x-{where['factor']}"
    if metric in ("source_accuracy", "shifted_accuracy") and mine.measure() == _IMAGENET and set(where) <= {"shift", "k"}:
        return _under_shift(metric, where, sets)
    return None


def _under_shift(metric: str, where: Mapping[str, Any], sets: Mapping[str, OwnDataset]) -> str | None:
    other = sets.get(str(where.get("shift")))
    if other is None:
        return None
    if _VIDEO in other.names:
        name = {0: _VIDEO, _WIDEST: f"{_VIDEO}-pm{_WIDEST}"}.get(where.get("k", -1))
    else:
        name = other.measure()
    if name is None or metric == "shifted_accuracy":
        return name
    return None if name == _COUNTED_OTHERWISE else known_measures()[name].against


def _is_imagenet_x(dataset: OwnDataset) -> bool:
    return dataset.reader.get("kind") == "imagenet-x" and dataset.reader.get("factors") == "top"
