import json
import shutil

import pytest

import eyechart
from eyechart.errors import DataError, UsageError
from eyechart.findings.run import read_run
from eyechart.report.exports.registry import export_run


@pytest.fixture
def examine(tmp_path, store):
    def run(data, names=("a",)):
        plan = eyechart.Plan(
            tuple(eyechart.ModelPlan("demo:", name=name) for name in names),
            (eyechart.DataPlan(str(data)),),
            ("zero_shot",),
            prompts=("single", "bare"),
        )
        return eyechart.run(plan, out=tmp_path / "exam", store=store)

    return run


def exported(tmp_path, dataset):
    metadata, samples = export_run(read_run(tmp_path / "exam"), "fiftyone", tmp_path / "to")
    assert metadata.parent == samples.parent == tmp_path / "to" / "fiftyone" / dataset
    return json.loads(metadata.read_text("utf-8")), json.loads(samples.read_text("utf-8"))["samples"]


def test_labels_and_predictions_with_the_pictures_where_they_are(photos, examine, tmp_path):
    exam = examine(photos)
    metadata, samples = exported(tmp_path, "photos")
    assert metadata["name"] == "photos" and metadata["media_type"] == "image"
    assert "version" not in metadata  # with one, FiftyOne would expect documents of its database
    assert metadata["info"]["eyechart"]["fields"] == {"prediction": {"model": "a", "prompts": "single"}}
    rows = [row for row in exam.predictions.to_pylist() if row["prompts"] == "single"]
    assert len(samples) == len(rows)
    for sample, row in zip(samples, rows, strict=True):
        assert sample["filepath"] == str(photos / row["id"])
        assert sample["ground_truth"] == {"_cls": "Classification", "label": row["label"]}
        assert sample["prediction"]["label"] == row["predicted"] and sample["prediction"]["confidence"] == row["confidence"]
        assert sample["tags"] == ["correct" if row["label"] == row["predicted"] else "wrong"]


def test_each_model_has_a_field(photos, examine, tmp_path):
    examine(photos, names=("a.b", "ü d"))
    metadata, samples = exported(tmp_path, "photos")
    fields = metadata["info"]["eyechart"]["fields"]
    assert [about["model"] for about in fields.values()] == ["a.b", "ü d"] and all(name.isidentifier() for name in fields)
    assert all(set(fields) <= set(sample) for sample in samples)


def test_a_table_with_file_names_as_ids(photos, examine, tmp_path):
    files = sorted(photos.rglob("*.png"))
    rows = [f"{path.relative_to(photos)},{path.parent.name}" for path in files]
    (photos / "list.csv").write_text("path,label\n" + "\n".join(rows) + "\n")
    examine(photos / "list.csv")
    _, samples = exported(tmp_path, "list")
    assert [sample["filepath"] for sample in samples] == [str(path) for path in files]


def test_pictures_without_files_are_refused(photos, examine, tmp_path):
    files = sorted(photos.rglob("*.png"))
    rows = [f"{i},{path.relative_to(photos)},{path.parent.name}" for i, path in enumerate(files)]
    (photos / "list.csv").write_text("id,path,label\n" + "\n".join(rows) + "\n")
    examine(photos / "list.csv")
    with pytest.raises(UsageError, match="the pictures of list are not known as files"):
        exported(tmp_path, "list")


def test_a_picture_that_is_gone_is_named(photos, examine, tmp_path):
    examine(photos)
    shutil.move(photos, tmp_path / "elsewhere")
    with pytest.raises(DataError, match=r"photos.*\.png does not exist; run the command in the folder"):
        exported(tmp_path, "photos")
    assert not (tmp_path / "to" / "fiftyone" / "photos" / "samples.json").exists()
