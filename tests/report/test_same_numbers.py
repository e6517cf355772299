"""Page, terminal, Markdown, verdict, repair and study show the same text for the same value."""

import pyarrow as pa
import pytest
from tests.report.page_files import data_of, pieces_of
from tests.report.sample_run import add_probe, write_sample_run

from eyechart.cli.study_options import distance_texts
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import format_estimate, format_interval, format_value
from eyechart.findings.run import read_run
from eyechart.repair.metrics import estimate_text, interval_text, value_text
from eyechart.report.exports.markdown import markdown_summary
from eyechart.report.page import write_report
from eyechart.report.summary import summary_rows
from eyechart.study.importers.findings import read_findings
from eyechart.verdict.evidence import Figure

CASES = [
    ("shift", "worst_accuracy_drop", 0.0314, 0.011, 0.052, "3.1 points", "1.1 to 5.2"),
    ("shift", "effective_robustness", -0.0314, -0.052, -0.011, "−3.1 points", "−5.2 to −1.1"),
    ("ood", "ood_fpr95", 0.4321, 0.401, 0.463, "43.2%", "40.1 to 46.3%"),
    ("large_object", "large_object_odds_ratio", 1.72, 1.5, 1.97, "1.720", "1.500 to 1.970"),
]


@pytest.mark.parametrize(("probe", "metric", "value", "low", "high", "text", "interval"), CASES)
def test_every_output_shows_the_same_text(tmp_path, probe, metric, value, low, high, text, interval):
    folder = write_sample_run(tmp_path / "run", models=("one",))
    add_probe(folder, probe, [Finding(metric=metric, value=value, n=900, low=low, high=high)])
    run = read_run(folder)
    (row,) = [row for row in summary_rows(run) if row[2] == probe]
    assert (row[4], row[5]) == (text, interval)
    assert f"| {text} | {interval} | 900 |" in markdown_summary(run)
    page = write_report(folder, run)
    findings = data_of(page, "findings")["findings"]
    assert text in findings["value_text"] and interval in findings["interval_text"]
    (part,) = [piece.text for name, piece in pieces_of(page).items() if name.startswith("part-") and text in piece.text]
    assert interval in part
    (found,) = [f for f in run.findings.to_pylist() if f["probe"] == probe]
    assert Figure.of(found, run).text == f"{text} ({interval}), n = 900"
    study = read_findings(folder).table
    (stored,) = study.filter(pa.compute.equal(study["metric"].cast(pa.string()), f"garden visitors/{metric}")).to_pylist()
    assert format_value(stored["value"], stored["unit"]) == text
    assert stored["title"] == f"garden visitors: {run.metric(probe, metric).title}"


def test_a_repair_and_a_study_show_differences_in_points():
    change = Finding(metric="top1_change", value=-0.0314, n=900, low=-0.052, high=-0.011, baseline="before")
    assert (value_text(change), interval_text(change)) == ("−3.1 points", "−5.2 to −1.1")
    assert estimate_text(change) == format_estimate(-0.0314, -0.052, -0.011, "points") == "−3.1 points (−5.2 to −1.1)"
    assert distance_texts(-0.0314, -0.052, -0.011, "fraction") == ("−3.1 points", format_interval(-0.052, -0.011, "points"))
