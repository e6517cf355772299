"""Which published measure one of your findings is: the same pictures, metric and classes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eyechart.findings.run import Run
from eyechart.study.measures import FACTORS, known_measures

_IMAGENET = "imagenet"
_AVERAGE = "imagenet-x-average"
# The testbed accepts one class per ImageNet picture, the probe every class with the same ObjectNet name.
_DIFFERENT_SCORING = "objectnet"
_VIDEO, _WIDEST = "imagenet-vid-robust", 10


# Settings of probes that published tables were made with; other values ask another question.
_PUBLISHED_SETTINGS = {"retrieval": ("shared", "own"), "factors": ("counts", "label")}


@dataclass(frozen=True)
class OtherProtocol:
    """A setting under which a finding is not the published measure.

    probe: The probe.
    setting: Its setting.
    value: The value in the examination.
    published: The value of the published tables.
    """

    probe: str
    setting: str
    value: str
    published: str


def other_protocol(probe: str, settings: Mapping[str, Any]) -> OtherProtocol | None:
    """How the settings of a probe differ from those of published tables; None where they do not."""
    if probe not in _PUBLISHED_SETTINGS:
        return None
    name, published = _PUBLISHED_SETTINGS[probe]
    value = settings.get(name, published)
    return None if value == published else OtherProtocol(probe, name, str(value), published)


@dataclass(frozen=True)
class OwnDataset:
    """A dataset of an examination.

    names: Its possible names.
    reader: How it was read.
    """

    names: frozenset[str]
    reader: Mapping[str, Any]

    @property
    def is_published(self) -> bool:
        return any(not self.names.isdisjoint((name, *known.datasets)) for name, known in known_measures().items())

    def measure(self, metric: str = "top1") -> str | None:
        """The published measure of a metric of this dataset; None for another split than the published one."""
        if self.reader.get("split") not in (None, "test", "val", "validation"):
            return None
        for name, known in known_measures().items():
            if known.metric == metric and not self.names.isdisjoint((name, *known.datasets)):
                return name
        return None


def own_dataset(name: str, about: Mapping[str, Any], renamed: str | None) -> OwnDataset:
    """The dataset from its entry in the protocol; `renamed` is the measure that the user assigned."""
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
    """The measure of a finding; None where no published table has it.

    Accuracies of the probe `shift` are over the classes that both datasets share, as in the published lines.
    """
    mine = sets[dataset]
    if not where and metric == "overall_accuracy" and _is_imagenet_x(mine):
        return _AVERAGE
    if not where:  # the accuracy on all frames of videos is neither that of anchors nor pm-k
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
    return None if name == _DIFFERENT_SCORING else known_measures()[name].against


def _is_imagenet_x(dataset: OwnDataset) -> bool:
    return dataset.reader.get("kind") == "imagenet-x" and dataset.reader.get("factors") == "top"
