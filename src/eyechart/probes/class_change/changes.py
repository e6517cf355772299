"""Differences between two class lists, paired by picture, and the candidate with the least harm."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Flags, Indices
from eyechart.data.class_design import ClassDesign
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.probes.tasks.groups import Subgroup
from eyechart.probes.tasks.share_findings import difference_finding, share_finding


class Outcome(Protocol):
    """Predictions under a design, as `DesignOutcome` has them. Names may be numbers that stand for them."""

    @property
    def design(self) -> ClassDesign: ...

    @property
    def predicted(self) -> npt.NDArray[Any]: ...

    @property
    def names(self) -> npt.NDArray[Any]: ...

    @property
    def harmed(self) -> Flags: ...

    def correct(self, labels: npt.NDArray[Any]) -> Flags: ...


@dataclass(frozen=True)
class DesignChanges:
    """Differences from the first class list, paired by picture.

    before: The predictions under the first list.
    units: Pictures of one number are copies.
    labels: The labels, where they are classes of the design.
    people: The groups of people.
    under: The slice of the prompt set.
    unlabeled: The value in `labels` of a picture without a label.
    """

    before: Outcome
    units: Indices
    labels: npt.NDArray[Any] | None
    people: list[Subgroup]
    under: dict[str, object]
    unlabeled: str | int = ""

    def harm(self, of: Outcome) -> Finding:
        return share_finding("harm_rate", clustered_share(of.harmed, self.units), {"list": of.design.name, **self.under})

    def group_harm(self, of: Outcome) -> Iterator[Finding]:
        """The share of each group that is predicted as any harmful class under this list: one cell each of a table of groups by
        lists (Table 3 of Agarwal et al., 2021)."""
        for subgroup in self.people:
            rows = subgroup.members
            share = clustered_share(of.harmed[rows], self.units[rows])
            yield share_finding("group_harm_rate", share, {"list": of.design.name, **subgroup.slice, **self.under})

    def findings(self, after: Outcome) -> Iterator[Finding]:
        where: dict[str, object] = {"list": after.design.name}
        everyone = np.ones(len(self.units), np.bool_)
        moved = clustered_share(after.names != self.before.names, self.units)
        yield replace(share_finding("changed_predictions", moved, {**where, **self.under}), baseline=self.before.design.name)
        if self.before.design.harmful:
            yield self.harm(after)
            yield from self.group_harm(after)
            yield self._change("harm_rate_change", after.harmed, self.before.harmed, everyone, where)
            for subgroup in self.people:
                mine = {**where, **subgroup.slice}
                yield self._change("group_harm_rate_change", after.harmed, self.before.harmed, subgroup.members, mine)
        if self.labels is not None:
            now, was = after.correct(self.labels), self.before.correct(self.labels)
            yield self._change("accuracy_change", now, was, self.labels != self.unlabeled, where)

    def _change(self, metric: str, now: Flags, was: Flags, rows: Flags, where: dict[str, object]) -> Finding:
        a, b = (clustered_share(flags[rows], self.units[rows]) for flags in (now, was))
        return difference_finding(metric, a, b, {**where, **self.under}, baseline=self.before.design.name)

    def half(self, seed: int) -> Flags:
        """The pictures on which a candidate is chosen."""
        strata = self.before.predicted if self.labels is None else np.unique(self.labels, return_inverse=True)[1]
        return stratified_split(strata, seed=seed, clusters=self.units)

    def can_split(self, seed: int) -> bool:
        """Whether both halves have pictures, and labels where there are any."""
        chosen_on = self.half(seed)
        labeled = np.ones(len(chosen_on), np.bool_) if self.labels is None else self.labels != self.unlabeled
        return bool((chosen_on & labeled).any() and (~chosen_on & labeled).any())

    def suggestion(
        self, candidates: Mapping[str, Outcome], seed: int, chosen_on: Flags | None = None
    ) -> tuple[list[Finding], list[dict[str, object]]]:
        """The candidate with the least harm on one half (of ties, the most accurate), measured on the other half.

        Args:
            candidates: The predictions under each candidate.
            seed: The seed of the half on which the best is chosen.
            chosen_on: That half, where it is known already.
        """
        chosen_on = self.half(seed) if chosen_on is None else chosen_on

        def merit(name: str) -> tuple[float, float]:
            accuracy = 0.0 if self.labels is None else float(candidates[name].correct(self.labels)[chosen_on].mean())
            return -float(candidates[name].harmed[chosen_on].mean()), accuracy

        merits = {name: merit(name) for name in candidates}
        best = max(candidates, key=merits.__getitem__)
        held_out, where = ~chosen_on, {"change": best}
        harmed = candidates[best].harmed
        findings = [self._change("suggested_harm_rate_change", harmed, self.before.harmed, held_out, dict(where))]
        if self.labels is not None:
            now, was = candidates[best].correct(self.labels), self.before.correct(self.labels)
            labeled = held_out & (self.labels != self.unlabeled)
            findings.append(self._change("suggested_accuracy_change", now, was, labeled, dict(where)))
        table: list[dict[str, object]] = []
        for name, after in sorted(candidates.items(), key=lambda one: merits[one[0]], reverse=True):
            change = self._change("harm_rate_change", after.harmed, self.before.harmed, held_out, {})
            limits = {"low": change.low, "high": change.high}
            table.append({"change": name, "change of the harm rate": change.value, **limits, "pictures": change.n})
        return findings, table
