"""What an examination makes itself to compare with: corrupted copies and out-of-distribution pictures."""

import json

import numpy as np
import pytest
from tests.witness import Witness, rows

import eyechart
from eyechart.cli.main import main
from eyechart.corruptions.copies import CorruptionSettings
from eyechart.corruptions.folder import corrupt_folder
from eyechart.errors import UsageError
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.progress import SilentProgress

COPIES, OOD = "photos: corrupted copies", "generated pictures (easy, far OOD)"
ASKED = ["zero_shot", "corruption", "calibration", "ood"]


def of_photos(exam):
    """All findings about the photos but for the protocol's hash."""
    return [{**row, "protocol": ""} for row in exam.findings.to_pylist() if row["dataset"] == "photos"]


def made(exam):
    return set(exam.protocol["datasets"]) - {"photos"}


def test_copies_in_memory_give_the_findings_of_copies_on_disk(photos, store, tmp_path):
    """15 pictures are all copied, and no larger than the side to which copies are reduced."""
    asked = {"probes": ["zero_shot", "corruption"], "prompts": "single", "store": store}
    names, settings = ["noise", "defocus_blur", "fog", "jpeg"], CorruptionSettings(size=256)
    corrupt_folder(photos, tmp_path / "corrupted", names, [3], SilentProgress(), settings=settings)
    before = sorted(photos.rglob("*"))
    in_memory = eyechart.examine("demo:", photos, out=tmp_path / "a", **asked)
    again = Witness()
    shifts = {"written": f"corrupted:{tmp_path / 'corrupted'}"}
    on_disk = eyechart.examine("demo:", photos, shifts=shifts, out=tmp_path / "b", progress=again, **asked)
    assert again.encoded("pictures") == 0  # the same bytes have the same vectors
    assert of_photos(in_memory) == of_photos(on_disk)
    assert {r["n"] for r in rows(in_memory, "mean_corrupted_accuracy")} == {60}
    assert sorted(photos.rglob("*")) == before
    assert (made(in_memory), made(on_disk)) == ({COPIES}, {"written"})  # no copies beside those that are given
    assert {r["dataset"] for r in in_memory.findings.to_pylist()} == {"photos"}


def test_a_second_run_encodes_and_corrupts_nothing(photos, store, tmp_path):
    asked = {"probes": ASKED, "prompts": "single", "store": store}
    eyechart.examine("demo:", photos, out=tmp_path / "a", **asked)
    again = Witness()
    eyechart.examine("demo:", photos, out=tmp_path / "b", progress=again, **asked)
    assert [title for title, _, _ in again.done] == ["opening", "probes", "small copies", "page"]


def test_a_labeled_folder_is_tested_under_corruptions_and_for_ood(photos, store, tmp_path):
    seen = Witness()
    exam = eyechart.examine("demo:", photos, prompts="single", out=tmp_path / "out", store=store, progress=seen)
    assert made(exam) == {COPIES, OOD}
    (auroc,) = [r for r in rows(exam, "ood_auroc") if r["probe"] == "ood"]
    assert (auroc["n"], json.loads(auroc["slice"])["ood"]) == (15 + 50, OOD)
    corruptions = [json.loads(r["slice"])["corruption"] for r in rows(exam, "corruption_error_rate")]
    assert sorted(corruptions) == ["defocus_blur", "fog", "jpeg", "noise"]
    assert seen.lines[1] == (
        "made to compare with: 15 pictures of photos under noise:3, defocus_blur:3, fog:3, jpeg:3 (--no-corruptions leaves them "
        "out); 50 generated pictures, an easy, far OOD set (--no-ood leaves it out)"
    )
    assert any("easy, far OOD set" in notice.what for notice in exam.notices)


def test_both_can_be_switched_off(photos, store, tmp_path):
    exam = eyechart.examine(
        "demo:", photos, probes=ASKED, prompts="single", corruptions=[], default_ood=False, out=tmp_path / "out", store=store
    )
    assert made(exam) == set()
    assert {s["probe"] for s in exam.skips.to_pylist()} >= {"corruption", "ood"}


def test_own_pictures_come_first(photos, drawn, store, tmp_path):
    asked = {"probes": ASKED, "prompts": "single", "ood": {"other": drawn / "star"}, "store": store}
    assert made(eyechart.examine("demo:", photos, out=tmp_path / "a", **asked)) == {COPIES, "other"}
    both = eyechart.examine("demo:", photos, default_ood=True, corruptions="noise:1", out=tmp_path / "b", **asked)
    assert made(both) == {COPIES, OOD, "other"}
    assert both.protocol["datasets"][COPIES]["reader"]["corruptions"] == ["noise:1"]


