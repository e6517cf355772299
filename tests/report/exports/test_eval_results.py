import json

import pytest
from tests.report.sample_run import NASTY, write_sample_run

from eyechart.errors import UsageError
from eyechart.findings.run import read_run
from eyechart.report.exports.options import ExportOptions, HubDataset
from eyechart.report.exports.registry import export_run

yaml = pytest.importorskip("yaml")
GARDEN = ExportOptions({"garden visitors": HubDataset("owner/garden")})


def test_a_file_for_each_model_with_the_required_fields(calm_run, tmp_path):
    run = read_run(calm_run)
    paths = export_run(run, "eval-results", tmp_path, GARDEN)
    places = [path.relative_to(tmp_path / "eval-results").as_posix() for path in paths]
    assert places == [f"ViT-{kind}/.eval_results/garden-visitors.yaml" for kind in ("B-32-laion2b", "L-14-openai")]
    top1, worst = yaml.safe_load(paths[1].read_text("utf-8"))
    findings = [f for f in run.findings.to_pylist() if f["model"] == run.models[1] and f["slice"] == '{"prompts": "openai-80"}']
    assert top1["dataset"] == {"id": "owner/garden", "task_id": "top1"}
    assert top1["value"] == next(f["value"] for f in findings if f["metric"] == "top1")
    assert "n = 600" in top1["notes"] and "95% interval" in top1["notes"] and "prompts: openai-80" in top1["notes"]
    assert worst["dataset"]["task_id"] == "worst_class" and set(worst) == {"dataset", "value", "notes"}


def test_a_task_of_the_benchmark_gets_the_first_metric_only(calm_run, tmp_path):
    options = ExportOptions({"garden visitors": HubDataset("owner/garden", "zero-shot")})
    path = export_run(read_run(calm_run), "eval-results", tmp_path, options)[0]
    (entry,) = yaml.safe_load(path.read_text("utf-8"))
    assert entry["dataset"]["task_id"] == "zero-shot" and entry["notes"].startswith("top-1 accuracy")


def test_pictures_of_the_hub_name_their_benchmark(calm_run, tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("m",), prompts=("single",))
    protocol = json.loads((folder / "protocol.json").read_text("utf-8"))
    protocol["datasets"]["garden visitors"]["source"] = "hf://datasets/owner/garden/test"
    (folder / "protocol.json").write_text(json.dumps(protocol), "utf-8")
    (path,) = export_run(read_run(folder), "eval-results", tmp_path)
    assert {entry["dataset"]["id"] for entry in yaml.safe_load(path.read_text("utf-8"))} == {"owner/garden"}


def test_other_pictures_need_a_name_on_the_hub(calm_run, tmp_path):
    with pytest.raises(UsageError, match="--hub-dataset garden visitors=OWNER/NAME"):
        export_run(read_run(calm_run), "eval-results", tmp_path)
    assert not list(tmp_path.rglob("*.yaml"))


@pytest.mark.parametrize("name", [*NASTY, "../../up", "/etc/passwd"])
def test_any_name_stays_text_inside_the_folder(tmp_path, name):
    folder = write_sample_run(tmp_path / "run", models=(name,), classes=NASTY, prompts=(name,), dataset=name)
    (path,) = export_run(read_run(folder), "eval-results", tmp_path / "to", ExportOptions({name: HubDataset("o/n")}))
    assert path.resolve().is_relative_to(tmp_path / "to" / "eval-results")
    top1, worst = yaml.safe_load(path.read_text("utf-8"))
    assert " ".join(name.split()) in " ".join(worst["notes"].split()) and top1["dataset"]["id"] == "o/n"


def test_the_reader_of_the_hub_takes_the_file(calm_run, tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    if not hasattr(hub, "parse_eval_result_entries"):
        pytest.skip("this huggingface_hub does not know .eval_results")
    path = export_run(read_run(calm_run), "eval-results", tmp_path, GARDEN)[0]
    entries = hub.parse_eval_result_entries(yaml.safe_load(path.read_text("utf-8")))
    assert [(entry.dataset_id, entry.task_id) for entry in entries] == [("owner/garden", "top1"), ("owner/garden", "worst_class")]
