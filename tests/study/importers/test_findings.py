import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eyechart.findings import finding
from eyechart.findings.finding import Finding
from eyechart.study.importers.findings import read_findings


@pytest.fixture
def examination(tmp_path):
    """An examination of a model of known origin on two datasets, one of which bears a published name."""

    def write(findings, model="open_clip:ViT-B-32/openai", card=None):
        tables = [
            finding.to_table(mine, model=model, dataset=dataset, probe="zero_shot", protocol="p", version=1)
            for dataset, mine in findings.items()
        ]
        pq.write_table(pa.concat_tables(tables), tmp_path / "findings.parquet")
        about = {"models": {model: {"card": card} if card else {}}, "datasets": {name: {} for name in findings}, "probes": {}}
        (tmp_path / "protocol.json").write_text(json.dumps(about))
        return tmp_path

    return write


def values(imported):
    return {(row["metric"], row["prompts"]): row for row in imported.table.to_pylist()}


def test_accuracy_on_a_dataset_with_a_published_name_is_that_measure(examination):
    folder = examination({"ImageNet_V2": [Finding("top1", 0.56, 10_000, slice={"prompts": "openai-80"})]})
    row = values(read_findings(folder))["imagenet-v2", "openai-80"]
    assert (row["value"], row["n"], row["origin"]) == (0.56, 10_000, "findings")
    assert (row["group"], row["source"]) == ("zero-shot CLIP", "WIT-400M")  # read from the name


def test_a_dataset_can_be_said_to_be_a_published_one(examination):
    folder = examination({"photos": [Finding("top1", 0.6, 500)]})
    found = read_findings(folder, {"photos": "imagenet"})
    assert ("imagenet", None) in values(found) and found.notices == ()


def test_other_numbers_are_measures_of_their_own(examination):
    folder = examination({"photos": [Finding("ece", 0.04, 500, slice={"factor": "pose", "prompts": "one"})]})
    found = read_findings(folder)
    assert ("photos/ece[factor=pose]", "one") in values(found)
    assert "--as photos=imagenet" in str(found.notices[0])


def test_single_classes_and_missing_values_are_no_measures(examination):
    folder = examination({"imagenet": [Finding("top1", None, 0), Finding("class_accuracy", 0.5, 10, slice={"class": "cat"})]})
    assert read_findings(folder).table.num_rows == 0


def test_the_card_of_the_protocol_goes_before_the_name(examination):
    card = {"architecture": "ResNet", "family": None, "source": "ImageNet-1k", "loss": "cross-entropy"}
    folder = examination({"imagenet": [Finding("top1", 0.7, 100)]}, model="onnx:mine", card=card)
    (row,) = values(read_findings(folder)).values()
    assert (row["model"], row["group"], row["architecture"]) == ("onnx:mine", "standard", "ResNet")
