"""Which probes are run on which dataset: those that the plan names, those of its profile, or those that suit the dataset."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from eyechart.data.dataset import Dataset
from eyechart.errors import UsageError, did_you_mean
from eyechart.models.abilities import lacks
from eyechart.models.encoder import Model
from eyechart.notice import Notice, counted, one_line
from eyechart.plan import Plan
from eyechart.probes.contract import DefaultCompanion, Probe
from eyechart.probes.registry import get_probe, probe_names, usable_probes
from eyechart.profiles import PROFILES, Profile

# Attributes of people. Other attributes are slices of accuracy, and no reason to ask about harm.
_OF_PEOPLE = {"age", "disability", "ethnicity", "gender", "nationality", "race", "religion", "sex", "skin"}


@dataclass(frozen=True)
class ProbeChoice:
    """The probes of a run.

    probes: All probes that are run on some dataset, each after the probes whose findings it reads.
    profiles: The profiles of each dataset, by its name; empty where the plan names its probes.
    reasons: Why these profiles were chosen, by dataset; empty where the plan names them.
    named: Probes that are run on every dataset: those that the plan names, has settings for, or that others read.
    """

    probes: tuple[Probe, ...]
    profiles: Mapping[str, tuple[Profile, ...]]
    reasons: Mapping[str, str]
    named: frozenset[str]

    def includes(self, probe: Probe, dataset: str) -> bool:
        """Whether a probe is to be run on the dataset of this name."""
        return probe.name in self.named or belongs(probe, self.profiles.get(dataset, ()))

    def companions_for(self, dataset: str) -> set[DefaultCompanion]:
        """The datasets that its probes want to compare this one with."""
        return {kind for probe in self.probes if self.includes(probe, dataset) for kind in probe.default_companions}

    def sentence(self, models: int) -> str:
        """The choice in one line: 'profile classify, since photos has labels: 11 of 29 probes (--profile all runs all)'.

        Args:
            models: How many models are examined. With one alone, probes that compare models are not run and not counted.
        """
        if not self.profiles:
            return f"probes: {', '.join(p.name for p in self.probes)}"
        by_reason: dict[tuple[str, str], list[str]] = {}
        for name, profiles in self.profiles.items():
            by_reason.setdefault((" + ".join(profiles), self.reasons.get(name, "")), []).append(name)
        parts = [
            chosen if not reason else f"{chosen}, since {_names(datasets)} {'has' if len(datasets) == 1 else 'have'} {reason}"
            for (chosen, reason), datasets in by_reason.items()
        ]
        across = sum(p.across for p in self.probes) if models == 1 else 0
        share = f"{len(self.probes) - across} of {counted(len(probe_names()), 'probe')}"
        every = len(self.probes) == len(probe_names()) or any("all" in profiles for profiles in self.profiles.values())
        compare = f" ({across} {'compares' if across == 1 else 'compare'} models)" if across else ""
        more = compare if every else " (--profile all runs all)"
        return one_line(f"profile {'; '.join(parts)}: {share}{more}")


def belongs(probe: Probe, profiles: Sequence[Profile]) -> bool:
    """Whether a probe belongs to one of these profiles."""
    return "all" in profiles or not set(profiles).isdisjoint(probe.profiles)


def candidate_probes(plan: Plan) -> list[Probe]:
    """The probes that the plan may run: those it names, or all. Each comes after the probes whose findings it reads.

    Raises:
        UsageError: If a probe or profile is unknown, if both are given, or if there are settings for a probe that is not run.
    """
    if plan.probes is not None and plan.profile is not None:
        raise UsageError("probes and profile are both given; a profile is a list of probes, so leave one of them out")
    for profile in plan.profile or ():
        if profile not in PROFILES:
            hint = did_you_mean(profile, PROFILES)
            raise UsageError(f"there is no profile called {profile!r}{hint} (there are: {', '.join(PROFILES)})")
    usable, failures = usable_probes() if plan.probes is None else ({}, [])
    names = list(usable if plan.probes is None else plan.probes)
    for name in plan.settings:
        if name not in names:
            raise next((f for f in failures if f.name == name), None) or UsageError(
                f"settings.{name}: the plan runs no such probe{did_you_mean(name, names)}"
            )
    return _ordered(names)


def unusable_probes(plan: Plan) -> list[Notice]:
    """A notice for each probe of an installed package that cannot be used, where the plan does not name its probes."""
    failures = usable_probes()[1] if plan.probes is None else []
    return [Notice(f"probe {f.name}", f"cannot be used: {f.reason}", f"update or uninstall {f.package}") for f in failures]


def choose_probes(plan: Plan, datasets: Sequence[Dataset], models: Sequence[Model] = ()) -> ProbeChoice:
    """The probes of each dataset. A shifted dataset gets the profiles of the examined datasets that it belongs to.

    Where the plan names neither probes nor profiles, a model that answers questions in words adds the profile `answers`; where no
    model does, the probes that ask in words are left out.
    """
    candidates = candidate_probes(plan)
    if plan.probes is None and plan.profile is None and not _answering(models):
        candidates = [p for p in candidates if "answers" not in p.needs or p.name in plan.settings]
    if plan.probes is not None:
        return ProbeChoice(tuple(candidates), {}, {}, frozenset(p.name for p in candidates))
    profiles: dict[str, tuple[Profile, ...]] = {}
    reasons: dict[str, str] = {}
    exams = [d for d in datasets if d.role == "exam"]
    for dataset in exams:
        if plan.profile is not None:
            profiles[dataset.name] = cast(tuple[Profile, ...], tuple(dict.fromkeys(plan.profile)))
        else:
            profiles[dataset.name], reasons[dataset.name] = _with_answers(*suitable_profiles(dataset), models)
    in_profiles = {p.name for p in candidates if any(belongs(p, of) for of in profiles.values())}
    probes = _ordered([p.name for p in candidates if p.name in in_profiles or p.name in plan.settings])
    for dataset in datasets:
        if dataset.role == "shift":
            of = [d.name for d in exams if dataset.of in (None, d.name)]
            profiles[dataset.name] = tuple(dict.fromkeys(profile for name in of for profile in profiles[name]))
            if plan.profile is None:
                reasons[dataset.name] = reasons[of[0]]
    return ProbeChoice(tuple(probes), profiles, reasons, frozenset(p.name for p in probes) - in_profiles)


def _answering(models: Sequence[Model]) -> list[Model]:
    return [model for model in models if lacks(model, "answers") is None]


def _with_answers(profiles: tuple[Profile, ...], reason: str, models: Sequence[Model]) -> tuple[tuple[Profile, ...], str]:
    """The profiles, and `answers` where a model answers in words; `answers` alone where no model does anything else."""
    answering = _answering(models)
    if not answering:
        return profiles, reason
    if len(answering) == len(models) and all(lacks(m, "images") and lacks(m, "likelihoods") for m in models):
        return ("answers",), f"{reason}, and the model answers in words"
    return tuple(dict.fromkeys([*profiles, "answers"])), f"{reason}, and a model answers in words"


def suitable_profiles(dataset: Dataset) -> tuple[tuple[Profile, ...], str]:
    """The profiles that suit a dataset, and what of it is the reason."""
    if dataset.reader.get("kind") == "world":
        return ("all",), "pictures of the embedded world"
    found: dict[Profile, str] = {}
    if dataset.has("label") or dataset.classes is not None:
        found["classify"] = "class labels" if dataset.has("label") else "class names"
    if dataset.has("captions"):
        found["retrieval"] = "captions"
    if people := _attributes_of_people(dataset):
        found["audit"] = f"attributes of people ({', '.join(people)})"
    if dataset.has("objects") or dataset.has("attr.mentioned"):
        found["objects"] = "objects"
    elif dataset.pairs is not None:
        found["objects"] = "keypoints"
    if not found:
        return ("classify",), "no labels, captions or objects"
    return tuple(found), _names(list(found.values()))


def _attributes_of_people(dataset: Dataset) -> list[str]:
    names = [name.removeprefix("attr.") for name in dataset.table.column_names if name.startswith("attr.")]
    return [name for name in names if not _OF_PEOPLE.isdisjoint(re.split(r"[\W_]+", name.casefold()))]


def _ordered(names: Sequence[str]) -> list[Probe]:
    """These probes and those whose findings they read, which come first."""
    ordered: dict[str, Probe] = {}

    def add(name: str) -> None:
        probe = get_probe(name)
        for upstream in probe.after:
            add(upstream)
        ordered.setdefault(name, probe)

    for name in names:
        add(name)
    return list(ordered.values())


def _names(names: Sequence[str]) -> str:
    """'a', 'a and b', 'a, b and c'."""
    return " and ".join([*([", ".join(names[:-1])] if names[:-1] else []), names[-1]])
