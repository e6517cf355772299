"""Class design live: every picture is classified anew, on one half to explore and on the other to measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Flags, Floats, Indices
from eyechart.data.class_design import design_names, read_design
from eyechart.errors import DataError, UsageError
from eyechart.findings.finding import Finding
from eyechart.metrics.classification.predictions import duplicate_classes, same_vectors
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.probes.class_change.changes import DesignChanges
from eyechart.probes.class_groups.rates import GroupRates
from eyechart.probes.contract import NotApplicable, ProbeInput
from eyechart.probes.tasks.class_designs import choose_design
from eyechart.probes.tasks.groups import Subgroup, subgroups
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.workbench.group_shares import accuracy_share
from eyechart.workbench.live_design import LiveClass, LiveDesign, from_class_design, from_dataset, from_names
from eyechart.workbench.live_outcome import UNLABELED, LiveOutcome, Vocabulary
from eyechart.workbench.opened_model import OpenedModel, OpenedPictures
from eyechart.workbench.score_columns import Places, ScoreColumns, best_after_change, best_with_one_more, first_best

LEAST = 20  # pictures that a group needs
SEED = 0  # of the two halves: that of the probe `class_change`
MOST_CANDIDATES = 500


class NoClasses(DataError):
    """A dataset has no class names, and the run names no class design."""


@dataclass(frozen=True, eq=False)
class Half:
    """One half of the pictures.

    name: Which half; "whole" for all pictures.
    rows: Their rows.
    units: Equal numbers, counted from 0, mark copies.
    distinct: Whether there are no copies.
    labels: Numbers of their labels, or -1; None where no label is a class.
    people: Groups of people among them, by the attributes of a class list; first of the run's own.
    members: The rows of each group, counted within the half.
    """

    name: Literal["explored", "held out", "whole"]
    rows: Indices
    units: Indices
    distinct: bool
    labels: Indices | None
    people: list[Subgroup]
    members: list[Indices]


class DesignDesk:
    """One model on one dataset, and the class lists that are tried on it.

    Args:
        opened: The model.
        dataset: The dataset's name.
        typed: Class names to begin with, for a dataset that has none.
    """

    def __init__(self, opened: OpenedModel, dataset: str, typed: Sequence[str] | None = None) -> None:
        self.opened, self.dataset, self._typed = opened, dataset, typed
        self.pictures: OpenedPictures = opened.pictures(dataset)
        self.columns = ScoreColumns(self.pictures.vectors)
        self.vocabulary = Vocabulary()
        self._base_best: tuple[list[Floats], Places, Floats] | None = None
        self._halves: dict[tuple[str, tuple[str, ...]], Half] = {}

    @cached_property
    def templates(self) -> tuple[str, ...]:
        return self.opened.prompts(self.dataset).templates

    @cached_property
    def base(self) -> LiveDesign:
        """The class list of the run: its class design if it has one, else the dataset's classes, else those that were typed."""
        named = self.opened.settings_of("class_groups").get("design") or self.opened.settings_of("class_change").get("design")
        try:
            return from_class_design(choose_design(self.pictures.dataset, named or ""), self.templates)
        except (NotApplicable, UsageError):
            return self.dataset_design()

    def dataset_design(self) -> LiveDesign:
        classes = self.pictures.dataset.classes
        if classes is None or len(classes) < 2:
            if self._typed is None:
                raise NoClasses(f"{self.dataset} has no class names; type some to look for in its pictures")
            return from_names(self._typed, self.templates)
        return from_dataset(classes, self.templates)

    def starts(self) -> dict[str, LiveDesign]:
        """Class lists to start from, by name."""
        found = {f"class list of the run ({self.base.title})": self.base}
        if self.pictures.dataset.classes is not None and len(self.pictures.dataset.classes) > 1:
            found.setdefault("classes of the dataset", self.dataset_design())
        for name in design_names():
            found.setdefault(name, from_class_design(read_design(name), self.templates))
        return found

    def classify(self, design: LiveDesign) -> LiveOutcome:
        """The class of every picture. Only classes that are new are encoded and scored."""
        return LiveOutcome(design, self.best(design)[0], self.vocabulary)

    def best(self, design: LiveDesign) -> tuple[Places, Floats]:
        """The class of every picture and its cosine, from those of the run's own list where only a few classes differ."""
        columns = self.scores(design)
        if self._base_best is None:
            own = self.scores(self.base)
            self._base_best = (own, *first_best(own))
            columns = self.scores(design)
        return best_after_change(*self._base_best, columns)

    def scores(self, design: LiveDesign) -> list[Floats]:
        """The cosines of all pictures with every class."""
        vectors, duplicates = self.class_vectors(design)
        return self.columns.columns(vectors, duplicates)

    def class_vectors(self, design: LiveDesign) -> tuple[Floats, Indices]:
        """[C, d] vectors, and for each class the first class with the same vector."""
        self.opened.score(self.dataset, [c.names for c in design.classes], design.templates)
        vectors = self.opened.class_vectors([c.names for c in design.classes], design.templates)
        return vectors, same_vectors(vectors, duplicate_classes([c.names for c in design.classes]))

    def labels(self, design: LiveDesign) -> npt.NDArray[np.str_] | None:
        """The label of each picture, "" where unknown; None where no label is one that a class of the list is right for."""
        if self._label_texts is None:
            return None
        known = [label for c in design.classes for label in c.labels]
        return self._label_texts if np.isin(list(self.label_names), known).any() else None

    @cached_property
    def explore(self) -> Half:
        return self._half("explored", self._explored)

    @cached_property
    def held_out(self) -> Half:
        return self._half("held out", ~self._explored)

    def missing_labels(self, half: Half) -> list[dict[str, Any]]:
        """Labels without a picture in a half, with their pictures and originals in the other one."""
        if half.labels is None or self._label_numbers is None:
            return []
        lacking = np.setdiff1d(self._label_numbers[self._label_numbers != UNLABELED], half.labels)
        found = []
        for name in self.label_names:
            if (number := self.vocabulary.number(name)) in lacking:
                units = self.pictures.units[self._label_numbers == number]
                found.append({"label": name, "n": len(units), "originals": len(np.unique(units))})
        return found

    def half_of(self, half: Half, design: LiveDesign) -> Half:
        """A half with the groups of people that a class list names, as `class_groups` takes them."""
        key = (half.name, design.attributes)
        if key not in self._halves:
            people = self._people(half.rows, design.attributes)
            self._halves[key] = replace(half, people=people, members=[np.flatnonzero(s.members) for s in people])
        return self._halves[key]

    @cached_property
    def base_outcome(self) -> LiveOutcome:
        return self.classify(self.base)

    def changes(self, half: Half, design: LiveDesign, people: list[Subgroup]) -> tuple[DesignChanges, LiveOutcome]:
        """The changes from the run's class list to another on one half, as `class_change` has them, in all and by group."""
        first = self.base_outcome
        labels = half.labels if self.labels(first.live) is not None else None
        before = first.take(half.rows).called_as_in(design)
        change = DesignChanges(before, half.units, labels, people, {}, UNLABELED)
        return change, self.classify(design).take(half.rows)

    def measure(self, design: LiveDesign) -> list[Finding]:
        """The accuracy and the findings of `class_change` and `class_groups` on the half that was not explored."""
        change, after = self.changes(self.held_out, design, self.held_out.people)
        findings = [*change.findings(after)]
        if change.labels is not None:
            labeled = change.labels != UNLABELED
            correct = accuracy_share(after.correct(change.labels)[labeled], self.held_out.units[labeled])
            findings.insert(0, share_finding("accuracy", correct, {"list": design.title}))
        if not design.of_dataset:
            people = self.half_of(self.held_out, design).people
            rates = GroupRates(after.design, after.kinds, self.held_out.units, people, {})
            findings += [f for f in rates.findings() if f.metric != "harm_rate"]
        return findings

    def suggest(self, design: LiveDesign, words: Sequence[str], group: str) -> tuple[list[Finding], list[dict[str, object]]]:
        """The best added class on the explored half, measured on the other half: `class_change` with candidates."""
        if not words or len(words) > MOST_CANDIDATES:
            raise UsageError(f"give 1 to {MOST_CANDIDATES} candidates")
        known = {c.name for c in design.classes}
        new = [word for word in dict.fromkeys(words) if word not in known]
        if not new:
            raise UsageError("all candidates are classes already")
        labels = tuple(dict.fromkeys(label for c in design.classes if c.group == group for label in c.labels))
        place, best = self.best(design)
        before = LiveOutcome(design, place, self.vocabulary)
        self.opened.score(self.dataset, [(word,) for word in new], design.templates)
        vectors = self.opened.class_vectors([(word,) for word in new], design.templates)
        candidates = {}
        for word, column in zip(new, self.columns.passing(vectors), strict=True):
            larger = with_class(design, word, group, labels)
            at = next(number for number, c in enumerate(larger.classes) if c.name == word)
            candidates[word] = LiveOutcome(larger, best_with_one_more(place, best, column, at), self.vocabulary)
        numbers = self._label_numbers if self.labels(design) is not None else None
        people = subgroups(self.pictures.dataset, design.attributes, LEAST)
        everyone = DesignChanges(before, self.pictures.units, numbers, people, {}, UNLABELED)
        return everyone.suggestion(candidates, SEED, chosen_on=self._explored)

    def own_labels(self, design: LiveDesign, half: Half) -> npt.NDArray[np.str_]:
        """The label of each picture of a half, as the classifier file of the design spells it; "" where unknown."""
        if self._label_texts is None:
            return np.full(len(half.rows), "")
        spelled = {label: c.name for c in design.classes if len(c.labels) > 1 for label in c.labels}
        found, of_row = np.unique(self._label_texts[half.rows], return_inverse=True)
        return np.array([spelled.get(str(label), str(label)) for label in found])[of_row]

    def probe_input(self, dataset: str | None = None) -> ProbeInput[Any]:
        """A dataset of the run as probes get it, without companions."""
        pictures = self.pictures if dataset is None else self.opened.pictures(dataset)
        scale, bias = self.opened.logits
        return ProbeInput(
            self.opened.name,
            self.opened.model.card,
            pictures.dataset,
            pictures.vectors,
            pictures.units,
            self.opened.text_vectors,
            (self.opened.prompts(self.dataset),),
            None,
            scale,
            bias,
            companions={},
        )

    @cached_property
    def _label_texts(self) -> npt.NDArray[np.str_] | None:
        if not self.pictures.dataset.has("label"):
            return None
        return np.array([str(label or "") for label in self.pictures.dataset.table.column("label").to_pylist()])

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        """All labels, sorted."""
        return () if self._label_texts is None else tuple(sorted(set(self._label_texts.tolist()) - {""}))

    @cached_property
    def _label_numbers(self) -> Indices | None:
        if self._label_texts is None:
            return None
        found, of_row = np.unique(self._label_texts, return_inverse=True)
        numbers = [UNLABELED if label == "" else self.vocabulary.number(str(label)) for label in found]
        return np.array(numbers, np.int64)[of_row]

    @cached_property
    def _explored(self) -> Flags:
        """The half of `class_change`, which takes the labels as strata, else the predictions."""
        labels = self.labels(self.base)
        if self._typed is not None:  # the same halves whatever is typed
            strata = np.zeros(len(self.pictures.dataset), np.int64)
        else:
            strata = self.base_outcome.predicted if labels is None else np.unique(labels, return_inverse=True)[1]
        chosen = stratified_split(strata, seed=SEED, clusters=self.pictures.units)
        if not (chosen.any() and (~chosen).any()):
            raise DataError(f"{self.dataset}: too few pictures for one half to explore and one to measure")
        return chosen

    def _half(self, name: Literal["explored", "held out"], chosen: Flags) -> Half:
        rows = np.flatnonzero(chosen)
        units = np.unique(self.pictures.units[rows], return_inverse=True)[1]
        people = self._people(rows, self.base.attributes)
        labels = None if self._label_numbers is None else self._label_numbers[rows]
        distinct = int(units.max(initial=-1)) + 1 == len(rows)
        return Half(name, rows, units, distinct, labels, people, [np.flatnonzero(s.members) for s in people])

    def _people(self, rows: Indices, attributes: tuple[str, ...]) -> list[Subgroup]:
        return subgroups(self.pictures.dataset.take(rows), attributes, LEAST)


def with_class(design: LiveDesign, name: str, group: str, labels: tuple[str, ...]) -> LiveDesign:
    """The design with one more class at the end of a group."""
    own = LiveClass((name,), group, labels if design.of_dataset else (name,))
    last = max((place for place, c in enumerate(design.classes) if c.group == group), default=len(design.classes) - 1)
    return replace(design, classes=(*design.classes[: last + 1], own, *design.classes[last + 1 :]))


def finding_json(finding: Finding) -> Mapping[str, Any]:
    """A number for the screen."""
    return {
        "metric": finding.metric,
        "value": finding.value,
        "low": finding.low,
        "high": finding.high,
        "n": finding.n,
        "slice": {key: str(value) for key, value in finding.slice.items()},
    }
