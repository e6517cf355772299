"""A dry run says what an examination will take. It encodes nothing and writes nothing."""

import json
from dataclasses import replace

import pytest
from tests.witness import Witness

import eyechart
from eyechart.cli.main import main
from eyechart.plan import DataPlan, ModelPlan, Plan


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def plan(photos):
    return Plan((ModelPlan("demo:"),), (DataPlan(str(photos)),), prompts=("single",), default_ood=False)


def test_it_writes_nothing_and_counts_what_the_run_then_encodes(plan, tmp_path):
    before, places = contents(tmp_path), {"out": tmp_path / "out", "store": tmp_path / "store"}
    row, copies = eyechart.dry_run(plan, **places).datasets
    assert contents(tmp_path) == before
    assert not (tmp_path / "store").exists()
    assert not (tmp_path / "out").exists()
    seen = Witness()
    exam = eyechart.run(plan, progress=seen, **places)
    assert (row.cost.new_pictures, copies.cost.new_pictures) == (15, 4 * 15)
    assert row.cost.new_pictures + copies.cost.new_pictures == seen.encoded("pictures")
    assert row.cost.new_texts == seen.encoded("texts")
    assert set(row.probes) >= set(exam.findings.column("probe").to_pylist()) - {"exam"}
    assert seen.lines[2].startswith(f"demo: 75 pictures and {row.cost.new_texts} texts to encode: how long is not known")


def test_after_a_run_everything_is_stored_and_into_its_folder_known(plan, tmp_path):
    places = {"out": tmp_path / "out", "store": tmp_path / "store"}
    eyechart.run(plan, **places)
    before = contents(tmp_path)
    elsewhere = eyechart.dry_run(plan, out=tmp_path / "other", store=tmp_path / "store")
    (row, _), (total,) = elsewhere.datasets, elsewhere.totals
    assert (row.cost.new_pictures, row.cost.new_texts, row.known) == (0, 0, ())
    assert total == f"demo: nothing to encode: 75 pictures and {row.cost.texts} texts are stored"
    again, _ = eyechart.dry_run(plan, **places).datasets
    assert (again.probes, set(again.known)) == ((), set(row.probes))
    assert contents(tmp_path) == before


def test_a_rate_of_an_earlier_run_gives_a_time(plan, photos, tmp_path):
    eyechart.run(plan, out=tmp_path / "out", store=tmp_path / "store")
    more = replace(plan, prompts=("bare",))
    (total,) = eyechart.dry_run(more, out=tmp_path / "other", store=tmp_path / "store").totals
    assert total.endswith("are stored): a few seconds on cpu, at the rate of earlier runs")


def test_the_command_prints_probes_skips_and_cost(photos, tmp_path, capsys):
    words = ["examine", "--model", "demo:", "--data", str(photos), "--prompts", "bare", "--dry-run", "--quiet", "--no-ood"]
    words += ["--store", str(tmp_path / "store"), "--out", str(tmp_path / "out")]
    before = contents(tmp_path)
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("profile classify, since photos has class labels: ")
    assert "skipped: factors of demo on photos: the dataset has no factor columns" in shown
    assert "demo: 75 pictures and " in shown
    assert shown.endswith("dry run: nothing was encoded or written\n")
    assert main([*words, "--json"]) == 0
    row, copies = json.loads(capsys.readouterr().out)["datasets"]
    assert (row["dataset"], row["cost"]["new_pictures"]) == ("photos", 15)
    assert (copies["dataset"], copies["probes"]) == ("photos: corrupted copies", [])
    assert contents(tmp_path) == before


def test_a_wrong_plan_is_refused_as_in_a_run(photos, tmp_path):
    with pytest.raises(eyechart.EyechartError, match="no profile called 'clasify'"):
        eyechart.dry_run(Plan((ModelPlan("demo:"),), (DataPlan(str(photos)),), profile=("clasify",)), out=tmp_path / "out")


@pytest.mark.parametrize(
    ("target", "reason"),
    [({"topp1": 0.8}, "did you mean 'top1'"), ({"top1": 80}, "it is a fraction"), ({"chance": 0.1}, "cannot have a target")],
)
def test_a_wrong_target_is_refused_as_a_run_would(plan, tmp_path, target, reason):
    with pytest.raises(eyechart.errors.UsageError, match=reason):
        eyechart.dry_run(replace(plan, targets=target), out=tmp_path / "out", store=tmp_path / "store")
