"""The work of an examination: every probe on every model and dataset, from the plan's inputs to the tables of the results.

It imports every package that computes something, and is loaded where something is left to do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from eyechart import __version__
from eyechart.data.picture import Decoding
from eyechart.dataset_facts import dataset_facts
from eyechart.encode.engine import Engine
from eyechart.errors import EyechartError
from eyechart.exam_inputs import ExamInputs, decoding_of
from eyechart.findings.run_folder import Record, RunFolder
from eyechart.findings.skip import Skip
from eyechart.models.card import ModelCard
from eyechart.models.encoder import Model
from eyechart.plan import ModelPlan, Plan, model_name
from eyechart.progress import Progress
from eyechart.reopening import place_of_model
from eyechart.session.cost import DatasetCost, cost_of
from eyechart.session.cross_model import run_cross_model
from eyechart.session.environment import environment
from eyechart.session.exam_records import exam_protocol, overview_unit, write_notices_and_thumbnails
from eyechart.session.keyed_dataset import KeyedDataset, key_dataset, key_datasets, reads_pictures
from eyechart.session.pending import datasets_of, pending_work
from eyechart.session.probe_choice import ProbeChoice, unusable_probes
from eyechart.session.probe_tasks import cross_model_protocol, probe_protocol, probe_tasks, settings_of
from eyechart.session.run_probes import run_probes_by_dataset
from eyechart.session.session import Session
from eyechart.session.shared_ids import check_ids_differ
from eyechart.session.stable_hash import stable_hash
from eyechart.store.store import Store


@dataclass
class ExamWork:
    """An examination under way: what it works with, and what it has found so far.

    plan: What to run.
    choice: The probes of each dataset.
    inputs: The models and datasets of the plan.
    folder: The folder of the results.
    store: Where vectors are kept.
    engine: How pictures and texts are encoded.
    progress: Where progress is shown.
    records: The answers.
    skips: What could not be run, with the reason.
    protocols: Every setting behind the answers, by its hash.
    facts: What the protocol says of each model.
    fresh: How many answers were computed now, and not known before.
    keyed: The datasets with the keys of their pictures, read from files and by id.
    lasting: Whether the same plan has nothing left to do: nothing failed, every answer is in the journal, and all of them
        depend on nothing but plan, models and datasets.
    """

    plan: Plan
    choice: ProbeChoice
    inputs: ExamInputs
    folder: RunFolder
    store: Store
    engine: Engine
    progress: Progress
    records: list[Record] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    protocols: dict[str, dict[str, Any]] = field(default_factory=dict)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    fresh: int = 0
    keyed: dict[bool, list[KeyedDataset]] = field(default_factory=dict)
    lasting: bool = True

    def run_model(self, entry: ModelPlan) -> None:
        """All probes that look at one model at a time."""
        name = model_name(entry)
        if name in self.inputs.failures:
            self._skip_model(name)
            return
        session = self._session(name, entry)
        keyed = self._keyed_datasets(session.model)
        try:
            check_ids_differ(session.model, keyed)
        except EyechartError as shared:
            self.inputs.failures[name] = shared
            self._skip_model(name)
            return
        tasks, skips = probe_tasks(self.plan, self.choice, session, keyed, self.decoding)
        records, failed = run_probes_by_dataset(session, tasks, self.folder, self.decoding, self.progress)
        self.records += records
        self.skips += skips
        for dataset, error in failed.items():
            self.inputs.failures[f"{name} on {dataset}"] = error
            known = {r.unit.probe for r in records if r.unit.dataset == dataset}
            self.skips += self._failed(name, [dataset], error, known)
        if records or not failed:
            self.facts[name] = {**session.facts(), **place_of_model(entry.spec, self.folder.path)}
        self.protocols |= {task.protocol: task.protocol_dict for task in tasks}
        expected = {t.unit for t in tasks} | {
            overview_unit(session, d, self.decoding) for d in datasets_of(tasks) if not d.dataset.made
        }
        asks_others = any(t.other_models or t.probe.language_model(t.settings) for t in tasks)
        self.lasting = self.lasting and not asks_others and expected <= {record.unit for record in records}

    def cost_of_model(self, entry: ModelPlan) -> tuple[list[DatasetCost], str]:
        """What `run_model` would encode, by dataset and in all; probes that it would skip are added to `skips`."""
        name = model_name(entry)
        session = self._session(name, entry)
        keyed = self._keyed_datasets(session.model)
        check_ids_differ(session.model, keyed)
        tasks, skips = probe_tasks(self.plan, self.choice, session, keyed, self.decoding)
        self.skips += skips
        pending = pending_work(session, tasks, datasets_of(tasks), self.folder, self.decoding)
        rows = []
        for of in keyed:
            mine = [t for t in pending.tasks if t.keyed.dataset.name == of.dataset.name]
            known = [t.probe.name for t in tasks if t.keyed.dataset.name == of.dataset.name and t.unit in pending.known]
            cost = cost_of(session, [of], {text for t in mine for text in t.texts}, mine, decoding=self.decoding)
            probes = tuple(t.probe.name for t in mine)
            rows.append(DatasetCost(name, of.dataset.name, of.dataset.role, cost, probes, tuple(known)))
        datasets, texts = list(pending.datasets.values()), pending.texts()
        total = cost_of(session, datasets, texts, pending.tasks, decoding=self.decoding)
        return rows, f"{name}: {total.sentence(session.device)}"

    def require_one_model(self) -> None:
        """Raise the first failure where no model could be examined."""
        if not self.facts:
            raise next(iter(self.inputs.failures.values()))

    def run_cross_model(self) -> None:
        """The probes that compare models."""
        entries = {model_name(entry): entry for entry in self.plan.models}
        cards = {name: _stated(self.inputs.models[name].card, entries.get(name)) for name in self.facts}
        found = run_cross_model(self.plan, self.choice, cards, self.inputs.datasets, self.records, self.folder, self.progress)
        self.records += found
        if found:
            of_probes = [cross_model_protocol(p, settings_of(p, self.plan)) for p in self.choice.probes if p.across]
            self.protocols |= {stable_hash(content): content for content in of_probes}

    def write_results(self) -> None:
        """The tables that people read, from the records of the journal."""
        self.fresh = sum(record.fresh for record in self.records)
        datasets = [*self.inputs.datasets, *self.inputs.made]
        warnings = [*self.store.notices, *unusable_probes(self.plan)]
        last = write_notices_and_thumbnails(self.folder, self.records, datasets, warnings, self.decoding, self.progress)
        of_exam = exam_protocol(self.decoding)
        protocol = {
            "eyechart": __version__,
            "protocols": {stable_hash(of_exam): of_exam, **self.protocols},
            "models": self.facts,
            "datasets": {
                keyed.dataset.name: dataset_facts(keyed, self.plan, self.inputs.datasets, self.folder.path)
                for keyed in self.keyed[max(self.keyed)]
            },
            "targets": dict(self.plan.targets),
            "probes": {probe.name: probe_protocol(probe) for probe in self.choice.probes},
            "profiles": {name: list(profiles) for name, profiles in self.choice.profiles.items()},
            "environment": environment(),
        }
        self.folder.assemble([*self.records, last], self.skips, protocol)

    @cached_property
    def decoding(self) -> Decoding:
        return decoding_of(self.plan)

    def _session(self, name: str, entry: ModelPlan) -> Session:
        return Session(
            name,
            self.inputs.models[name],
            store=self.store,
            engine=self.engine,
            decoding=self.decoding,
            progress=self.progress,
            made_with={"device": entry.device, "precision": entry.precision, "batch_size": self.engine.batch_size},
            store_precision=self.plan.store_precision,
        )

    def _keyed_datasets(self, model: Model) -> list[KeyedDataset]:
        """The datasets with the content keys of their pictures. For precomputed vectors ids are enough: they need no files."""
        reads = reads_pictures(model)
        if reads not in self.keyed:
            opened = key_datasets(self.plan, self.inputs.datasets, self.store.hashes, self.progress, pictures=reads)
            made = self.inputs.made if reads else []  # precomputed vectors lack what is made here
            keyed = [key_dataset(d, None, self.store.hashes, self.progress, pictures=reads) for d in made]
            self.keyed[reads] = [*opened, *keyed]
        return self.keyed[reads]

    def _skip_model(self, name: str) -> None:
        """Skip all probes of a model that failed."""
        self.lasting = False
        self.skips += self._failed(name, [d.name for d in self.inputs.datasets], self.inputs.failures[name], set())

    def _failed(self, model: str, datasets: Sequence[str], error: EyechartError, known: set[str]) -> list[Skip]:
        probes = [p for p in self.choice.probes if not p.across and p.name not in known]
        return [
            Skip(model, dataset, probe.name, str(error))
            for dataset in datasets
            for probe in probes
            if self.choice.includes(probe, dataset)
        ]


def _stated(card: ModelCard, entry: ModelPlan | None) -> ModelCard:
    """The card with what the plan says of the model's training."""
    if entry is None:
        return card
    return replace(card, run=entry.run or card.run, samples_seen=entry.samples_seen or card.samples_seen)
