"""Tables of class accuracies: summaries of published files, counted here with json and sorted alone."""

import json
import statistics

import pytest

from eyechart.errors import DataError
from eyechart.study.importers.per_class import read_per_class
from eyechart.study.importers.text_files import TextFile


def file(content, name="photos_ensemble_results.json"):
    return TextFile(name, name, content if isinstance(content, str) else json.dumps(content))


def values(imported, model):
    return {row["metric"]: row["value"] for row in imported.table.to_pylist() if row["model"] == model}


@pytest.mark.refdata
@pytest.mark.parametrize(("name", "k"), [("imagenet_simple", 10), ("oxfordpets_ensemble", 4), ("caltech101_ensemble", 10)])
def test_published_files_are_summarized(refdata, name, k):
    path = refdata / "per-class" / f"{name}_results.json"
    published = json.loads(path.read_text())
    imported = read_per_class([TextFile(path.name, str(path), path.read_text())])
    dataset, prompts = name.split("_")
    assert len({row["model"] for row in imported.table.to_pylist()}) == 21
    assert {row["prompts"] for row in imported.table.to_pylist()} == {prompts}
    for key, of in published.items():
        lowest = sorted(of["classwise"].values())
        found = values(imported, "per_class:" + key.removeprefix("backbone").replace("_pretrained", "/", 1))
        assert found[dataset] == pytest.approx(of["full"] / 100)
        assert found[f"{dataset}/mean_per_class"] == pytest.approx(statistics.mean(lowest) / 100)
        worst = next(value for metric, value in found.items() if "worst_at_k" in metric)
        assert f"{dataset}/worst_at_k[k={k}]" in found and worst == pytest.approx(statistics.mean(lowest[:k]) / 100)
        assert found[f"{dataset}/zero_accuracy_share"] == pytest.approx(lowest.count(0) / len(lowest))


def test_means_of_a_hand_worked_table():
    imported = read_per_class([file({"backboneRN50_pretrainedcc12m": {"full": 60, "classwise": {"a": 100, "b": 50, "c": 0}}})])
    found = values(imported, "per_class:RN50/cc12m")
    assert found["photos/worst_class"] == 0 and found["photos/worst_at_k[k=1]"] == 0
    assert found["photos/harmonic_mean_smoothed[epsilon=0.01]"] == pytest.approx(3 / (1 + 2 + 100))
    assert found["photos/geometric_mean_smoothed[epsilon=0.01]"] == pytest.approx(0.005 ** (1 / 3))
    assert {row["source"] for row in imported.table.to_pylist()} != {None}


def test_rows_that_are_no_percentages_are_excluded_and_said():
    rows = {"m": {"full": 50, "classwise": {"a": 101, "b": 2}}, "n": {"full": 1}, "o": {"classwise": {"a": 10, "b": 30}}}
    imported = read_per_class([file(rows)])
    assert "2 rows excluded" in imported.notices[0].what
    assert values(imported, "per_class:o")["photos/mean_per_class"] == pytest.approx(0.2)
    assert "photos" not in values(imported, "per_class:o")


def test_other_files_are_refused():
    with pytest.raises(DataError, match="classwise"):
        read_per_class([file("[1, 2]")])
    with pytest.raises(DataError, match="DATASET_PROMPTS_results"):
        read_per_class([file({}, "table.csv")])
