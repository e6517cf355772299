import pytest
from tests.report.sample_run import NASTY, write_sample_run

from eyechart.errors import UsageError
from eyechart.findings.run import read_run
from eyechart.report.exports.model_card import model_card_block

yaml = pytest.importorskip("yaml")


def front_matter(block: str) -> dict:
    start, front, rest = block.split("---\n", 2)
    assert start == "" and rest.startswith("\n## Eye examination")
    return yaml.safe_load(front)


def test_the_index_holds_task_dataset_and_metrics(calm_run):
    block = model_card_block(read_run(calm_run), "ViT-L-14 · openai")
    (model,) = front_matter(block)["model-index"]
    (result,) = model["results"]
    assert model["name"] == "ViT-L-14 · openai"
    assert [metric["type"] for metric in result["metrics"]] == ["accuracy", "worst_class"]  # of the leading prompt set
    assert "\n## Eye examination of ViT-L-14 · openai on garden visitors\n" in block  # the title of its page
    assert result["task"]["type"] == "zero-shot-image-classification"
    assert result["dataset"] == {"name": "garden visitors", "type": "garden-visitors"}
    assert set(result) == {"task", "dataset", "metrics"}
    assert "Measured with Eyechart 0.1.0" in block and "http" not in block


def test_the_reader_of_the_hub_takes_the_index(calm_run):
    hub = pytest.importorskip("huggingface_hub")
    index = front_matter(model_card_block(read_run(calm_run), "ViT-L-14 · openai"))["model-index"]
    data = hub.ModelCardData(**{"model-index": index})
    assert [r.metric_type for r in data.eval_results] == ["accuracy", "worst_class"]


def test_the_values_are_those_of_the_findings(calm_run):
    (model,) = front_matter(model_card_block(read_run(calm_run), "ViT-L-14 · openai"))["model-index"]
    first = model["results"][0]["metrics"][0]
    findings = read_run(calm_run).findings.to_pylist()
    value = next(f["value"] for f in findings if f["model"] == "ViT-L-14 · openai" and f["metric"] == "top1")
    assert first["type"] == "accuracy" and first["value"] == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize("model", NASTY)
def test_any_name_survives_the_yaml(tmp_path, model):
    folder = write_sample_run(tmp_path / "run", models=(model,), classes=NASTY, prompts=(NASTY[0],))
    (entry,) = front_matter(model_card_block(read_run(folder)))["model-index"]
    assert entry["name"] == model


def test_the_model_must_be_named_where_there_are_two(calm_run):
    with pytest.raises(UsageError, match="several models; choose one of: ViT-B-32"):
        model_card_block(read_run(calm_run))


def test_an_unknown_model_gets_a_hint(calm_run):
    with pytest.raises(UsageError, match="did you mean 'ViT-L-14 · openai'"):
        model_card_block(read_run(calm_run), "ViT-L-14 openai")
