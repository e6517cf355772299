"""Run the probes that compare models, after each model has been examined alone."""

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from eyechart import __version__
from eyechart.data.dataset import Dataset
from eyechart.findings.finding import empty_table, to_table
from eyechart.findings.metric import Metric
from eyechart.findings.run import ALL_MODELS
from eyechart.findings.run_folder import Record, RunFolder, Unit
from eyechart.models.card import ModelCard
from eyechart.plan import Plan
from eyechart.probes.contract import NotApplicable, Probe
from eyechart.probes.cross_model import CrossModelInput
from eyechart.progress import Progress
from eyechart.session.probe_choice import ProbeChoice
from eyechart.session.probe_tasks import concerns, cross_model_protocol, settings_of
from eyechart.session.stable_hash import stable_hash


def run_cross_model(
    plan: Plan,
    choice: ProbeChoice,
    cards: Mapping[str, ModelCard],
    datasets: Sequence[Dataset],
    answered: Sequence[Record],
    folder: RunFolder,
    progress: Progress,
) -> list[Record]:
    """Run the probes that compare models. With one model alone none is run, unless the plan names it."""
    probes = choice.probes
    asked = [p for p in probes if p.across and (len(cards) > 1 or p.name in (plan.probes or ()))]
    headlines = {p.name: p.headline for p in probes if not p.across}
    metrics = {p.name: {m.name: m for m in p.metrics} for p in probes if not p.across}
    by_dataset = {dataset.name: [r for r in answered if r.unit.dataset == dataset.name] for dataset in datasets}
    wanted = [
        (probe, dataset.name)
        for dataset in datasets
        for probe in asked
        if by_dataset[dataset.name] and concerns(probe, dataset) and choice.includes(probe, dataset.name)
    ]
    if not wanted:
        return []
    records = []
    with progress.task("all models: probes", len(wanted), "tasks") as task:
        for probe, name in wanted:
            records.append(_run(plan, probe, name, cards, by_dataset[name], headlines, metrics, folder))
            task.advance()
    return records


def _run(
    plan: Plan,
    probe: Probe,
    dataset: str,
    cards: Mapping[str, ModelCard],
    answered: Sequence[Record],
    headlines: Mapping[str, tuple[str, ...]],
    metrics: Mapping[str, Mapping[str, Metric]],
    folder: RunFolder,
) -> Record:
    settings = settings_of(probe, plan)
    protocol = stable_hash(cross_model_protocol(probe, settings))
    about = [
        __version__,
        dataset,
        protocol,
        sorted(r.unit.key for r in answered),
        {n: [dict(c.training), c.run, c.samples_seen] for n, c in cards.items()},
    ]
    unit = Unit(ALL_MODELS, dataset, probe.name, stable_hash(about))
    known = folder.record(unit)
    if known:
        return known
    findings = pa.concat_tables([r.findings for r in answered])
    findings = findings.filter(pc.is_in(findings["model"], pa.array(list(cards), pa.string())))
    try:
        answer = probe.ask(CrossModelInput(dataset, cards, findings, headlines, metrics, settings))
    except NotApplicable as reason:
        return folder.write(unit, empty_table(), skipped=str(reason))
    table = to_table(
        answer.findings,
        model=ALL_MODELS,
        dataset=dataset,
        probe=probe.name,
        protocol=protocol,
        version=probe.version,
        metrics=probe.metrics,
    )
    return folder.write(unit, table, answer.exhibits, answer.notices)
