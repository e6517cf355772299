"""The whole way: from pictures on disk to findings, exhibits and a page."""

import json
import shutil
from contextlib import closing, contextmanager
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from PIL import Image
from tests.witness import Witness, rows

import eyechart
from eyechart.cli.main import main
from eyechart.errors import StoreError, UsageError
from eyechart.exam import run
from eyechart.findings.finding import SCHEMA
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.store.store import Store

DEMO_MODEL = Path(eyechart.__file__).parent / "world" / "default_model"


def examine(*given, **options):
    """Without the datasets that an examination makes to compare with (tests/test_companions.py), which take long to encode."""
    return eyechart.examine(*given, **{"corruptions": [], "default_ood": False, **options})


def why_not(exam, probe="zero_shot"):
    (reason,) = [s["reason"] for s in exam.skips.to_pylist() if s["probe"] == probe]
    return reason


def test_an_examination_leaves_what_it_promises(photos, store, tmp_path):
    exam = examine("demo:", photos, prompts="single", out=tmp_path / "out", store=store)
    assert exam.findings.schema.equals(SCHEMA)
    for name in ("findings.parquet", "skips.parquet", "protocol.json", "report/index.html"):
        assert (tmp_path / "out" / name).is_file()
    assert list((tmp_path / "out" / "exhibits" / "zero_shot").glob("*.parquet"))
    (top1,) = [row for row in rows(exam, "top1") if row["probe"] == "zero_shot"]
    assert top1["n"] == 15
    assert top1["low"] <= top1["value"] <= top1["high"]
    assert exam.report().is_file()
    assert "top-1" in exam._repr_html_()


def test_every_number_leads_to_its_protocol(photos, store, tmp_path):
    exam = examine("demo:", photos, prompts=["single", "openai-7"], out=tmp_path / "out", store=store)
    spelled = exam.protocol
    for hash in exam.findings.column("protocol").unique().to_pylist():
        assert hash in spelled["protocols"]
    (asked,) = [p for p in spelled["protocols"].values() if p["probe"] == "zero_shot"]
    assert [p["name"] for p in asked["prompts"]] == ["single", "openai-7"]
    assert asked["prompts"][0]["templates"] == ["a photo of a {}"]
    assert [c["names"] for c in asked["classes"]] == [["arrow"], ["cone"], ["star"]]
    assert asked["decoding"]["exif"] == "apply"
    assert spelled["models"]["demo"]["logit_scale"] == json.loads((DEMO_MODEL / "model.json").read_text())["logit_scale"]
    assert spelled["datasets"]["photos"]["n"] == 15


def test_a_second_run_encodes_nothing_and_finds_the_same(photos, store, tmp_path):
    first, again = Witness(), Witness()
    asked = {"probes": ["zero_shot"], "store": store}
    found = examine("demo:", photos, out=tmp_path / "a", progress=first, **asked).findings
    repeated = examine("demo:", photos, out=tmp_path / "b", progress=again, **asked).findings
    assert first.encoded("pictures") == 15
    assert first.encoded("texts") == 3 * 80
    assert again.encoded("pictures") == again.encoded("texts") == 0
    assert repeated.equals(found)


def test_the_same_folder_again_asks_nothing(photos, store, tmp_path):
    again = Witness()
    found = examine("demo:", photos, out=tmp_path / "out", store=store).findings
    repeated = examine("demo:", photos, out=tmp_path / "out", store=store, progress=again).findings
    assert again.done == []
    assert repeated.equals(found)


def test_a_changed_picture_is_encoded_and_the_rest_is_not(photos, store, tmp_path):
    asked = {"prompts": "single", "corruptions": [], "out": tmp_path / "out", "store": store}
    examine("demo:", photos, **asked)
    Image.new("RGB", (50, 40), "red").save(next((photos / "star").iterdir()))
    again = Witness()
    examine("demo:", photos, progress=again, **asked)
    assert again.encoded("pictures") == 1


def test_pictures_that_two_datasets_share_are_encoded_once(photos, drawn, store, tmp_path):
    witness = Witness()
    datasets = (DataPlan(str(photos)), DataPlan(str(drawn), name="other"))
    plan = Plan((ModelPlan("demo:"),), datasets, prompts=("single",), corruptions=(), default_ood=False)
    exam = run(plan, out=tmp_path / "out", store=store, progress=witness)
    assert witness.encoded("pictures") == 15
    assert {r["dataset"] for r in rows(exam, "top1")} == {"photos", "other"}


