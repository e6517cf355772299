"""Findings as a run would hold them, with the metric records that their probes declare."""

import pyarrow as pa

from eyechart.findings import skip
from eyechart.findings.finding import to_table
from eyechart.findings.metric import find_metric, unknown_metric
from eyechart.findings.run import Run
from eyechart.probes.registry import get_probe, probe_names
from eyechart.session.probe_tasks import probe_protocol


def table_of(findings, *, probe="zero_shot", model="m", dataset="d", protocol="p", version=1):
    """The rows of these findings. A metric that the probe does not declare is taken as a plain fraction."""
    findings = list(findings)
    known = get_probe(probe).metrics if probe in probe_names() else ()
    names = dict.fromkeys(f.metric for f in findings)
    metrics = [find_metric(known, name) or unknown_metric(name, higher_is_better=True) for name in names]
    return to_table(findings, model=model, dataset=dataset, probe=probe, protocol=protocol, version=version, metrics=metrics)


def run_of(*tables):
    """A run of these tables, with the metric records of all probes."""
    return Run(pa.concat_tables(tables), skip.to_table([]), (), protocol_of(*probe_names()))


def protocol_of(*probes):
    """What `protocol.json` says of these probes."""
    return {"probes": {probe: probe_protocol(get_probe(probe)) for probe in probes}}