def test_the_embedded_world_and_other_profiles_get_none(store, photos, tmp_path):
    world = eyechart.examine("demo:", "world-objects", limit=36, probes=ASKED, prompts="single", out=tmp_path / "a", store=store)
    assert set(world.protocol["datasets"]) == {"world-objects"}
    audit = eyechart.examine("demo:", photos, profile="audit", prompts="single", out=tmp_path / "b", store=store)
    assert made(audit) == set()


def test_each_dataset_has_its_own(photos, drawn, store, tmp_path):
    plan = Plan(
        (ModelPlan("demo:"),),
        (DataPlan(str(photos)), DataPlan(str(drawn), name="other")),
        probes=("ood",),
        prompts=("single",),
    )
    exam = eyechart.run(plan, out=tmp_path / "out", store=store)
    assert made(exam) == {"other", f"photos: {OOD}", f"other: {OOD}"}
    assert {r["n"] for r in rows(exam, "ood_auroc")} == {65}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"corruptions": ["noize"]}, "no corruption called 'noize'; did you mean 'noise'"),
        ({"corruptions": ["noise:3"], "probes": ["zero_shot"]}, "corruptions: no dataset of this run can be compared"),
        ({"default_ood": True, "profile": "audit"}, "default OOD: no dataset of this run can be compared"),
    ],
)
def test_what_would_not_be_used_is_refused(asked, message, photos, tmp_path):
    with pytest.raises(UsageError, match=message):
        eyechart.examine("demo:", photos, out=tmp_path / "out", store=tmp_path / "store", **asked)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--corrupt", "noise:3", "--no-corruptions"], "--corrupt and --no-corruptions exclude each other"),
        (["--ood", "default", "--no-ood"], "--ood default and --no-ood exclude each other"),
    ],
)
def test_flags_that_exclude_each_other(flags, message, photos, capsys):
    assert main(["examine", "--model", "demo:", "--data", str(photos), *flags]) == 2
    assert message in capsys.readouterr().err


def test_the_command_names_corruptions_and_the_default_ood_set(photos, drawn, tmp_path, capsys):
    words = ["examine", "--model", "demo:", "--data", str(photos), "--prompts", "bare", "--probes", ",".join(ASKED), "--quiet"]
    words += ["--corrupt", "gaussian_noise:5", "--ood", "default", "--ood", f"mine={drawn / 'star'}", "--json"]
    assert main([*words, "--store", str(tmp_path / "store"), "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    assert made(eyechart.Examination(tmp_path / "out")) == {COPIES, OOD, "mine"}


def test_a_plan_names_them_too(tmp_path):
    (tmp_path / "plan.toml").write_text('models = ["demo:"]\ndatasets = ["x"]\ncorruptions = []\ndefault_ood = false\n')
    plan = eyechart.read_plan(tmp_path / "plan.toml")
    assert (plan.corruptions, plan.default_ood) == ((), False)
    (tmp_path / "plan.toml").write_text('models = ["demo:"]\ndatasets = ["x"]\ncorruptions = "noise:3,fog"\n')
    assert eyechart.read_plan(tmp_path / "plan.toml").corruptions == ("noise:3,fog",)


def test_nothing_is_made_for_models_that_only_have_vectors(photos, store, tmp_path):
    """They cannot encode new pictures; asked for by name, that is an error."""
    ids = sorted(str(path.relative_to(photos)) for path in photos.rglob("*.*"))
    names = sorted(path.name for path in photos.iterdir())
    rng = np.random.default_rng(0)
    file = tmp_path / "mine.npz"
    np.savez(file, image_ids=ids, image_vectors=rng.normal(size=(len(ids), 8)), texts=names,
             text_vectors=rng.normal(size=(len(names), 8)), logit_scale=10.0)  # fmt: skip
    asked = {"probes": ASKED, "prompts": "bare", "store": store}
    exam = eyechart.examine(f"vectors:{file}", photos, out=tmp_path / "a", **asked)
    assert made(exam) == set() and rows(exam, "top1")
    for more in ({"corruptions": "noise:3"}, {"default_ood": True}):
        with pytest.raises(UsageError, match="no model of this run can encode new pictures"):
            eyechart.examine(f"vectors:{file}", photos, out=tmp_path / "b", **asked, **more)
