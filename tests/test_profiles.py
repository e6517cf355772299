"""Profiles from the outside: what an examination of a labeled folder asks, and what it leaves out."""

import pytest
from tests.witness import Witness

import eyechart
from eyechart.cli.main import main
from eyechart.errors import UsageError
from eyechart.prompts.library import load_prompts

OF_TEXTS_ALONE = {"first_object", "first_object_classifier", "size_words"}


def probes_of(exam):
    return set(exam.findings.column("probe").to_pylist()) | {skip["probe"] for skip in exam.skips.to_pylist()}


def test_a_labeled_folder_encodes_the_prompts_of_its_classes_and_no_other_text(photos, store, tmp_path):
    seen = Witness()
    exam = eyechart.examine("demo:", photos, out=tmp_path / "out", store=store, progress=seen)
    sets = ("single", "mcm-5", "openai-7", "eyechart-30", "openai-80")  # the default, and what the probe `prompts` compares
    filled = {text for name in sets for kind in ("arrow", "cone", "star") for text in load_prompts(name).fill(kind)}
    assert seen.encoded("texts") == len(filled)
    assert probes_of(exam).isdisjoint(OF_TEXTS_ALONE)
    assert exam.protocol["profiles"] == {"photos": ["classify"]}
    assert seen.lines[0].startswith("profile classify, since photos has class labels: ")


def test_all_asks_of_texts_alone_too(photos, store, tmp_path):
    exam = eyechart.examine(
        "demo:",
        photos,
        profile="all",
        prompts="bare",
        settings={"first_object": {"captions": 48}, "first_object_classifier": {"captions": 200}, "size_words": {"pairs": 40}},
        out=tmp_path / "out",
        store=store,
    )
    assert probes_of(exam) >= OF_TEXTS_ALONE
    assert exam.protocol["profiles"] == {"photos": ["all"]}


def test_a_profile_or_probes_and_not_both(photos, tmp_path, capsys):
    with pytest.raises(UsageError, match="probes and profile are both given"):
        eyechart.examine("demo:", photos, profile="all", probes=["worst"], out=tmp_path / "out")
    asked = ["examine", "--model", "demo:", "--data", str(photos), "--profile", "all", "--probes", "worst"]
    assert main(asked) == 2
    assert "--probes and --profile exclude each other" in capsys.readouterr().err


def test_the_command_takes_several_profiles_and_states_them(photos, tmp_path, capsys):
    out, store = tmp_path / "out", tmp_path / "store"
    words = ["examine", "--model", "demo:", "--data", str(photos), "--prompts", "bare", "--out", str(out), "--store", str(store)]
    assert main([*words, "--profile", "audit,retrieval"]) == 0
    shown = capsys.readouterr()
    # Eight probes without `cause`, which compares models: one has results, six were skipped, as the summary says.
    assert "profile audit + retrieval: 7 of " in shown.err
    assert shown.out.splitlines()[0].endswith(", 1 probe (6 skipped)")


def test_a_plan_names_its_profile(tmp_path):
    (tmp_path / "plan.toml").write_text('profile = "audit"\nmodels = ["demo:"]\ndatasets = ["world-people"]\n')
    assert eyechart.read_plan(tmp_path / "plan.toml").profile == ("audit",)


def test_probes_lists_the_profiles(capsys):
    assert main(["probes"]) == 0
    shown = capsys.readouterr().out
    assert "Every probe, those of installed packages included." in shown
    assert "class_change, class_groups, labels_by_group, skew" in shown
