"""`eyechart study` as a user types it."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import norm
from tests.found import table_of

from eyechart.findings.finding import Finding
from eyechart.findings.mark import mark

ALONE = ("--study", "study.parquet")  # without the tables that ship


@pytest.fixture
def eyechart(commands, tmp_path):
    def run(*words):
        return commands.run("study", *words, cwd=tmp_path, env={"EYECHART_STUDY": str(tmp_path / "study.parquet")})

    return run


@pytest.fixture
def testbed(tmp_path):
    """A small testbed: twelve standard models along a line, two zero-shot ones above it, in the files' own form."""
    lines = ("resnet", "vgg", "densenet", "mobilenet", "efficientnet", "xception")
    places = [(f"{lines[i % 6]}{i}", 0.2 + i / 12, 0.01 * (-1) ** (i // 3)) for i in range(12)]
    standard = [(name, norm.cdf(z), norm.cdf(z - 0.3 + off)) for name, z, off in places]
    zero_shot = [(f"vit_{i}_clip_zeroshot", norm.cdf(z), norm.cdf(z)) for i, z in enumerate((0.3, 0.6))]
    folder = tmp_path / "testbed"
    folder.mkdir()
    results = [f"{name},{100 * x:.5f},{100 * y:.5f}" for name, x, y in (*standard, *zero_shot)]
    head = "model,val,imagenetv2-matched-frequency-format-val"
    (folder / "robustness_top1s.csv").write_text("\n".join([head, *results, "cut off,1"]) + "\n")
    types = [f"{name},STANDARD,STANDARD" for name, *_ in standard] + [f"{name},MORE_DATA,MORE_DATA" for name, *_ in zero_shot]
    (folder / "model_types.csv").write_text("\n".join(["model,type,natural_type", *types]) + "\n")
    return folder


@pytest.fixture
def examination(tmp_path):
    """A model that loses nothing on the shift, examined on two datasets under names of one's own."""
    folder = tmp_path / "exam"
    folder.mkdir()
    mark(folder)
    tables = [
        table_of(
            [Finding(metric="top1", value=0.7, n=2000)],
            model="onnx:mine",
            dataset=dataset,
            probe="zero_shot",
            protocol="p",
            version=1,
        )
        for dataset in ("photos", "imagenet-v2")
    ]
    pq.write_table(pa.concat_tables(tables), folder / "findings.parquet")
    (folder / "protocol.json").write_text(
        json.dumps({"models": {"onnx:mine": {}}, "datasets": {"photos": {}, "imagenet-v2": {}}})
    )
    return folder


def test_a_table_is_added_and_shown(eyechart, testbed):
    done = eyechart("add", "--from", "testbed", testbed)
    assert done.returncode == 0, done.stderr
    assert "28 values of 14 models from testbed" in done.stdout and "cut off" not in done.stdout
    assert "1 row excluded" in done.stdout
    held = json.loads(eyechart("show", "--json").stdout)
    mine = [origin for origin in held["origins"] if not origin["shipped"]]
    assert mine == [{"origin": "testbed", "models": 14, "values": 28, "shipped": False}]
    listed = eyechart("show", "imagenet", "imagenet-v2", "--find", "clip", *ALONE).stdout
    assert "testbed:vit_1_clip_zeroshot" in listed and "resnet0" not in listed


def test_a_trend_finds_the_line_and_who_lies_above_it(eyechart, testbed, tmp_path):
    eyechart("add", "--from", "testbed", testbed)
    done = eyechart("trend", "--y", "imagenet-v2", "--fit", "ols", "--out", "page", "--json", *ALONE)
    found = json.loads(done.stdout)
    assert found["slope"] == pytest.approx(1.0, abs=0.02) and found["intercept"] == pytest.approx(-0.3, abs=0.02)
    assert found["n"] == 12
    assert {m["model"] for m in found["models"][:2]} == {"testbed:vit_0_clip_zeroshot", "testbed:vit_1_clip_zeroshot"}
    assert found["models"][0]["low"] > 0.05
    assert "testbed:resnet6" in (tmp_path / "page" / "index.html").read_text()


def test_people_get_tables(eyechart, testbed):
    eyechart("add", "--from", "testbed", testbed)
    done = eyechart("trend", "--y", "imagenet-v2", *ALONE)
    assert "12 models" in done.stdout and "Spearman correlation" in done.stdout and "highest above the line" in done.stdout
    asked = eyechart("compare", "--y", "imagenet-v2", "--by", "architecture", "--among", "all", *ALONE)
    assert "ResNet" in asked.stdout and "ViT" in asked.stdout, asked.stderr


@pytest.mark.slow
def test_questions_that_cannot_be_asked_are_told(eyechart, testbed):
    eyechart("add", "--from", "testbed", testbed)
    done = eyechart("compare", "--y", "imagenet-v2", "--among", "all")
    assert done.returncode == 0 and "not compared: prompts" in done.stdout
    alone = eyechart("compare", "--y", "imagenet-v2", "--by", "prompts")
    assert alone.returncode == 2 and "--prompts A --prompts B" in alone.stderr


def test_an_examination_is_placed_among_others(eyechart, testbed, examination):
    eyechart("add", "--from", "testbed", testbed)
    done = eyechart("place", examination, "--as", "photos=imagenet", "--json", *ALONE)
    (standings,) = json.loads(done.stdout)["models"].values()
    shift = next(s for s in standings if s["measure"] == "imagenet-v2")
    assert shift["expected"] == pytest.approx(norm.cdf(norm.ppf(0.7) - 0.3), abs=0.01)
    assert shift["of"] == 15 and shift["line"] == "standard, n = 12"
    assert json.loads(eyechart("show", "--json", *ALONE).stdout)["origins"][0]["values"] == 28  # placing writes nothing


def test_placing_works_out_of_the_box(eyechart, examination):
    done = eyechart("place", examination, "--as", "photos=imagenet")
    assert done.returncode == 0, done.stderr
    assert "of 1,788" in done.stdout and "standard, n = 1,060" in done.stdout
    assert "timm (1,267 models)" in done.stdout and "shipped with Eyechart; findings (1 model): yours" in done.stdout


def test_measures_of_no_other_model_are_counted_and_not_listed(eyechart, examination):
    done = eyechart("place", examination)
    assert "photos/top1" not in done.stdout and "imagenet-v2" in done.stdout
    assert "and 1 measure that no other model has; --all lists them" in done.stdout
    assert "photos/top1" in eyechart("place", examination, "--all").stdout


def test_a_published_model_is_placed_out_of_the_box(eyechart):
    """Its accuracies are those of open_clip's table; the expected value is the one that docs/study.md cites."""
    done = eyechart("place", "open_clip:ViT-B-32/laion2b_s34b_b79k", "--json")
    (standings,) = json.loads(done.stdout)["models"].values()
    by_name = {standing["measure"]: standing for standing in standings}
    assert by_name["imagenet"]["value"] == 0.6656 and by_name["imagenet-v2"]["value"] == 0.5814
    assert by_name["imagenet"]["of"] == 1787
    assert {table["origin"] for table in json.loads(done.stdout)["tables"]} == {
        "model_soups", "open_clip", "robustbench", "testbed", "timm",
    }  # fmt: skip


def test_a_placing_says_which_half_of_the_pictures_a_value_is_from(eyechart, tmp_path):
    folder = tmp_path / "exam"
    folder.mkdir()
    mark(folder)
    found = [Finding(metric="ece", value=0.04, n=1000), Finding(metric="ece", value=0.06, n=466, slice={"half": "held-out"})]
    table = table_of(found, model="onnx:mine", dataset="photos", probe="calibration", protocol="p", version=1)
    pq.write_table(table, folder / "findings.parquet")
    (folder / "protocol.json").write_text(json.dumps({"models": {"onnx:mine": {}}, "datasets": {"photos": {}}}))
    rows = [line.split() for line in eyechart("place", folder, "--all").stdout.splitlines() if "photos/ece" in line]
    assert ["photos/ece", "1,000"] in [row[:2] for row in rows]
    assert ["photos/ece[half=held-out]", "466", "(held-out", "half)"] in [row[:4] for row in rows]
    (standings,) = json.loads(eyechart("place", folder, "--json").stdout)["models"].values()
    assert {(s["n"], s["half"]) for s in standings} == {(1000, None), (466, "held-out")}
    mixed = eyechart("trend", "--y", "photos/ece[half=held-out]", "--x", "photos/ece", "--baseline", "all", "--study", "x")
    assert mixed.returncode == 6  # a study that is named is not completed with others


def test_findings_are_added_under_published_names(eyechart, examination):
    eyechart("add", "--from", "findings", examination, "--as", "photos=imagenet")
    listed = json.loads(eyechart("show", "imagenet", "imagenet-v2", "--json", *ALONE).stdout)
    assert [(row["model"], row["origin"], row["imagenet"]) for row in listed] == [("onnx:mine", "findings", 0.7)]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["show", "--study", "absent.parquet"], 6, "study add"),
        (["add", "--from", "open_clip", "http://example.org/results.csv"], 2, "only https"),
        (["add", "--from", "open_clip", "nowhere.csv"], 3, "no such file"),
        (["add", "--from", "timm", "."], 3, "results-imagenet.csv"),
        (["add", "--from", "findings", ".", "--as", "photos=imagenets"], 2, "did you mean 'imagenet'"),
        (["trend", "--y", "imagenet-v2", "--charts", "svg"], 2, "--out DIR"),
    ],
)
def test_what_cannot_be_done_ends_in_one_line(eyechart, words, code, says):
    done = eyechart(*words)
    assert done.returncode == code and says in done.stderr and done.stderr.count("\n") == 1
