from tests.report.sample_run import add_probe, write_sample_run

from eyechart.findings.finding import Finding
from eyechart.findings.run import read_run
from eyechart.report.exports.headline_metrics import headline_metrics

MODEL = "ViT-L-14 · openai"


def metrics(folder, model=MODEL):
    return [(row.probe, row.metric, row.prompts) for row in headline_metrics(read_run(folder), model)]


def test_only_the_leading_prompt_set_and_no_metric_that_nobody_judges(calm_run):
    # mean_per_class is a headline metric of the page, but neither the first of its probe nor judged
    assert metrics(calm_run) == [("zero_shot", "top1", "openai-80"), ("zero_shot", "worst_class", "openai-80")]


def test_the_first_metric_of_a_probe_is_exported_without_limits_and_only_with_a_value(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=(MODEL,), prompts=("single",))
    add_probe(folder, "calibration", [Finding(metric="ece", value=0.1, n=9), Finding(metric="temperature", value=2.0, n=9)])
    assert metrics(folder)[2:] == [("calibration", "ece", None)]
    folder = write_sample_run(tmp_path / "other", models=(MODEL,), prompts=("single",))
    add_probe(folder, "calibration", [Finding(metric="ece", value=float("nan"), n=9)])
    assert metrics(folder)[2:] == []