def test_broken_pictures_are_set_aside_listed_and_not_counted(photos, store, tmp_path):
    (photos / "star" / "empty.png").write_bytes(b"")
    (photos / "star" / "text.jpg").write_text("this is no picture")
    whole = next((photos / "cone").iterdir()).read_bytes()
    (photos / "cone" / "cut.png").write_bytes(whole[: len(whole) // 2])
    exam = examine("demo:", photos, prompts="single", out=tmp_path / "out", store=store)
    assert {r["id"] for r in exam.set_aside} == {"star/empty.png", "star/text.jpg", "cone/cut.png"}
    assert all(r["reason"] for r in exam.set_aside)
    assert rows(exam, "top1")[0]["n"] == 15
    assert (rows(exam, "usable_pictures")[0]["value"], rows(exam, "usable_pictures")[0]["n"]) == (15, 18)
    assert "3 of 18 pictures set aside" in exam.notices[0].what
    assert "star/text.jpg" in (tmp_path / "out" / "report" / "data" / "protocol.js").read_text()


def test_copies_of_a_picture_are_not_different_pictures(photos, store, tmp_path):
    """15 pictures, three copies of one of them, and a file that cannot be read."""
    whole = next((photos / "cone").iterdir()).read_bytes()
    for number in range(3):
        (photos / "cone" / f"copy-{number}.png").write_bytes(whole)
    (photos / "cone" / "cut.png").write_bytes(whole[: len(whole) // 2])
    exam = examine("demo:", photos, prompts="single", probes=["zero_shot"], out=tmp_path / "out", store=store)
    (different,) = rows(exam, "different_pictures")
    assert (different["value"], different["n"]) == (15, 18)


def test_the_notice_of_broken_pictures_has_the_count_the_first_few_and_each_reason_once(photos, store, tmp_path, capsys):
    for number in range(5):
        (photos / "star" / f"a-rather-long-name-of-a-text-{number}.jpg").write_text("this is no picture")
    (photos / "star" / "empty.png").write_bytes(b"")
    words = ["examine", "--model", "demo:", "--data", str(photos), "--probes", "zero_shot", "--prompts", "single", "--quiet"]
    assert main([*words, "--out", str(tmp_path / "out"), "--store", str(store.path)]) == 0
    out = capsys.readouterr().out
    said = " ".join(out[out.index("note: ") :].split("page: ")[0].split())
    reason = "not a JPEG, PNG, WebP, BMP, TIFF or GIF picture"
    named = ", ".join(f"star/a-rather-long-name-of-a-text-{number}.jpg" for number in range(3))
    assert f"6 of 21 pictures set aside: {reason}: 5 ({named}, …); empty file: 1 (star/empty.png)" in said
    assert said.count(reason) == 1


def test_a_class_whose_pictures_are_all_broken_is_named(photos, store, tmp_path):
    for picture in (photos / "star").iterdir():
        picture.write_text("no")
    exam = examine("demo:", photos, prompts="single", out=tmp_path / "out", store=store)
    assert any("1 class without a usable picture: star" in n.what for n in exam.notices)


def test_results_in_the_folder_of_pictures_are_passed_over(photos, store, tmp_path):
    options = {"prompts": "single", "store": store}
    first = examine("demo:", photos, out=photos / "exams" / "here", **options).findings
    again = examine("demo:", photos, out=photos / "exams" / "here", **options)
    assert again.findings.equals(first)
    assert any("results of examinations" in n.what for n in again.notices)


def test_broken_pictures_are_listed_again_by_a_second_run(photos, store, tmp_path):
    (photos / "star" / "text.jpg").write_text("this is no picture")
    first = examine("demo:", photos, prompts="single", out=tmp_path / "a", store=store).set_aside
    assert examine("demo:", photos, prompts="single", out=tmp_path / "b", store=store).set_aside == first


def test_a_folder_of_broken_pictures_only_is_skipped_with_a_sentence(store, tmp_path):
    for label in ("cone", "star"):
        (tmp_path / "bad" / label).mkdir(parents=True)
        (tmp_path / "bad" / label / "1.png").write_text("no")
    exam = examine("demo:", tmp_path / "bad", prompts="single", out=tmp_path / "out", store=store)
    assert why_not(exam) == "no picture of the dataset could be used"
    assert rows(exam, "top1") == []


def test_a_dataset_without_labels_is_skipped_with_a_sentence(photos, store, tmp_path):
    exam = examine("demo:", photos / "star", prompts="single", out=tmp_path / "out", store=store)
    assert why_not(exam) == (
        "the dataset has no labels; a table names them with --column label=COLUMN, a folder has one subfolder per class"
    )


def test_an_image_tower_alone_is_skipped_with_a_sentence(photos, store, tmp_path):
    shutil.copytree(DEMO_MODEL, tmp_path / "tower")
    about = json.loads((tmp_path / "tower" / "model.json").read_text())
    del about["text"]
    (tmp_path / "tower" / "model.json").write_text(json.dumps(about))
    exam = examine(f"onnx:{tmp_path / 'tower'}", photos, out=tmp_path / "out", store=store)
    assert why_not(exam) == "the model can neither encode the class names nor score the 1,000 classes of ImageNet"
    assert {s["model"] for s in exam.skips.to_pylist()} == {"onnx:tower"}


def test_the_prompts_change_the_protocol_and_the_model_does_not(photos, store, tmp_path):
    shutil.copytree(DEMO_MODEL, tmp_path / "copy")
    about = json.loads((tmp_path / "copy" / "model.json").read_text())
    (tmp_path / "copy" / "model.json").write_text(json.dumps(about | {"logit_scale": 22.0}))
    plan = Plan(
        (ModelPlan("demo:"), ModelPlan(f"onnx:{tmp_path / 'copy'}", name="copy")),
        (DataPlan(str(photos)), DataPlan(str(photos), name="once more", prompts=("bare",))),
        prompts=("single",),
        corruptions=(),
        default_ood=False,
    )
    exam = run(plan, out=tmp_path / "out", store=store)
    protocol = {(r["model"], r["dataset"]): r["protocol"] for r in rows(exam, "top1")}
    assert protocol["demo", "photos"] == protocol["copy", "photos"]
    assert protocol["demo", "photos"] != protocol["demo", "once more"]
    models = exam.protocol["models"]
    assert models["demo"]["fingerprint"] != models["copy"]["fingerprint"]


def test_what_vectors_were_made_with_is_told_by_a_second_run_too(photos, store, tmp_path):
    for name in ("a", "b"):
        exam = examine("demo:", photos, prompts="single", out=tmp_path / name, store=store)
        made = exam.protocol["models"]["demo"]["encoded_with"]
        assert (made["device"], made["precision"], made["batch_size"]) == ("cpu", "float32", 32)
        assert "onnxruntime" in made["environment"]


def test_two_examinations_do_not_write_to_one_folder_at_once(photos, store, tmp_path):
    from eyechart.findings.run_folder import RunFolder
    from eyechart.findings.run_lock import only_writer

    with only_writer(RunFolder(tmp_path / "out")), pytest.raises(StoreError, match="another examination is writing to it"):
        examine("demo:", photos, prompts="single", out=tmp_path / "out", store=store)


def test_a_picture_that_cannot_be_read_just_now_is_counted_again_later(photos, store, tmp_path):
    """It is hashed, then gone when it is to be encoded, then back: what was found without it must not stay."""
    lost = sorted((photos / "star").iterdir())[0]
    content = lost.read_bytes()

    class Vanishing(Witness):
        @contextmanager
        def task(self, title, total, unit):
            if title.endswith("encoding") and unit == "pictures":
                lost.unlink()
            with super().task(title, total, unit) as task:
                yield task

    options = {"prompts": "single", "out": tmp_path / "out", "store": store}
    assert rows(examine("demo:", photos, progress=Vanishing(), **options), "top1")[0]["n"] == 14
    lost.write_bytes(content)
    assert rows(examine("demo:", photos, **options), "top1")[0]["n"] == 15


def test_a_prompt_cut_at_the_context_is_said_each_time(photos, store, tmp_path):
    (tmp_path / "long.txt").write_text("a " * 60 + "{}\n")
    asked = {"probes": ["zero_shot"], "prompts": str(tmp_path / "long.txt"), "store": store}
    for name in ("a", "b"):
        exam = examine("demo:", photos, out=tmp_path / name, **asked)
        (notice,) = [n for n in exam.notices if "longer than the model's context" in n.what]
        assert "3 texts" in notice.what


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"zero_shot": {"pair": 3}}, "unknown setting 'pair'; did you mean 'pairs'"),
        ({"zero_shot": {"pairs": "many"}}, "expected a value like 20"),
        ({"zeroshot": {}}, "the plan runs no such probe; did you mean 'zero_shot'"),
    ],
)
def test_wrong_settings_are_named(photos, store, tmp_path, settings, message):
    with pytest.raises(UsageError, match=message):
        examine("demo:", photos, settings=settings, out=tmp_path / "out", store=store)


