"""Predictions of a whole examination: every share that the findings report can be counted again from its rows."""

import csv
import io
import json

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, recall_score, roc_auc_score

import eyechart
from eyechart.cli.main import main
from eyechart.plan import DataPlan, ModelPlan, Plan


def examine(folder):
    return eyechart.examine(
        "demo:",
        "world-objects",
        limit=144,
        ood=["world-factors"],
        prompts=["single", "bare"],
        probes=["zero_shot", "ood"],
        out=folder / "out",
        store=folder / "store",
    )


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    return examine(tmp_path_factory.mktemp("exam"))


def findings_of(exam, metric, prompts):
    return [
        (json.loads(row["slice"]), row)
        for row in exam.findings.to_pylist()
        if row["metric"] == metric and json.loads(row["slice"]).get("prompts") == prompts
    ]


def rows_of(exam, prompts, dataset="world-objects"):
    return [r for r in exam.predictions.to_pylist() if (r["prompts"], r["dataset"]) == (prompts, dataset)]


@pytest.mark.parametrize("prompts", ["single", "bare"])
def test_accuracy_is_the_share_of_rows(exam, prompts):
    rows = rows_of(exam, prompts)
    assert len(rows) == len({row["id"] for row in rows}) == 144
    label, predicted = [row["label"] for row in rows], [row["predicted"] for row in rows]
    ranks = np.array([row["rank"] for row in rows])
    ((_, top1),) = findings_of(exam, "top1", prompts)
    ((_, top5),) = findings_of(exam, "top5", prompts)
    ((_, mean),) = findings_of(exam, "mean_per_class", prompts)
    assert top1["value"] == accuracy_score(label, predicted) == (ranks == 1).mean()
    assert top5["value"] == np.mean([row["label"] in row["top5_labels"] for row in rows]) == (ranks <= 5).mean()
    assert mean["value"] == pytest.approx(recall_score(label, predicted, average="macro", labels=sorted(set(label))), abs=1e-12)


@pytest.mark.parametrize("prompts", ["single", "bare"])
def test_classes_and_confusions_are_those_of_the_findings(exam, prompts):
    rows = rows_of(exam, prompts)
    names = sorted({row["class"] for row in rows} | {row["predicted_class"] for row in rows})
    matrix = confusion_matrix([r["class"] for r in rows], [r["predicted_class"] for r in rows], labels=names)
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    by_class = {where["class"]: row["value"] for where, row in findings_of(exam, "class_accuracy", prompts)}
    assert by_class == {name: shares[i, i] for i, name in enumerate(names) if matrix[i].sum()}
    confused = findings_of(exam, "confusion", prompts)
    assert confused
    for where, row in confused:
        assert row["value"] == shares[names.index(where["class"]), names.index(where["predicted"])]


def test_out_of_distribution_pictures_have_no_label_and_the_score_of_the_probe(exam):
    inside, outside = rows_of(exam, "single"), rows_of(exam, "single", "world-factors")
    assert outside
    assert {(row["label"], row["rank"], row["role"], row["of"]) for row in outside} == {(None, None, "ood", "world-objects")}
    ((_, auroc),) = findings_of(exam, "ood_auroc", "single")
    scores = [row["ood_score"] for row in (*inside, *outside)]
    again = roc_auc_score([1] * len(inside) + [0] * len(outside), scores)
    assert again == pytest.approx(auroc["value"], abs=1e-6), "MCM, as the probe's headline"


def test_probabilities_fall_from_first_to_fifth(exam):
    for row in rows_of(exam, "single"):
        p = row["top5_probabilities"]
        assert p == sorted(p, reverse=True)
        assert row["confidence"] == p[0]
        assert row["margin"] == pytest.approx(p[0] - p[1], abs=1e-6)
        assert row["top5_labels"][0] == row["predicted"]


def test_a_second_run_takes_predictions_from_the_journal_and_repairs_damage(exam):
    before = exam.predictions.to_pylist()
    again = examine(exam.folder.parent)
    assert again.fresh == 0
    assert again.predictions.to_pylist() == before
    next((exam.folder / "journal").glob("*.predictions")).write_bytes(b"damaged")
    (exam.folder / "predictions.parquet").unlink()
    repaired = examine(exam.folder.parent)
    assert repaired.fresh == 1
    assert repaired.predictions.to_pylist() == before


