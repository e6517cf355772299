"""The commands as a user types them: a real process, its output and its exit code."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from eyechart.probes.registry import get_probe, probe_names

ALONE = ("--no-corruptions", "--no-ood")  # without datasets to compare with


@pytest.fixture
def eyechart(commands, tmp_path):
    def run(*words, cwd=tmp_path):
        return commands.run(*words, cwd=cwd, env={"EYECHART_STORE": str(tmp_path / "store")})

    return run


@pytest.fixture
def photos(tmp_path):
    rng = np.random.default_rng(0)
    for label in ("circle", "star"):
        (tmp_path / "photos" / label).mkdir(parents=True)
        for i in range(3):
            pixels = rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)
            Image.fromarray(pixels).resize((64, 64)).save(tmp_path / "photos" / label / f"{i}.jpg")
    return tmp_path / "photos"


def test_examine_prints_a_summary_and_the_page(eyechart, photos, tmp_path):
    done = eyechart("examine", "--model", "demo:", "--data", "photos", "--prompts", "single")
    assert done.returncode == 0, done.stderr
    assert "accuracy            top-1 " in done.stdout
    page = done.stdout.split("page: ")[1].strip()
    assert (tmp_path / page).is_file()
    assert Path(page) == Path("exams/demo--photos/report/index.html")


def test_the_verdict_on_a_folder_without_labels_says_why_there_is_none(eyechart, photos):
    eyechart("examine", "--model", "demo:", "--data", "photos/star", "--prompts", "single", "--out", "run")
    done = eyechart("verdict", "run", "--verbose")
    assert done.returncode == 7, done.stderr
    first, *rest = done.stdout.splitlines()
    assert first == "no probe could be run"
    assert any("the dataset has no labels" in line for line in rest) and "95% interval" not in done.stdout


def test_a_verbose_verdict_says_what_its_outcomes_mean_and_the_minimum_of_pictures(eyechart, photos):
    eyechart("examine", "--model", "demo:", "--data", "photos", "--prompts", "single", "--out", "run", "--probes", "zero_shot")
    plain, verbose = (eyechart("verdict", "run", *flags).stdout for flags in ([], ["--verbose"]))
    assert "The minimum of 30, and of 10 for a class, is a convention" in " ".join(verbose.split())
    assert "convention" not in plain and verbose.endswith(plain)
    assert all(len(line) <= 100 for line in verbose.split("Bad: ")[1].split("\n\n")[0].splitlines())


def test_json_is_one_document_on_standard_output(eyechart, photos):
    done = eyechart("examine", "--model", "demo:", "--data", photos, "--prompts", "single", "--out", "out", "--json")
    answer = json.loads(done.stdout)
    assert {f["metric"] for f in answer["findings"]} >= {"top1", "worst_class"}
    assert answer["failures"] == {}
    (verdict,) = answer["verdicts"]
    assert verdict["model"] == "demo" and verdict["areas"]["accuracy"] == "inconclusive"  # six pictures are too few
    assert {r["outcome"] for r in verdict["rulings"]} >= {"inconclusive", "not tested"}


@pytest.mark.slow
def test_the_demo_runs_offline_and_twice(eyechart, tmp_path):
    first = eyechart("demo", "--out", "demo", "--quiet")
    assert first.returncode == 0, first.stderr
    second = eyechart("demo", "--out", "demo")
    known = "all results were known already; nothing was encoded\n"
    assert known in second.stdout
    assert second.stdout.replace(known, "") == first.stdout
    assert "encoding" not in second.stderr
    assert (tmp_path / "demo" / "report" / "index.html").is_file()
    assert "Visual factors cost more than 10 points of accuracy." in " ".join(first.stdout.split())
    answered = set(pq.read_table(tmp_path / "demo" / "findings.parquet", columns=["metric"])["metric"].to_pylist())
    probes = [
        get_probe(name) for name in probe_names() if "answers" not in get_probe(name).needs
    ]  # the demo's model has no words
    judged = {metric.name for probe in probes for metric in probe.metrics if metric.limits}
    assert judged <= answered, "limits of the verdict that no number is held to"


def test_a_plan_is_written_checked_and_run(eyechart, tmp_path):
    assert eyechart("plan", "--init").returncode == 0
    assert "1 model, 1 dataset," in eyechart("plan").stdout
    with_target = (tmp_path / "plan.toml").read_text() + "\n[targets]\ntop2 = 0.5\n"
    (tmp_path / "wrong.toml").write_text(with_target)
    wrong = eyechart("plan", "wrong.toml")
    assert wrong.returncode == 2 and "top2" in wrong.stderr
    (tmp_path / "right.toml").write_text(with_target.replace("top2", "top1"))
    assert eyechart("plan", "right.toml").returncode == 0
    again = eyechart("plan", "--init")
    assert again.returncode == 2
    assert "already exists" in again.stderr
    written = (tmp_path / "plan.toml").read_text()
    short = written.replace('# probes = ["zero_shot"]', 'probes = ["zero_shot"]  #')
    short = short.replace('"world-objects" ', '"world-objects"\nlimit = 36 ')
    (tmp_path / "plan.toml").write_text(short)
    done = eyechart("run", "plan.toml", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "exams/plan/report/index.html" in done.stdout


@pytest.mark.parametrize("command", ["models", "datasets", "probes", "prompts", "doctor"])
def test_lists_come_as_tables_and_as_json(eyechart, command):
    table, data = eyechart(command), eyechart(command, "--json")
    assert table.returncode == data.returncode == 0, table.stderr + data.stderr
    assert len(table.stdout.splitlines()) > 3
    assert json.loads(data.stdout)


def test_models_says_what_to_install(eyechart):
    kinds = {row["kind"]: row for row in json.loads(eyechart("models", "--json").stdout)}
    known = {"onnx:", "open_clip:", "hf:", "timm:", "sbert:", "vectors:", "predictions:", "zoo:", "demo:", "chat:", "lmm:"}
    assert set(kinds) == known
    assert kinds["onnx:"]["installed"] == "yes"


def test_one_model_one_dataset_and_one_prompt_set_are_shown(eyechart, photos):
    assert json.loads(eyechart("models", "demo:", "--json").stdout)["abilities"][:2] == ["images", "texts"]
    assert json.loads(eyechart("datasets", photos, "--json").stdout)["classes"] == ["circle", "star"]
    assert eyechart("prompts", "mcm-5").stdout.splitlines()[0] == "a photo of a {}."


def test_the_store_is_listed_verified_compacted_and_cleared(eyechart, photos):
    eyechart(
        "examine", "--model", "demo:", "--data", photos, "--prompts", "single", "--probes", "zero_shot", "--out", "out", "--quiet"
    )
    shelves = json.loads(eyechart("store", "ls", "--json").stdout)
    assert {(s["spec"], s["role"], s["vectors"]) for s in shelves} == {("demo:", "image", 6), ("demo:", "text", 2)}
    assert eyechart("store", "verify").returncode == 0
    assert eyechart("store", "compact").returncode == 0
    assert "removed 2 groups of vectors" in eyechart("store", "gc", "--model", "demo:").stdout
    assert json.loads(eyechart("store", "ls", "--json").stdout) == []


def test_a_damaged_segment_is_found_set_aside_and_encoded_again(eyechart, photos, tmp_path):
    words = ("examine", "--model", "demo:", "--data", photos, "--prompts", "single", "--json", "--quiet", *ALONE)
    first = json.loads(eyechart(*words, "--out", "a").stdout)["findings"]
    segment = next(p for p in (tmp_path / "store").rglob("*.arrow") if "image" in str(p))
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 255
    segment.chmod(0o644)
    segment.write_bytes(data)
    found = eyechart("store", "verify")
    assert found.returncode == 6
    assert "set aside" in found.stdout
    assert eyechart("store", "verify").returncode == 0
    for out in ("a", "b"):
        again = json.loads(eyechart(*words, "--out", out).stdout)["findings"]
        assert [f["value"] for f in again] == pytest.approx([f["value"] for f in first])


def test_damaged_vectors_are_noticed_and_encoded_again(eyechart, photos, tmp_path):
    """Negated vectors are finite and as long as the true ones: only their checksum tells."""
    words = ("examine", "--model", "demo:", "--data", photos, "--prompts", "single", "--json", "--quiet", *ALONE)
    true = json.loads(eyechart(*words, "--out", "a").stdout)["findings"]
    segment = next(p for p in (tmp_path / "store").rglob("*.arrow") if "image" in str(p))
    vectors = pa.ipc.open_file(segment).read_all().column("vector").combine_chunks().values
    start = segment.read_bytes().index(vectors.buffers()[1].to_pybytes()[: 4 * 64])
    segment.chmod(0o644)
    with segment.open("r+b") as file:
        file.seek(start)
        file.write((-np.frombuffer(vectors.buffers()[1], np.float32)[: 6 * 64]).tobytes())
    again = json.loads(eyechart(*words, "--out", "b").stdout)
    assert [f["value"] for f in again["findings"]] == pytest.approx([f["value"] for f in true])
    assert list((tmp_path / "store" / "damaged").rglob("*.arrow.*.json"))
    assert eyechart("store", "verify").returncode == 0


@pytest.mark.slow
@pytest.mark.long
def test_report_writes_the_page_anew_and_its_other_forms(eyechart, tmp_path):
    small = ("--limit", "90", "--prompts", "single", "--probes", "zero_shot")
    eyechart("examine", "--model", "demo:", "--data", "world-objects", *small, "--out", "demo")
    (tmp_path / "demo" / "report" / "index.html").unlink()
    assert eyechart("report", "demo").returncode == 0
    assert (tmp_path / "demo" / "report" / "index.html").is_file()
    assert "| metric |" in eyechart("report", "demo", "--markdown").stdout
    assert "model-index:" in eyechart("report", "demo", "--model-card").stdout
    charts = json.loads(eyechart("report", "demo", "--charts", "svg", "--json").stdout)["charts"]
    assert charts
    assert Path(charts[0] if Path(charts[0]).is_absolute() else tmp_path / charts[0]).read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "COMMAND"),
        (("examin",), 2, "did you mean 'examine'?"),
        (("examine", "--modle", "demo:"), 2, "there is no --modle; did you mean '--model'?"),
        (("repair", "captions", "--porpose=search"), 2, "there is no --porpose; did you mean '--purpose'?"),
        (("examine", "--data", "photos"), 2, "--model"),
        (("examine", "--model", "demo:", "--split", "test"), 2, "world is all sets of the embedded world and takes no split"),
        (
            ("examine", "--model", "demo:", "--data", "photos", "--promts", "x"),
            2,
            "there is no --promts; did you mean '--prompts'?",
        ),
        (
            ("examine", "--model", "demo:", "--data", "photos", "--data", "empty"),
            2,
            "--data takes one dataset; use a plan for several",
        ),
        (("examine", "--model", "demo:", "--model", "zoo:conv", "--model-name", "x"), 2, "--model-name names one model"),
        (("examine", "--model", "demo:", "--zzzzzz"), 2, "unrecognized arguments: --zzzzzz\n"),
        (("examine", "--model", "dmo:", "--data", "photos"), 2, "did you mean 'demo'"),
        (("examine", "--model", "demo:", "--data", "photo"), 3, "did you mean"),
        (("examine", "--model", "demo:", "--data", "photos", "--prompts", "openai-81"), 2, "did you mean 'openai-80'"),
        (("examine", "--model", "demo:", "--data", "photos", "--probes", "zeroshot"), 2, "did you mean 'zero_shot'"),
        (("examine", "--model", "demo:", "--data", "photos", "--limit", "0"), 2, "not a positive whole number"),
        (("examine", "--model", "demo:", "--data", "photos", "--column", "label"), 2, "expected ROLE=COLUMN"),
        (("examine", "--model", "demo:", "--data", "empty"), 3, "empty"),
        (("examine", "--model", "onnx:empty", "--data", "photos"), 4, "model.json"),
        (("examine", "--model", "demo:", "--data", "photos", "--out", "mine"), 2, "not an examination"),
        (("run", "none.toml"), 2, "eyechart plan --init"),
        (("report", "photos"), 6, "findings.parquet"),
        (("prompts", "none"), 2, "none"),
        (("store", "gc", "--model", "nobody"), 6, "nobody"),
    ],
)
def test_mistakes_end_in_one_line_and_their_exit_code(eyechart, photos, tmp_path, words, code, message):
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    done = eyechart(*words)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_to_ask_has_an_exit_code_of_its_own(eyechart, photos):
    done = eyechart("examine", "--model", "demo:", "--data", photos / "star", "--probes", "zero_shot", "--out", "out")
    assert done.returncode == 7
    assert "the dataset has no labels" in done.stdout


def test_missing_packages_are_named_in_one_line(eyechart, photos):
    if find_spec("open_clip"):
        pytest.skip("open_clip is installed here")
    done = eyechart("examine", "--model", "open_clip:ViT-B-32/openai", "--data", photos)
    assert done.returncode == 5
    assert done.stderr.strip() == (
        "eyechart: open_clip:ViT-B-32/openai needs packages that are not installed: pip install 'eyechart[open_clip]' "
        "(see: eyechart docs models)"
    )


def test_a_reader_that_goes_away_is_no_fault(photos, tmp_path):
    done = subprocess.run(
        f"{sys.executable} -m eyechart.cli.main prompts openai-80 | head -1", shell=True, capture_output=True, text=True
    )
    assert done.stdout == "a bad photo of a {}.\n"
    assert "Traceback" not in done.stderr


def worked(process):
    """Seconds of processor time, which tell how far a process is on a busy machine too; of the clock where there is no /proc."""
    stat = Path(f"/proc/{process.pid}/stat")
    if not stat.exists():
        return time.monotonic()
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.long
def test_ctrl_c_keeps_what_was_encoded_and_the_same_command_goes_on(eyechart, tmp_path):
    rng = np.random.default_rng(0)
    for label in ("circle", "star"):
        (tmp_path / "many" / label).mkdir(parents=True)
        for i in range(60):
            pixels = rng.integers(0, 256, (9, 9, 3), dtype=np.uint8)
            Image.fromarray(pixels).resize((700, 500)).save(tmp_path / "many" / label / f"{i}.png", compress_level=1)
    words = ["examine", "--model", "demo:", "--data", "many", "--prompts", "single", "--out", "out", "--batch-size", "4"]
    words += ["--no-corruptions", "--no-ood"]
    process = subprocess.Popen(
        [sys.executable, "-m", "eyechart.cli.main", *words, "--workers", "1"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "EYECHART_STORE": str(tmp_path / "store")},
    )
    while not list((tmp_path / "store").rglob("claims/*.lock")) and process.poll() is None:
        time.sleep(0.05)
    begun = worked(process)
    while process.poll() is None and worked(process) < begun + 1.2:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130, errors
    assert "run the same command again" in errors
    assert "Traceback" not in errors
    kept = sum(s["vectors"] for s in json.loads(eyechart("store", "ls", "--json").stdout) if s["role"] == "image")
    assert 0 < kept < 120
    done = eyechart(*words)
    assert done.returncode == 0, done.stderr
    assert f"{120 - kept}/{120 - kept} pictures" in done.stderr


def test_pictures_without_labels_are_classified(eyechart, photos, tmp_path):
    """There is no headline metric, and nothing failed."""
    (tmp_path / "names.txt").write_text("cone\nstar\n")
    ended = eyechart(
        "examine", "--model", "demo:", "--data", "photos/star", "--classes", "names.txt", "--probes", "zero_shot", "--out", "out"
    )
    assert ended.returncode == 0, ended.stderr
    assert "the predictions: eyechart predictions out" in ended.stdout
    assert "no probe could be run" not in ended.stdout


def test_several_models_that_are_not_above_chance_are_told_first(eyechart, tmp_path):
    """Forty pictures of noise, labeled at random."""
    rng = np.random.default_rng(0)
    for label in ("circle", "star"):
        (tmp_path / "noise" / label).mkdir(parents=True)
        for i in range(20):
            Image.fromarray(rng.integers(0, 256, (64, 64, 3), dtype=np.uint8)).save(tmp_path / "noise" / label / f"{i}.png")
    models = ("--model", "demo:", "--model", "zoo:random-order-0")
    ended = eyechart(
        "examine", *models, "--data", "noise", "--prompts", "single", *ALONE, "--probes", "zero_shot", "--out", "out"
    )
    lines = ended.stdout.splitlines()
    table = next(place for place, line in enumerate(lines) if line.strip().startswith("decision"))
    warned = [place for place, line in enumerate(lines) if ": Accuracy is not above " in line]
    assert len(warned) == 2 and max(warned) < table
    assert "eyechart compare out" in ended.stdout