def test_settings_are_part_of_the_protocol(photos, store, tmp_path):
    options = {"prompts": "single", "store": store}
    few = examine("demo:", photos, settings={"zero_shot": {"pairs": 1}}, out=tmp_path / "a", **options)
    many = examine("demo:", photos, out=tmp_path / "b", **options)
    assert len(rows(few, "confusion")) <= 1
    assert rows(few, "top1")[0]["protocol"] != rows(many, "top1")[0]["protocol"]


def test_names_that_look_like_code_stay_text(photos, store, tmp_path):
    (photos / "star").rename(photos / "<img src=x onerror=alert(1)>")
    exam = examine("demo:", photos, prompts="single", out=tmp_path / "out", store=store)
    for path in (tmp_path / "out" / "report").rglob("*"):
        assert path.suffix not in {".html", ".js"} or path.parent.name == "assets" or "<img src=x" not in path.read_text(), path
    assert any("<img" in r["slice"] for r in exam.findings.to_pylist())


def test_findings_are_read_by_any_parquet_reader(photos, store, tmp_path):
    examine("demo:", photos, prompts="single", out=tmp_path / "out", store=store)
    frame = pq.read_table(tmp_path / "out" / "findings.parquet").to_pandas()
    assert set(frame.metric) >= {"top1", "mean_per_class", "class_accuracy", "worst_class", "ties"}


