import numpy as np
import pytest

from eyechart.errors import UsageError
from eyechart.findings import predictions as module
from eyechart.findings.prediction_query import PredictionQuery, count_predictions, select_predictions
from eyechart.findings.predictions import Predictions, read_predictions, write_part, write_predictions

NAMES = ("cat", "dog", "n3 (cow)")


@pytest.fixture
def file(tmp_path, monkeypatch):
    """60 pictures in row groups of 16: picture i is of class i mod 3 and predicted as class i mod 2."""
    monkeypatch.setattr(module, "BATCH", 16)
    n = np.arange(60)
    top = np.column_stack([n % 2, 1 - n % 2, np.full(60, 2)])
    confidence = (n * 7 % 60 / 200 + 0.5).astype(np.float32)
    given = Predictions(
        ids=[f"{i}.jpg" for i in n],
        clusters=n,
        labels=["n1", "n2", "n3"],
        titles=NAMES,
        truth=n % 3,
        top=top,
        probabilities=np.column_stack([confidence, (1 - confidence) * 0.75, (1 - confidence) * 0.25]).astype(np.float32),
        margin=confidence - (1 - confidence) * np.float32(0.75),
        rank=(top == (n % 3)[:, None]).argmax(axis=1),
        ood_score=-confidence,
        prompts="single",
    )
    write_part(tmp_path / "part", [given], model="m", dataset="d", roles={"d": "exam"})
    write_predictions(tmp_path / "all.parquet", [tmp_path / "part"])
    return read_predictions(tmp_path / "all.parquet")


def rows(file, **query):
    return [row for piece in select_predictions(file, PredictionQuery(**query)) for row in piece.to_pylist()]


def test_wrong_and_right_pictures_of_a_class_by_label_or_name(file):
    wrong = rows(file, label="dog", correct=False)
    assert {row["id"] for row in wrong} == {f"{i}.jpg" for i in range(60) if i % 3 == 1 and i % 2 != 1}
    assert rows(file, label="n2", correct=False) == wrong
    assert len(rows(file, label="dog", correct=True)) + len(wrong) == 20
    assert {row["predicted"] for row in rows(file, predicted="dog")} == {"n2"}


def test_a_class_with_label_and_name_in_its_title_is_found_by_each(file):
    found = rows(file, label="n3", predicted="cat")
    assert len(found) == 10
    assert rows(file, label="cow", predicted="cat") == rows(file, label="n3 (cow)", predicted="cat") == found


@pytest.mark.parametrize(
    ("sort", "column", "highest_first"),
    [("confidence", "confidence", True), ("margin", "margin", False), ("rank", "rank", True), ("ood", "ood_score", False)],
)
def test_sorting_with_a_limit_gives_the_same_rows_as_sorting_everything(file, sort, column, highest_first):
    values = sorted((row[column] for row in rows(file)), reverse=highest_first)
    assert [row[column] for row in rows(file, sort=sort, limit=10)] == values[:10]
    assert [row[column] for row in rows(file, sort=sort)] == values
    assert [row[column] for row in rows(file, sort=sort, reverse=True, limit=10)] == values[::-1][:10]


def test_a_limit_counts_over_row_groups(file):
    assert [row["id"] for row in rows(file, limit=20)] == [f"{i}.jpg" for i in range(20)]
    assert count_predictions(file, PredictionQuery(label="cat", limit=2)) == 20


def test_an_unknown_name_gets_a_suggestion(file):
    with pytest.raises(UsageError, match=r"--class dogg: no prediction has it; did you mean 'dog'\?"):
        rows(file, label="dogg")
    with pytest.raises(UsageError, match=r"--prompts openai-80: no prediction has it; there is single"):
        rows(file, prompts="openai-80")


def test_a_class_that_was_never_predicted_gives_no_rows(file):
    assert rows(file, predicted="cow") == []