def test_the_command_lists_the_wrong_pictures_of_a_class(exam, capsys):
    name = min((row["value"], where["class"]) for where, row in findings_of(exam, "class_accuracy", "single"))[1]
    wrong = {r["id"] for r in rows_of(exam, "single") if r["class"] == name and r["rank"] > 1}
    words = ["predictions", str(exam.folder), "--class", name, "--wrong", "--prompts", "single"]
    assert main([*words, "--csv"]) == 0
    listed = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["id"] for row in listed} == wrong
    assert {"label_1", "class_5", "probability_5"} <= set(listed[0])
    assert main([*words, "--json", "--limit", "2", "--sort", "confidence"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == min(2, len(wrong))
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "prompts single" in shown
    assert f"of {len(wrong)} prediction" in shown


def test_a_picture_is_listed_once_by_default_with_the_prompt_set_that_is_judged(exam, capsys):
    findings = exam.findings.to_pylist()
    first = next(json.loads(f["slice"])["prompts"] for f in findings if f["metric"] == "top1")
    assert main(["predictions", str(exam.folder), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {row["prompts"] for row in listed} == {first} != {row["prompts"] for row in exam.predictions.to_pylist()}
    assert len({row["id"] for row in listed}) == len(listed)


def test_the_command_writes_a_file(exam, tmp_path, capsys):
    out = tmp_path / "all.csv"
    assert main(["predictions", str(exam.folder), "--prompts", "all", "--out", str(out)]) == 0
    assert len(out.read_text().splitlines()) == exam.predictions.num_rows + 1
    assert str(out) in capsys.readouterr().out
    assert main(["predictions", str(exam.folder), "--reverse"]) == 2
    assert main(["predictions", str(exam.folder), "--class", "nothing of the sort"]) == 2


def test_csv_takes_a_file_or_none(exam, tmp_path, capsys):
    words, out = ["predictions", str(exam.folder), "--wrong", "--csv"], tmp_path / "wrong.csv"
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert main([*words, str(out)]) == 0
    assert out.read_bytes().decode() == printed and str(out) in capsys.readouterr().out
    assert main([*words, "--out", str(tmp_path / "same.csv")]) == 0
    assert (tmp_path / "same.csv").read_bytes() == out.read_bytes()
    assert main([*words, str(out), "--out", str(out)]) == 2


@pytest.mark.parametrize("words", [[], ["--wrong"], ["--csv"], ["--json"]])
def test_an_examination_of_captions_says_that_it_has_no_predictions(captioned, capsys, words):
    """An empty list would read as if nothing were wrong."""
    assert main(["predictions", str(captioned), *words]) == 3
    said = capsys.readouterr()
    assert said.out == "" and "has no predictions" in said.err
    assert str(captioned / "report" / "index.html") in said.err and "retrieval missed" in said.err
    assert any((captioned / "exhibits" / "retrieval").glob("*missed*"))


@pytest.fixture(scope="module")
def captioned(tmp_path_factory, shared_store):
    """An examination of six pictures with captions and without labels; every caption finds another picture."""
    folder, names = tmp_path_factory.mktemp("captioned"), [f"{i}.png" for i in range(6)]
    axes = np.eye(6, dtype=np.float32)
    texts = [f"caption {i}" for i in range(6)]
    np.savez(
        folder / "model.npz",
        image_ids=np.array(names),
        image_vectors=axes,
        texts=np.array(texts),
        text_vectors=np.roll(axes, 1, axis=0),
        logit_scale=np.float32(100),
    )
    rows = [f"{name},{text}" for name, text in zip(names, texts, strict=True)]
    (folder / "photos.csv").write_text("\n".join(["path,caption", *rows]) + "\n")
    return eyechart.examine(
        f"vectors:{folder / 'model.npz'}", folder / "photos.csv", probes=["retrieval"], out=folder / "out", store=shared_store
    ).folder


@pytest.mark.parametrize("which", ["--wrong", "--right"])
def test_pictures_without_a_label_are_neither_wrong_nor_right(exam, capsys, which):
    assert main(["predictions", str(exam.folder), "--dataset", "world-factors", which]) == 0
    assert capsys.readouterr().out == "no prediction matches\n"


def test_the_command_lists_the_accuracy_of_each_class_and_its_most_frequent_mistake(exam, capsys):
    rows = rows_of(exam, "single")
    true, predicted = [row["class"] for row in rows], [row["predicted_class"] for row in rows]
    names = sorted(set(true) | set(predicted))
    matrix = confusion_matrix(true, predicted, labels=names)
    recalls = dict(zip(names, recall_score(true, predicted, average=None, labels=names, zero_division=0), strict=True))
    assert main(["predictions", str(exam.folder), "--by-class", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {row["class"]: row["value"] for row in listed} == pytest.approx({name: recalls[name] for name in set(true)})
    assert [row["value"] for row in listed] == sorted(row["value"] for row in listed)
    np.fill_diagonal(matrix, 0)
    for row in listed:
        mistakes = matrix[names.index(row["class"])]
        assert row.get("mistakes", 0) == mistakes.max()
        assert not mistakes.any() or mistakes[names.index(row["mistaken_for"])] == mistakes.max()
    assert any(row.get("mistakes") for row in listed)
    assert main(["predictions", str(exam.folder), "--by-class", "--limit", "2"]) == 0
    printed = capsys.readouterr().out
    assert listed[0]["class"] in printed and f"2 of {len(listed)} classes" in printed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--wrong"], "it takes no --wrong"),
        (["--class", "cone"], "it takes no --class"),
        (["--model", "dmo"], "did you mean 'demo'"),
        (["--dataset", "world-object"], "did you mean 'world-objects'"),
    ],
)
def test_a_list_of_classes_takes_no_choice_of_pictures(exam, capsys, words, said):
    assert main(["predictions", str(exam.folder), "--by-class", *words]) == 2
    assert said in capsys.readouterr().err


def test_the_worst_classes_of_all_datasets_come_first(tmp_path, capsys):
    plan = Plan(
        (ModelPlan("demo:"),),
        (DataPlan("world-objects", limit=54), DataPlan("world-factors", limit=90)),
        probes=("zero_shot",),
        prompts=("bare",),
    )
    eyechart.run(plan, out=tmp_path / "out", store=tmp_path / "store")
    assert main(["predictions", str(tmp_path / "out"), "--by-class", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    values = [row["value"] for row in listed]
    assert {row["dataset"] for row in listed} == {"world-objects", "world-factors"}
    assert values == sorted(values) and values[0] < values[-1]
    datasets = [row["dataset"] for row in listed]
    assert datasets != sorted(datasets) and datasets != sorted(datasets, reverse=True)  # so the order over both is told


def test_copies_that_the_examination_made_are_listed_where_they_are_asked_for(drawn, tmp_path, shared_store, capsys):
    folder = eyechart.examine(
        model="demo:",
        data=drawn,
        probes=["zero_shot", "corruption"],
        corruptions="fog:3",
        prompts="single",
        out=tmp_path / "out",
        store=shared_store,
    ).folder

    def listed(*words):
        assert main(["predictions", str(folder), "--json", *words]) == 0
        return json.loads(capsys.readouterr().out)

    assert {row["role"] for row in listed()} == {"exam"} and len(listed()) == 15
    foggy = listed("--where", "corruption=fog")
    assert foggy == listed("--where", "shift=fog", "--where", "severity=3") and {row["role"] for row in foggy} == {"shift"}


def test_an_error_writes_no_csv(exam, capsys):
    assert main(["predictions", str(exam.folder), "--where", "nothing=1", "--csv"]) == 2
    assert capsys.readouterr().out == ""


def test_a_folder_of_an_interrupted_examination_is_told(tmp_path, capsys):
    (tmp_path / "journal").mkdir()
    assert main(["predictions", str(tmp_path)]) != 0
    assert "its examination did not end" in capsys.readouterr().err
