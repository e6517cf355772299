"""A flipped bit in the protocol or the predictions of a run is noticed."""

import json
import shutil

import numpy as np
import pytest
from tests.findings.test_run_folder import UNIT, exhibit, findings

from eyechart.errors import StoreError
from eyechart.findings.predictions import Predictions
from eyechart.findings.run import read_run
from eyechart.findings.run_folder import RunFolder

PROTOCOL = {"eyechart": "1", "models": {}, "datasets": {}, "probes": {}, "targets": {"top1": 0.75}, "name": "Kätzchen"}


@pytest.fixture
def folder(tmp_path):
    made = RunFolder(tmp_path / "out")
    made.prepare()
    n = np.arange(4)
    given = Predictions(
        ids=[f"{i}.jpg" for i in n], clusters=n, labels=["cat", "dog"], titles=["cat", "dog"], truth=n % 2, top=n[:, None] % 2,
        probabilities=None, margin=np.full(4, np.nan), rank=np.zeros(4, int), ood_score=np.zeros(4, np.float32), prompts="single",
    )  # fmt: skip
    record = made.write(UNIT, findings(), predictions=[given], roles={"photos": "exam"})
    made.assemble([record], [], PROTOCOL)
    return made.path


def flip(path, bit):
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


def test_an_undamaged_run_is_read(folder):
    run = read_run(folder)
    assert run.targets == {"top1": 0.75}
    assert run.open_predictions().read().column("id").to_pylist() == ["0.jpg", "1.jpg", "2.jpg", "3.jpg"]


def test_a_changed_digit_of_the_protocol_is_refused(folder):
    path = folder / "protocol.json"
    path.write_text(path.read_text("utf-8").replace("0.75", "0.35"), "utf-8")
    with pytest.raises(StoreError, match=r"protocol\.json: it is damaged, or not from the same run"):
        read_run(folder)


def test_other_line_ends_of_the_protocol_are_no_damage(folder):
    path = folder / "protocol.json"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_run(folder).targets == {"top1": 0.75}


def test_bits_all_over_the_predictions_are_guarded(folder):
    path = folder / "predictions.parquet"
    whole = path.read_bytes()
    for bit in range(0, 8 * len(whole), 61):
        flip(path, bit)
        with pytest.raises(StoreError, match=r"predictions\.parquet"):
            read_run(folder).open_predictions()
        path.write_bytes(whole)


def test_predictions_of_another_run_are_refused(folder, tmp_path):
    """As after a kill between the two files."""
    other = RunFolder(tmp_path / "other")
    other.prepare()
    other.assemble([], [], PROTOCOL)
    (folder / "predictions.parquet").write_bytes((other.path / "predictions.parquet").read_bytes())
    with pytest.raises(StoreError, match="not from the same run"):
        _ = read_run(folder).predictions


def test_a_run_of_an_older_version_has_no_hashes_and_is_read(folder):
    import pyarrow.parquet as pq

    table = pq.read_table(folder / "findings.parquet")
    pq.write_table(table.replace_schema_metadata(None), folder / "findings.parquet")
    changed = json.loads((folder / "protocol.json").read_text("utf-8")) | {"targets": {"top1": 0.5}}
    (folder / "protocol.json").write_text(json.dumps(changed), "utf-8")
    assert read_run(folder).targets == {"top1": 0.5}


def test_a_missing_exhibit_is_named(tmp_path):
    made = RunFolder(tmp_path / "out")
    made.prepare()
    record = made.write(UNIT, findings(), [exhibit("chart")])
    made.assemble([record], [], PROTOCOL)
    assert len(read_run(made.path).exhibits) == 1
    (made.path / "exhibits" / record.exhibit_files[0]).unlink()
    with pytest.raises(StoreError, match=r"chart.*\.parquet: it is missing; examine again"):
        read_run(made.path)
    shutil.rmtree(made.path / "exhibits")  # a copy without exhibits, as docs/gate.md makes it
    assert read_run(made.path).exhibits == ()
