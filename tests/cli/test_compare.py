import json
import re

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.comparison.runs import predictions, write_run
from tests.report.sample_run import add_probe

import eyechart
from eyechart.cli.main import main
from eyechart.files.parquet import write_checked
from eyechart.findings.finding import SCHEMA, Finding

TRUTH = np.random.default_rng(0).integers(0, 4, 200)


@pytest.fixture
def runs(tmp_path):
    other = np.where(np.arange(200) % 4 == 0, (TRUTH + 1) % 4, TRUTH)
    a = write_run(tmp_path / "a", {"float32": [predictions(TRUTH, TRUTH)]})
    return str(a), str(write_run(tmp_path / "b", {"int8": [predictions(TRUTH, other)]}))


def test_models_are_columns_and_the_screen_is_not_filled(runs, capsys):
    assert main(["compare", *runs]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = lines[lines.index("") + 1]
    assert "float32" in head and "int8" in head
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 100
    assert any("50 of 200" in line and "0 gained, 50 lost" in line for line in lines)


def test_the_decision_comes_first_with_its_direction(runs, capsys):
    assert main(["compare", *runs]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("On photos, int8 is worse than float32: top-1 accuracy −25.0 points (")
    assert "n = 200" in " ".join(lines[: lines.index("")])
    accuracy = next(line for line in lines if "top-1, photos" in line)
    assert accuracy.startswith("↑ ") and accuracy.endswith("  worse")
    assert main(["compare", *runs[::-1]]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("On photos, float32 is better than int8: top-1 accuracy +25.0 points (")
    assert next(line for line in lines if "top-1, photos" in line).endswith("  better")


def test_of_a_metric_where_lower_is_better_more_is_worse(tmp_path, capsys):
    for model, value in (("calm", 0.05), ("sure", 0.45)):
        folder = write_run(tmp_path / model, {model: [predictions(TRUTH, TRUTH)]})
        found = [Finding(metric="ece", value=value, n=200, low=value - 0.02, high=value + 0.02)]
        add_probe(folder, "calibration", found)
        write_checked(pq.read_table(folder / "findings.parquet").cast(SCHEMA), folder / "findings.parquet")
    assert main(["compare", str(tmp_path / "calm"), str(tmp_path / "sure")]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if "ECE" in line)
    assert row.startswith("↓ ") and "+40.0 points" in row and row.endswith("worse")


def test_long_titles_are_wrapped_and_never_cut(tmp_path, capsys):
    long = [f"{name} with a very long name of its training" for name in ("one", "two")]
    models = {name: [predictions(TRUTH, TRUTH)] for name in long}
    assert main(["compare", str(write_run(tmp_path / "run", models))]) == 0
    table = capsys.readouterr().out.split("\n\n")[1]
    assert "…" not in table and "photos" in table


def test_equal_models_are_called_inseparable(runs, capsys, tmp_path):
    again = write_run(tmp_path / "again", {"again": [predictions(TRUTH, TRUTH)]})
    assert main(["compare", runs[0], str(again)]) == 0
    first = capsys.readouterr().out.split("\n\n")[0].replace("\n  ", " ")
    assert first.startswith("On photos, again and float32 are inseparable: they predict the same class for every picture")


def test_runs_of_one_model_are_named_by_the_end_of_their_path(tmp_path, capsys):
    models = {"same": [predictions(TRUTH, TRUTH)]}
    runs = [str(write_run(tmp_path / day / "clip", models)) for day in ("monday", "sunday")]
    assert main(["compare", *runs]) == 0
    head = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("    "))
    assert re.split("  +", head.strip())[:2] == ["same (monday/clip)", "same (sunday/clip)"]


def test_rows_of_several_datasets_have_different_titles(tmp_path, capsys):
    data = tuple(eyechart.DataPlan(name, limit=60) for name in ("world-objects", "world-shifts"))
    for model in ("demo", "other"):
        plan = eyechart.Plan((eyechart.ModelPlan("demo:", name=model),), data, probes=("zero_shot",), prompts=("bare",))
        eyechart.run(plan, out=tmp_path / model, store=tmp_path / "store")
    assert main(["compare", str(tmp_path / "demo"), str(tmp_path / "other")]) == 0
    table = capsys.readouterr().out.split("\n\n")[1].splitlines()
    rows = [line for line in table[1:] if line.startswith(("↑ ", "↓ ")) and "is better" not in line]
    titles = [line[2:].split("  ")[0] for line in rows]
    assert len(titles) == len(set(titles)) == 6 and "worst class (world-shifts)" in titles


def test_json_and_files(runs, capsys, tmp_path):
    assert main(["compare", *runs, "--json", "--out", str(tmp_path / "out"), "--csv", str(tmp_path / "changed.csv")]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "out" / "compare.json").read_text())
    (pair,) = printed["datasets"][0]["pairs"]
    assert (pair["top1"]["separable"], len(pair["lost"])) == (True, 50)
    assert (tmp_path / "changed.csv").read_text() == (tmp_path / "out" / "changed.csv").read_text()
    assert len((tmp_path / "changed.csv").read_text().splitlines()) == 51


def test_many_models_are_ranked_with_letters(tmp_path, capsys):
    rng = np.random.default_rng(1)
    models = {f"model-{i}": [predictions(TRUTH, np.where(rng.random(200) < i / 8, (TRUTH + 1) % 4, TRUTH))] for i in range(4)}
    assert main(["compare", str(write_run(tmp_path / "run", models))]) == 0
    out = capsys.readouterr().out
    assert "models that share a letter are inseparable (exact McNemar, Holm over 6 pairs)" in out
    assert len(out.splitlines()) <= 25


def test_one_model_is_not_a_comparison(runs, capsys):
    assert main(["compare", runs[0]]) == 2
    assert "needs two models" in capsys.readouterr().err
