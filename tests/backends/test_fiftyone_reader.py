"""Against FiftyOne's own importer, which needs no database to read samples."""

import pytest

import eyechart
from eyechart.findings.run import read_run
from eyechart.report.exports.registry import export_run

pytest.importorskip("fiftyone", reason="needs the package fiftyone")


def test_its_importer_reads_pictures_labels_and_predictions(photos, tmp_path, store):
    from fiftyone.utils.data.importers import FiftyOneDatasetImporter

    exam = eyechart.examine("demo:", photos, prompts="single", probes=("zero_shot",), out=tmp_path / "exam", store=store)
    metadata, _ = export_run(read_run(tmp_path / "exam"), "fiftyone", tmp_path / "to")
    importer = FiftyOneDatasetImporter(str(metadata.parent))
    assert importer._is_legacy_format_data()
    with importer._to_legacy_importer() as reader:
        samples = list(reader)
    rows = exam.predictions.to_pylist()
    assert [sample.filepath for sample in samples] == [str(photos / row["id"]) for row in rows]
    assert [sample.ground_truth.label for sample in samples] == [row["label"] for row in rows]
    assert [sample.prediction.label for sample in samples] == [row["predicted"] for row in rows]
    assert [sample.prediction.confidence for sample in samples] == pytest.approx([row["confidence"] for row in rows])
