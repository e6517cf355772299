import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.report.sample_run import write_sample_run

from eyechart.errors import StoreError
from eyechart.findings.run import read_run


def test_models_datasets_and_probes_are_known_in_the_order_of_the_protocol(calm_run):
    run = read_run(calm_run)
    assert run.models == ["ViT-B-32 · laion2b", "ViT-L-14 · openai"]
    assert (run.datasets, run.probes, run.prompts) == (["garden visitors"], ["zero_shot"], ["openai-80", "single"])


def test_exhibits_of_the_exam_are_apart_from_those_of_probes(calm_run):
    run = read_run(calm_run)
    assert [e.exhibit.name for e in run.exam_exhibits("set-aside")] == ["set-aside"] * 2
    assert len(run.probe_exhibits("zero_shot")) == 2 * (2 * 6 + 1)  # of each model, six for each prompt set, and the neighbors


def test_a_folder_without_findings_is_refused(tmp_path):
    with pytest.raises(StoreError, match="it has no findings"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "protocol.json").unlink(), "protocol.json: there is no such file"),
        (lambda f: (f / "protocol.json").write_text("{"), "not valid JSON"),
        (lambda f: (f / "protocol.json").write_text("[]"), "is not a JSON object"),
        (lambda f: (f / "findings.parquet").write_bytes(b"PAR1"), "findings.parquet: cannot be read"),
        (lambda f: pq.write_table(pa.table({"model": ["m"]}), f / "findings.parquet"), "column 'dataset' is missing"),
        (lambda f: pq.write_table(pa.table({"x": [1]}), f / "exhibits/exam/odd.parquet"), "not an exhibit"),
    ],
)
def test_a_damaged_run_is_named_with_a_remedy(calm_run, tmp_path, damage, message):
    folder = tmp_path / "run"
    shutil.copytree(calm_run, folder)
    damage(folder)
    with pytest.raises(StoreError, match=message):
        read_run(folder)


def test_a_probe_that_was_only_skipped_is_not_among_the_answered(calm_run):
    assert "attention" in read_run(calm_run).skips["probe"].to_pylist()
    assert "attention" not in read_run(calm_run).probes


def test_a_run_without_exhibits_skips_and_protocol_entries_can_be_read(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    shutil.rmtree(folder / "exhibits")
    (folder / "skips.parquet").unlink()
    (folder / "protocol.json").write_text(json.dumps({"eyechart": "0.1.0"}))
    run = read_run(folder)
    assert run.models == ["ViT-B-32 · laion2b", "ViT-L-14 · openai"]
    assert run.question("zero_shot") == "zero shot"