def test_words_alone_are_asked_about_once(photos, store, tmp_path):
    """Two datasets of the same classes give the same captions, and so the same answer."""
    shutil.copytree(photos, tmp_path / "again")
    plan = Plan((ModelPlan("demo:"),), (DataPlan(str(photos)), DataPlan(str(tmp_path / "again"))), probes=("first_object",))
    exam = run(plan, out=tmp_path / "out", store=store)
    assert {r["dataset"] for r in exam.findings.to_pylist() if r["probe"] == "first_object"} == {"photos"}
    (skipped,) = exam.skips.to_pylist()
    assert (skipped["dataset"], skipped["probe"]) == ("again", "first_object")
    assert "they are the same as on photos" in skipped["reason"]


def test_the_store_may_be_named_by_its_folder(photos, tmp_path):
    examine("demo:", photos, prompts="single", probes=["zero_shot"], out=tmp_path / "out", store=str(tmp_path / "mine"))
    with closing(Store(tmp_path / "mine")) as store:
        assert store.shelves()


def test_an_examination_prints_its_verdict(store, tmp_path):
    exam = examine("demo:", "world-objects", limit=90, probes=["zero_shot"], out=tmp_path / "out", store=store)
    first, decision, *_ = str(exam).splitlines()
    assert first == "demo on world-objects: 90 pictures of 18 classes, 1 probe"
    assert decision == exam.verdicts()[0].decision
    assert "accuracy" in str(exam)


def test_a_misspelt_label_column_is_named(store, tmp_path, photos):
    table = tmp_path / "photos.csv"
    rows = [f"{path.relative_to(photos)},{path.parent.name}" for path in sorted(photos.rglob("*.png"))]
    table.write_text("path,lable\n" + "\n".join(rows) + "\n")
    exam = examine("demo:", table, root=photos, probes=["zero_shot"], out=tmp_path / "out", store=store)
    (reason,) = exam.skips["reason"].to_pylist()
    assert "no labels; did you mean 'lable'?" in reason


def test_results_of_another_examination_are_not_replaced_without_a_word(photos, store, tmp_path, capsys):
    def examined(name):
        command = [
            "examine",
            "--model",
            "demo:",
            "--name",
            name,
            "--data",
            str(photos),
            "--probes",
            "zero_shot",
            "--prompts",
            "bare",
        ]
        assert main([*command, "--out", str(tmp_path / "out"), "--store", str(store.path)]) == 0
        return " ".join("".join(capsys.readouterr()).split())

    assert "replaced" not in examined("first")
    assert "replaced" not in examined("first")
    assert "held the results of demo on first, which are replaced; give another --out to keep both" in examined("second")
