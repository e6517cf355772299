from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from eyechart.errors import StoreError, UsageError
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
        attributes={"hat": pa.array([("red", "blue", None)[i % 3] for i in n]), "severity": pa.array([str(i % 4) for i in n])},
    )
    others = [replace(given, prompts="openai-80"), replace(given, design="jobs")]
    write_part(tmp_path / "part", [given, *others], model="m", dataset="d", roles={"d": "exam"})
    write_predictions(tmp_path / "all.parquet", [tmp_path / "part"])
    return read_predictions(tmp_path / "all.parquet")


def rows(file, **query):
    """Of the prompt set "single", unless the query says otherwise."""
    chosen = PredictionQuery(**({"prompts": "single"} | query))
    return [row for piece in select_predictions(file, chosen) for row in piece.to_pylist()]


def test_attributes_choose_pictures_that_have_all_of_them(file):
    found = rows(file, where=("hat=blue", "severity=2"))
    assert {row["id"] for row in found} == {f"{i}.jpg" for i in range(60) if i % 3 == 1 and i % 4 == 2}
    assert found[0]["attributes"] == ["hat=blue", "severity=2"]
    unknown = rows(file, label="n3")
    assert all(row["attributes"] == [f"severity={int(row['id'][:-4]) % 4}"] for row in unknown)
    wrong = rows(file, where=("hat=red",), correct=False)
    assert {row["id"] for row in wrong} == {f"{i}.jpg" for i in range(60) if i % 3 == 0 and i % 2 == 1}


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("hat=rde", "--where hat=rde: no prediction has it; did you mean 'hat=red'?"),
        ("hat=zzzzzz", "there is hat=blue, hat=red"),
        ("hta=red", "no picture has the attribute; did you mean 'hat'?"),
        ("zzzzzz=1", "there is hat, severity"),
        ("hat", "give an attribute and its value, NAME=VALUE"),
    ],
)
def test_an_attribute_that_no_picture_has_is_an_error(file, where, says):
    with pytest.raises(UsageError) as error:
        rows(file, where=(where,))
    assert says in str(error.value)


def test_predictions_among_the_classes_of_a_design_are_listed_only_where_it_is_named(file):
    assert {row["design"] for row in rows(file)} == {None} and len(rows(file)) == 60
    assert {row["design"] for row in rows(file, design="jobs")} == {"jobs"}
    with pytest.raises(UsageError, match="--design job: no prediction has it; did you mean 'jobs'"):
        rows(file, design="job")


def test_prompt_sets_can_be_left_out(file):
    assert {row["prompts"] for row in rows(file, prompts=None, without_prompts=("openai-80",))} == {"single"}
    assert len(rows(file, prompts=None)) == 120


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
    assert count_predictions(file, PredictionQuery(prompts="single", label="cat", limit=2)) == 20


def test_an_unknown_name_gets_a_suggestion(file):
    with pytest.raises(UsageError, match=r"--class dogg: no prediction has it; did you mean 'dog'\?"):
        rows(file, label="dogg")
    with pytest.raises(UsageError, match=r"--prompts mcm-5: no prediction has it; there is openai-80, single"):
        rows(file, prompts="mcm-5")


def test_of_many_names_the_first_are_shown(tmp_path):
    """Twelve classes: eight are enough to see what names look like."""
    n = np.arange(12)
    names = [f"kind {c:02d}" for c in n]
    values = {
        "probabilities": np.ones((12, 1), np.float32),
        "margin": np.ones(12, np.float32),
        "ood_score": np.ones(12, np.float32),
    }
    given = Predictions(
        ids=names, clusters=n, labels=names, titles=names, truth=n, top=n[:, None], rank=np.zeros(12, int),
        prompts="single", **values,
    )  # fmt: skip
    write_part(tmp_path / "part", [given], model="m", dataset="d", roles={"d": "exam"})
    write_predictions(tmp_path / "all.parquet", [tmp_path / "part"])
    with pytest.raises(UsageError) as caught:
        rows(read_predictions(tmp_path / "all.parquet"), label="shoes")
    assert str(caught.value) == f"--class shoes: no prediction has it; there is {', '.join(names[:8])} …"


def test_a_class_that_was_never_predicted_gives_no_rows(file):
    assert rows(file, predicted="cow") == []


def test_damaged_predictions_without_a_hash_are_read_or_refused(file, tmp_path):
    """Of a run of an older version. Statistics of a damaged column chunk would end the process."""
    path = tmp_path / "all.parquet"
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for bit in rng.integers(0, 8 * len(whole), 200):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << int(bit % 8)
        (tmp_path / "damaged.parquet").write_bytes(data)
        try:
            rows(read_predictions(tmp_path / "damaged.parquet"), model="m")
        except StoreError:
            refused += 1
        except UsageError:  # a damaged name is another name
            pass
    assert refused > 60
