"""Settings of probes on the command line."""

import pytest

import eyechart
from eyechart.cli.main import main
from eyechart.cli.setting_options import parse_setting
from eyechart.errors import UsageError


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("ood.score=energy", ("ood", "score", "energy")),
        ('ood.score="energy"', ("ood", "score", "energy")),
        ("ood.temperature=0.5", ("ood", "temperature", 0.5)),
        ("zero_shot.pairs=30", ("zero_shot", "pairs", 30)),
        ("skew.evenly=true", ("skew", "evenly", True)),
        ("first_object.counts=[2, 4]", ("first_object", "counts", [2, 4])),
        ('class_change.changes=["+child:person"]', ("class_change", "changes", ["+child:person"])),
        ("class_groups.design=a=b.toml", ("class_groups", "design", "a=b.toml")),
        ("ood.score=1\nother = 2", ("ood", "score", "1\nother = 2")),
    ],
)
def test_a_value_is_toml_or_a_text(text, parsed):
    assert parse_setting(text) == parsed


@pytest.mark.parametrize("text", ["ood", "ood.score", "ood=energy", ".score=energy", "ood.=energy", "ood.score="])
def test_another_form_is_refused(text):
    with pytest.raises(UsageError, match=r"expected PROBE\.SETTING=VALUE, such as ood\.score=energy"):
        parse_setting(text)


@pytest.fixture
def words(photos, tmp_path):
    store, out = str(tmp_path / "store"), str(tmp_path / "out")
    return ["examine", "--model", "demo:", "--data", str(photos), "--prompts", "bare", "--store", store, "--out", out, "--quiet"]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("zero_shot.pair=3", "settings.zero_shot: unknown setting 'pair'; did you mean 'pairs'?"),
        ("zero_shot.nothing=3", "settings.zero_shot: unknown setting 'nothing'; it has pairs, resamples, seed"),
        ("zero_shott.pairs=3", "settings.zero_shott: the plan runs no such probe; did you mean 'zero_shot'?"),
        ("zero_shot.pairs=few", "settings.zero_shot.pairs: expected a value like 20, got 'few'"),
    ],
)
def test_a_wrong_setting_is_refused_with_the_nearest_name(words, setting, message, capsys):
    assert main([*words, "--set", setting]) == 2
    assert message in capsys.readouterr().err


def protocol_of(exam, probe):
    (found,) = [p for p in exam.protocol["protocols"].values() if p["probe"] == probe]
    return found["settings"]


def test_a_setting_is_part_of_the_protocol(words, tmp_path):
    assert main([*words, "--probes", "zero_shot", "--set", "zero_shot.pairs=3", "--set", "zero_shot.resamples=50"]) == 0
    settings = protocol_of(eyechart.Examination(tmp_path / "out"), "zero_shot")
    assert (settings["pairs"], settings["resamples"]) == (3, 50)


DESIGN = 'harmful = ["crime"]\n[groups]\nperson = ["man", "woman"]\ncrime = ["thief"]\n'


def people(photos):
    """The pictures as a table with an attribute of two values, each on many rows."""
    files = sorted(photos.rglob("*.png"))
    rows = [f"{place},{path.relative_to(photos)},{'a' if place % 2 else 'b'}" for place, path in enumerate(files * 4)]
    (photos / "list.csv").write_text("id,path,group\n" + "\n".join(rows) + "\n")
    return photos / "list.csv"


def test_a_design_brings_its_probes(photos, words, tmp_path):
    (tmp_path / "mine.toml").write_text(DESIGN)
    words[words.index("--data") + 1] = str(people(photos))
    assert main([*words, "--design", str(tmp_path / "mine.toml")]) == 0
    exam = eyechart.Examination(tmp_path / "out")
    assert protocol_of(exam, "class_groups")["content"] == ["person: man, woman", "crime!: thief", "attributes: "]
    assert {r["metric"] for r in exam.findings.to_pylist() if r["probe"] == "class_groups"} >= {"harm_rate", "rate"}
    (skip,) = [s["reason"] for s in exam.skips.to_pylist() if s["probe"] == "class_change"]
    assert "no other class list to compare with" in skip


def test_run_takes_settings_over_those_of_the_plan(photos, tmp_path):
    (tmp_path / "mine.toml").write_text(DESIGN)
    plan = f'models = ["demo:"]\ndatasets = ["{people(photos)}"]\nprompts = "bare"\nprobes = ["class_groups"]\n'
    (tmp_path / "plan.toml").write_text(plan + "[settings.class_groups]\nleast = 5\nshown = 2\n")
    words = ["run", str(tmp_path / "plan.toml"), "--design", str(tmp_path / "mine.toml"), "--set", "class_groups.shown=1"]
    assert main([*words, "--store", str(tmp_path / "store"), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    settings = protocol_of(eyechart.Examination(tmp_path / "out"), "class_groups")
    assert (settings["least"], settings["shown"], settings["design"]) == (5, 1, str(tmp_path / "mine.toml"))


def test_a_design_that_nobody_uses_is_refused(words, capsys):
    assert main([*words, "--probes", "zero_shot", "--design", "fairface"]) == 2
    assert "--design: no probe of the plan uses a class design" in capsys.readouterr().err


def test_a_design_that_does_not_exist_is_refused(words, capsys):
    assert main([*words, "--design", "fairfase"]) == 2
    assert "did you mean 'fairface'?" in capsys.readouterr().err
