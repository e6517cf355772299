import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.found import table_of

from eyechart.errors import StoreError
from eyechart.findings import predictions as module
from eyechart.findings.predictions import FILE, SCHEMA, Predictions, read_predictions
from eyechart.findings.run_folder import RunFolder, Unit

ROLES = {"photos": "exam", "textures": "ood"}


def of(n=3, *, start=0, prompts="single", dataset=None, scale=True, classes=7):
    labels = [f"n{c}" for c in range(classes)]
    top = np.tile(np.arange(min(classes, 5)), (n, 1))
    return Predictions(
        ids=[f"{row}.jpg" for row in range(start, start + n)],
        clusters=np.arange(n),
        labels=labels,
        titles=[f"class {c}" for c in range(classes)],
        truth=np.arange(n) % classes - 1,
        top=top,
        probabilities=np.float32([[0.5, 0.2, 0.1, 0.05, 0.05][: top.shape[1]]] * n) if scale else None,
        margin=np.full(n, 0.3 if scale else np.nan, np.float32),
        rank=np.arange(n) % classes - 1,
        ood_score=np.full(n, 0.25, np.float32),
        prompts=prompts,
        dataset=dataset,
    )


def unit(probe="zero_shot", key="a"):
    return Unit("model", "photos", probe, key * 32)


@pytest.fixture
def folder(tmp_path):
    made = RunFolder(tmp_path / "out")
    made.prepare()
    return made


def write(folder, unit, *given):
    return folder.write(unit, table_of([]), predictions=given, roles=ROLES)


def assembled(folder, *records):
    folder.assemble(records, [], {})
    return read_predictions(folder.path / FILE).read()


def test_a_row_has_the_top_five_with_probabilities_and_the_rank_of_the_truth(folder):
    table = assembled(folder, write(folder, unit(), of()))
    assert table.schema.equals(SCHEMA)
    row = table.to_pylist()[2]
    assert (row["id"], row["label"], row["class"], row["rank"]) == ("2.jpg", "n1", "class 1", 2)
    assert (row["predicted"], row["predicted_class"]) == ("n0", "class 0")
    assert row["top5_labels"] == ["n0", "n1", "n2", "n3", "n4"]
    assert row["top5_probabilities"] == pytest.approx([0.5, 0.2, 0.1, 0.05, 0.05])
    assert (row["confidence"], row["margin"]) == pytest.approx((0.5, 0.3))
    assert (row["model"], row["dataset"], row["of"], row["role"], row["prompts"]) == (
        "model",
        "photos",
        "photos",
        "exam",
        "single",
    )


def test_a_picture_without_a_label_has_no_rank(folder):
    row = assembled(folder, write(folder, unit(), of())).to_pylist()[0]
    assert (row["label"], row["class"], row["rank"]) == (None, None, None)


def test_fewer_than_five_classes_end_in_nulls_and_scores_without_a_scale_have_no_probabilities(folder):
    row = assembled(folder, write(folder, unit(), of(classes=2, scale=False, prompts=None))).to_pylist()[0]
    assert row["top5_labels"] == ["n0", "n1", None, None, None]
    assert row["top5_probabilities"] == [None] * 5
    assert (row["confidence"], row["margin"], row["prompts"]) == (None, None, None)


def test_pictures_of_a_companion_name_the_dataset_that_has_the_classes(folder):
    row = assembled(folder, write(folder, unit("ood"), of(dataset="textures"))).to_pylist()[0]
    assert (row["dataset"], row["role"], row["of"]) == ("textures", "ood", "photos")


def test_of_two_probes_with_the_same_pictures_and_prompts_the_first_is_kept(folder):
    first = write(folder, unit("zero_shot", "a"), of(2), of(3, prompts="openai-80"))
    second = write(folder, unit("extra", "b"), of(5), of(4, prompts="bare"))
    table = assembled(folder, first, second)
    assert table.column("prompts").value_counts().to_pylist() == [
        {"values": "single", "counts": 2},
        {"values": "openai-80", "counts": 3},
        {"values": "bare", "counts": 4},
    ]


def test_rows_are_written_in_row_groups_of_one_classifier(folder, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 4)
    record = write(folder, unit(), of(10), of(3, prompts="bare"))
    folder.assemble([record], [], {})
    about = pq.ParquetFile(folder.path / FILE).metadata
    assert [about.row_group(i).num_rows for i in range(about.num_row_groups)] == [4, 4, 2, 3]
    assert read_predictions(folder.path / FILE).read().column("id").to_pylist() == [
        *(f"{row}.jpg" for row in range(10)),
        *(f"{row}.jpg" for row in range(3)),
    ]


def test_a_unit_comes_back_with_its_predictions(folder):
    write(folder, unit(), of())
    record = folder.record(unit())
    assert record.predicted
    assert not record.fresh
    assert assembled(folder, record).num_rows == 3


def test_a_unit_with_lost_or_damaged_predictions_is_not_done(folder):
    write(folder, unit(), of())
    (part,) = (folder.path / "journal").glob("*.predictions")
    part.write_bytes(part.read_bytes()[:-1])
    assert folder.record(unit()) is None
    part.unlink()
    assert folder.record(unit()) is None


def test_parts_of_other_plans_are_deleted(folder):
    first, second = write(folder, unit(key="a"), of()), write(folder, unit(key="b"), of(prompts="bare"))
    assert assembled(folder, first, second).num_rows == 6
    assert assembled(folder, second).num_rows == 3
    assert len(list((folder.path / "journal").glob("*.predictions"))) == 1


def test_a_run_without_predictions_has_an_empty_table(folder):
    assert assembled(folder, folder.write(unit(), table_of([]))).num_rows == 0


def test_a_missing_table_names_the_next_step(tmp_path):
    with pytest.raises(StoreError, match="examine again to write it"):
        read_predictions(tmp_path / FILE)


def test_wrong_records_fail_at_once():
    with pytest.raises(ValueError, match="an id occurs twice"):
        Predictions(**{**vars(of(2)), "ids": ["a", "a"]})
    with pytest.raises(ValueError, match="rank"):
        Predictions(**{**vars(of(2)), "rank": np.zeros(3, np.int64)})
    with pytest.raises(ValueError, match="'elsewhere' is not the probe's dataset"):
        next(of(dataset="elsewhere").batches(model="m", dataset="photos", roles=ROLES))
