"""Files of predictions: every layout that can be read gives the same answers, and each unusable row is named."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eyechart.errors import DataError, UsageError
from eyechart.models.abilities import abilities
from eyechart.models.encoder import PicturePrediction
from eyechart.models.open import open_model

LABELS = {"a/1.png": "cat", "a/2.png": "dog"}


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return f"predictions:{path}"


def labels_of(spec, ids=tuple(LABELS)):
    return [p.labels for p in open_model(spec).look_up_predictions(list(ids))]


def test_it_offers_predictions_and_nothing_else(tmp_path):
    assert abilities(open_model(write(tmp_path / "p.csv", "id,label\n1,cat\n"))) == ["predictions"]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_all_formats_give_the_same_answers(tmp_path, ending):
    path = tmp_path / f"p.{ending}"
    if ending == "parquet":
        pq.write_table(pa.table({"id": list(LABELS), "label": list(LABELS.values())}), path)
    elif ending == "jsonl":
        path.write_text("".join(json.dumps({"id": id, "label": label}) + "\n" for id, label in LABELS.items()))
    else:
        mark = "\t" if ending == "tsv" else ","
        path.write_text("".join(f"{id}{mark}{label}\n" for id, label in {"id": "label", **LABELS}.items()))
    assert labels_of(f"predictions:{path}") == [("cat",), ("dog",)]


def test_the_best_k_are_ordered_by_score(tmp_path):
    wide = write(tmp_path / "w.jsonl", '{"id": "1", "labels": ["cat", "dog", "cow"], "scores": [0.1, 0.7, 0.2]}\n')
    long = write(tmp_path / "l.csv", "id,label,score\n1,cat,0.1\n1,dog,0.7\n1,cow,0.2\n")
    expected = [PicturePrediction(("dog", "cow", "cat"), (0.7, 0.2, 0.1))]
    assert open_model(wide).look_up_predictions(["1"]) == expected
    assert open_model(long).look_up_predictions(["1"]) == expected


def test_columns_and_ids_of_a_raw_file_of_trials(tmp_path):
    text = "subj,object_response,imagename\ns1,na,0001_s5n_s01_bird2-clock3.png\n"
    spec = write(tmp_path / "trials.csv", text) + ",id=imagename,label=object_response,after=_"
    assert labels_of(spec, ["clock/bird2-clock3.png"]) == [("na",)]


def test_an_empty_label_is_no_answer(tmp_path):
    assert labels_of(write(tmp_path / "p.csv", "id,label\n1,\n"), ["1"]) == [()]
    assert labels_of(write(tmp_path / "p.jsonl", '{"id": "1", "label": null}\n'), ["1"]) == [()]


def test_a_comma_may_be_part_of_the_path(tmp_path):
    assert labels_of(write(tmp_path / "a,b=c.csv", "id,label\n1,cat\n"), ["1"]) == [("cat",)]


def test_options_and_content_change_the_fingerprint(tmp_path):
    spec = write(tmp_path / "p.csv", "id,label\n1,3\n")
    first = open_model(spec).fingerprint
    assert open_model(spec + ",answers=index").fingerprint != first
    write(tmp_path / "p.csv", "id,label\n1,4\n")
    assert open_model(spec).fingerprint != first


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("id,label\n", "", "it has no rows"),
        ("id,class\n1,cat\n", "", "no column is called 'label' .*label=COLUMN"),
        ("id,label\n1,cat\n", ",label=lable", "no column 'lable'; did you mean 'label'"),
        ("id,label\n1,cat\n1,dog\n", "", "row 3: the picture '1' is already in row 2"),
        ("id,label\n,cat\n", "", "row 2: it has no id"),
        ("id,label,score\n1,cat,high\n", "", "row 2: the score 'high' is not a finite number"),
        ("id,label,score\n1,cat,nan\n", "", "the score 'nan' is not a finite number"),
        ("id,label,score\n1,cat,0.5\n1,cat,0.4\n", "", "the label 'cat' is listed twice"),
        ("id,label\n1,cat\n", ",answers=index", "'cat' is not the number of a class"),
        ("id,label\n1,cat,x\n", "", "row 2: it has not as many fields"),
        ("id,id,label\n1,1,cat\n", "", "a column name occurs twice"),
        ("id;label\n1;cat\n", "", "separated by semicolons; write it again with commas"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_row(tmp_path, text, options, message):
    with pytest.raises(DataError, match=message):
        open_model(write(tmp_path / "p.csv", text) + options)


def test_unknown_options_files_and_endings_are_named(tmp_path):
    spec = write(tmp_path / "p.csv", "id,label\n1,cat\n")
    with pytest.raises(UsageError, match="unknown option 'lable'; did you mean 'label'"):
        open_model(spec + ",lable=x")
    with pytest.raises(UsageError, match="answers=label or answers=index"):
        open_model(spec + ",answers=number")
    with pytest.raises(UsageError, match="there is no such file"):
        open_model("predictions:nowhere.csv")
    with pytest.raises(DataError, match=r"the ending '.txt' is unknown"):
        open_model(write(tmp_path / "p.txt", "id,label\n1,cat\n"))


def test_missing_and_ambiguous_pictures_are_named(tmp_path):
    model = open_model(write(tmp_path / "p.csv", "id,label\n1.png,cat\n"))
    with pytest.raises(DataError, match=r"no prediction for the picture '2.png'.*1 of 2 are missing"):
        model.look_up_predictions(["1.png", "2.png"])
    with pytest.raises(DataError, match=r"'1.png' could be 'a/1.png' or 'b/1.png'"):
        model.look_up_predictions(["a/1.png", "b/1.png"])
