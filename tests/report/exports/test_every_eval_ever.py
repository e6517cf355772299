"""Records against the requirements of Every Eval Ever's eval.schema.json, version 0.2.2."""

import json
import uuid

import pytest
from tests.report.sample_run import NASTY, add_probe, write_sample_run

from eyechart.errors import UsageError
from eyechart.findings.finding import Finding
from eyechart.findings.run import read_run
from eyechart.report.exports.options import ExportOptions, HubDataset
from eyechart.report.exports.registry import export_run

ME = ExportOptions(organization="Garden Lab")
# Place in a record → its required keys; "*" stands for every item.
REQUIRED = {
    "": ("schema_version evaluation_id retrieved_timestamp source_metadata model_info eval_library evaluation_results"),
    "source_metadata": "source_type source_organization_name evaluator_relationship",
    "eval_library": "name version",
    "model_info": "name id",
    "evaluation_results/*": "evaluation_name source_data metric_config score_details",
    "evaluation_results/*/source_data": "dataset_name source_type",
    "evaluation_results/*/metric_config": "lower_is_better",
    "evaluation_results/*/score_details": "score",
    "evaluation_results/*/score_details/uncertainty/confidence_interval": "lower upper",
}
TOP_LEVEL = {*REQUIRED[""].split(), "evaluation_timestamp", "detailed_evaluation_results"}  # no other key is allowed


def at(record, place):
    found = [record]
    for step in filter(None, place.split("/")):
        found = [inner for item in found for inner in (item if step == "*" else [item[step]])]
    return found


def exported(folder, tmp_path, options=ME):
    paths = export_run(read_run(folder), "every-eval-ever", tmp_path / "to", options)
    return paths, [json.loads(path.read_text("utf-8")) for path in paths]


def test_records_meet_the_schema(calm_run, tmp_path):
    for record in exported(calm_run, tmp_path)[1]:
        assert set(record) <= TOP_LEVEL and record["schema_version"] == "0.2.2"
        for place, keys in REQUIRED.items():
            for item in at(record, place):
                assert set(keys.split()) <= set(item), place
        assert record["source_metadata"]["source_type"] in ("documentation", "evaluation_run")
        assert record["source_metadata"]["evaluator_relationship"] in ("first_party", "third_party", "collaborative", "other")
        assert float(record["retrieved_timestamp"]) > 1.7e9
        for config in at(record, "evaluation_results/*/metric_config"):
            assert type(config["lower_is_better"]) is bool
            if config.get("score_type") == "continuous":
                assert config["min_score"] < config["max_score"]
            assert all(value is None or type(value) in (str, int, float, bool) for value in config["metric_parameters"].values())
        assert all(type(text) is str for text in record["model_info"]["additional_details"].values())


def test_scores_are_those_of_the_findings(calm_run, tmp_path):
    run = read_run(calm_run)
    _, (_, record) = exported(calm_run, tmp_path)
    finding = next(f for f in run.findings.to_pylist() if f["model"] == run.models[1] and f["metric"] == "top1")
    top1 = record["evaluation_results"][0]
    assert top1["metric_config"]["metric_id"] == "accuracy" and top1["metric_config"]["lower_is_better"] is False
    assert top1["score_details"] == {
        "score": finding["value"],
        "uncertainty": {
            "num_samples": 600,
            "confidence_interval": {
                "lower": finding["low"],
                "upper": finding["high"],
                "confidence_level": 0.95,
                "method": finding["interval"],
            },
        },
    }


def test_direction_and_range_follow_the_metric(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("m",), prompts=("single",))
    add_probe(folder, "calibration", [Finding(metric="ece", value=0.1, n=9)])
    add_probe(folder, "class_count", [Finding(metric="full_list_accuracy", value=0.1, n=9, higher_is_better=None)])
    _, (record,) = exported(folder, tmp_path)
    configs = {config["metric_id"]: config for config in at(record, "evaluation_results/*/metric_config")}
    assert configs["eyechart.calibration.ece"]["lower_is_better"] is True
    assert len(configs) == 3  # without the number of which neither direction is better


def test_the_datastore_has_a_folder_for_each_model_and_a_uuid_for_each_record(calm_run, tmp_path):
    paths, _ = exported(calm_run, tmp_path)
    places = [path.parent.relative_to(tmp_path / "to" / "every-eval-ever").as_posix() for path in paths]
    assert places == [f"data/garden-visitors/unknown/ViT-{kind}" for kind in ("B-32-laion2b", "L-14-openai")]
    assert all(uuid.UUID(path.stem).version == 4 for path in paths)
    before = [path.read_bytes() for path in paths]
    again, _ = exported(calm_run, tmp_path)
    assert again == paths and [path.read_bytes() for path in again] == before


def test_models_and_datasets_of_the_hub_keep_their_names(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("m",), prompts=("single",))
    protocol = json.loads((folder / "protocol.json").read_text("utf-8"))
    protocol["models"]["m"]["spec"] = "hf:openai/clip-vit-base-patch32"
    (folder / "protocol.json").write_text(json.dumps(protocol), "utf-8")
    options = ExportOptions({"garden visitors": HubDataset("owner/garden")}, "Garden Lab")
    (path,), (record,) = exported(folder, tmp_path, options)
    assert record["model_info"]["id"] == "openai/clip-vit-base-patch32" and path.parent.parent.name == "openai"
    expected = {"dataset_name": "garden visitors", "source_type": "hf_dataset", "hf_repo": "owner/garden", "samples_number": 600}
    assert record["evaluation_results"][0]["source_data"] == expected


@pytest.mark.parametrize("name", [*NASTY, "../../up", "hf:../.."])
def test_any_name_stays_text_inside_the_folder(tmp_path, name):
    folder = write_sample_run(tmp_path / "run", models=(name,), classes=NASTY, prompts=(name,), dataset=name)
    (path,), (record,) = exported(folder, tmp_path)
    assert path.resolve().is_relative_to(tmp_path / "to" / "every-eval-ever" / "data")
    assert record["model_info"]["name"] == name and record["evaluation_results"][0]["evaluation_name"] == name


def test_who_ran_it_must_be_named(calm_run, tmp_path):
    with pytest.raises(UsageError, match="give it: --organization NAME"):
        export_run(read_run(calm_run), "every-eval-ever", tmp_path)
