"""Asking all models of a run together, when each has been asked alone."""

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from eyechart import __version__
from eyechart.data.dataset import Dataset
from eyechart.findings.finding import empty_table, to_table
from eyechart.findings.run import ALL_MODELS
from eyechart.findings.run_folder import Record, RunFolder, Unit
from eyechart.models.card import ModelCard
from eyechart.plan import Plan
from eyechart.probes.panel import Panel
from eyechart.probes.probe import NotApplicable, Probe
from eyechart.sitting.digest import digest
from eyechart.sitting.questions import concerns, settings_of, spelled_across


def convene(
    plan: Plan,
    probes: Sequence[Probe],
    cards: Mapping[str, ModelCard],
    datasets: Sequence[Dataset],
    answered: Sequence[Record],
    folder: RunFolder,
) -> list[Record]:
    """The answers to the questions that go across models. Of one model alone none is asked, unless the plan names the probe."""
    asked = [p for p in probes if p.across and (len(cards) > 1 or p.name in (plan.probes or ()))]
    headlines = {p.name: p.headline for p in probes if not p.across}
    records = []
    for dataset in datasets:
        mine = [r for r in answered if r.unit.dataset == dataset.name]
        for probe in asked:
            if mine and concerns(probe, dataset):
                records.append(_ask(plan, probe, dataset.name, cards, mine, headlines, folder))
    return records


def _ask(
    plan: Plan,
    probe: Probe,
    dataset: str,
    cards: Mapping[str, ModelCard],
    answered: Sequence[Record],
    headlines: Mapping[str, tuple[str, ...]],
    folder: RunFolder,
) -> Record:
    settings = settings_of(probe, plan)
    protocol = digest(spelled_across(probe, settings))
    about = [
        __version__,
        dataset,
        protocol,
        sorted(r.unit.key for r in answered),
        {n: dict(c.training) for n, c in cards.items()},
    ]
    unit = Unit(ALL_MODELS, dataset, probe.name, digest(about))
    known = folder.record(unit)
    if known:
        return known
    findings = pa.concat_tables([r.findings for r in answered])
    findings = findings.filter(pc.is_in(findings["model"], pa.array(list(cards), pa.string())))
    try:
        answer = probe.ask(Panel(dataset, cards, findings, headlines, settings))
    except NotApplicable as reason:
        return folder.write(unit, empty_table(), skipped=str(reason))
    table = to_table(
        answer.findings, model=ALL_MODELS, dataset=dataset, probe=probe.name, protocol=protocol, version=probe.version
    )
    return folder.write(unit, table, answer.exhibits, answer.notices)
