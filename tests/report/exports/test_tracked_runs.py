import re

import pytest
from tests.report.sample_run import NASTY, write_sample_run

from eyechart.findings.run import read_run
from eyechart.report.exports.tracked_runs import tracked_runs


def test_each_metric_has_its_interval_and_n(calm_run):
    run = read_run(calm_run)
    _, tracked = tracked_runs(run)
    finding = next(f for f in run.findings.to_pylist() if f["model"] == run.models[1] and f["metric"] == "top1")
    name = "garden-visitors/zero_shot/top1"
    found = [tracked.metrics[name + ending] for ending in ("", "_low", "_high", "_n")]
    assert found == [finding["value"], finding["low"], finding["high"], 600.0]
    assert tracked.model == "ViT-L-14 · openai" and tracked.settings["prompts"] == "openai-80"


def test_the_id_changes_with_the_numbers_and_with_nothing_else(tmp_path):
    def ids(place, **options):
        return [tracked.id for tracked in tracked_runs(read_run(write_sample_run(tmp_path / place, **options)))]

    assert ids("a") == ids("b") and len(set(ids("a"))) == 2
    assert not {*ids("a")} & {*ids("c", prompts=("single",))}


@pytest.mark.parametrize("name", NASTY)
def test_metric_names_have_only_characters_that_trackers_allow(tmp_path, name):
    (tracked,) = tracked_runs(read_run(write_sample_run(tmp_path / "run", models=(name,), dataset=name, prompts=(name,))))
    assert tracked.metrics and all(re.fullmatch(r"[\w./-]+", key, re.ASCII) for key in tracked.metrics)
