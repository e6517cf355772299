from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.found import table_of

from eyechart.errors import UsageError
from eyechart.findings.exhibit import Exhibit, slug
from eyechart.findings.finding import SCHEMA, Finding, empty_table
from eyechart.findings.run_folder import RunFolder, Unit
from eyechart.findings.skip import Skip
from eyechart.notice import Notice

UNIT = Unit("model", "photos", "zero_shot", "a" * 32)


def findings(value=0.5):
    rows = [Finding(metric="top1", value=value, n=10, low=0.2, high=0.8, slice={"prompts": "single"}, interval="Wilson, 95%")]
    return table_of(rows, model="model", dataset="photos", probe="zero_shot", protocol="p", version=1)


@pytest.fixture
def folder(tmp_path):
    made = RunFolder(tmp_path / "out")
    made.prepare()
    return made


def exhibit(name="weakest"):
    return Exhibit(name, "Title", "Sentence.", pa.table({"class": ["a"], "accuracy": [0.5]}), chart={"mark": "bar"})


def test_findings_have_the_one_schema():
    table = findings()
    assert table.schema.equals(SCHEMA)
    assert table.column("slice").to_pylist() == ['{"prompts": "single"}']


def test_a_unit_comes_back_as_it_was_written(folder):
    notice = Notice("photos", "odd", "mend it")
    folder.write(UNIT, findings(), [exhibit()], [notice])
    record = folder.record(UNIT)
    assert record.findings.to_pylist() == findings().to_pylist()
    assert record.notices == (notice,)
    (placed,) = folder.exhibits_of([record])
    assert (placed.model, placed.exhibit.sentence, placed.exhibit.chart) == ("model", "Sentence.", {"mark": "bar"})


def test_an_unknown_unit_is_not_done(folder):
    assert folder.record(UNIT) is None


def test_a_damaged_record_counts_as_not_done(folder):
    folder.write(UNIT, findings())
    (path,) = (folder.path / "journal").iterdir()
    path.write_bytes(path.read_bytes()[:100])
    assert folder.record(UNIT) is None


def test_no_flipped_bit_of_a_record_gives_other_findings(folder):
    folder.write(UNIT, findings(), [exhibit()])
    (path,) = (folder.path / "journal").iterdir()
    whole = path.read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 150)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x04]) + whole[at + 1 :])
        assert RunFolder(folder.path).record(UNIT) is None
    path.write_bytes(whole)
    assert RunFolder(folder.path).record(UNIT).findings.to_pylist() == findings().to_pylist()


def test_a_damaged_record_is_replaced(folder):
    folder.write(UNIT, findings())
    (path,) = (folder.path / "journal").iterdir()
    path.write_bytes(b"")
    again = RunFolder(folder.path)
    again.write(UNIT, findings(0.7))
    assert len(list((folder.path / "journal").iterdir())) == 1
    assert RunFolder(folder.path).record(UNIT).findings["value"].to_pylist() == [0.7]


def test_a_unit_whose_exhibit_is_gone_is_not_done(folder):
    folder.write(UNIT, findings(), [exhibit()])
    next((folder.path / "exhibits").rglob("*.parquet")).unlink()
    assert folder.record(UNIT) is None


def test_a_damaged_exhibit_counts_as_not_done(folder):
    folder.write(UNIT, findings(), [exhibit()])
    path = next((folder.path / "exhibits").rglob("*.parquet"))
    path.write_bytes(b"PAR1 and no more")
    assert folder.record(UNIT) is None


def test_assembling_takes_exactly_the_units_of_the_plan(folder):
    other = Unit("other", "photos", "zero_shot", "b" * 32)
    first, second = folder.write(UNIT, findings(), [exhibit()]), folder.write(other, findings(0.7), [exhibit()])
    folder.assemble([first, second], [], {})
    assert pq.read_table(folder.path / "findings.parquet").num_rows == 2
    folder.assemble([second], [Skip("model", "photos", "ood", "it has no text encoder")], {"a": 1})
    assert pq.read_table(folder.path / "findings.parquet").column("value").to_pylist() == [0.7]
    assert pq.read_table(folder.path / "skips.parquet").column("reason").to_pylist() == ["it has no text encoder"]
    assert len(list((folder.path / "exhibits").rglob("*.parquet"))) == 1


def test_a_skipped_unit_becomes_a_row_of_the_skips(folder):
    record = folder.write(UNIT, findings().slice(0, 0), skipped="no label")
    folder.assemble([record], [], {})
    assert pq.read_table(folder.path / "skips.parquet").to_pylist() == [
        {"model": "model", "dataset": "photos", "probe": "zero_shot", "reason": "no label"}
    ]


def test_names_that_shorten_to_the_same_slug_do_not_collide(folder):
    one, two = Unit("a/b", "d", "p", "1" * 32), Unit("a:b", "d", "p", "2" * 32)
    folder.assemble([folder.write(one, findings(), [exhibit()]), folder.write(two, findings(), [exhibit()])], [], {})
    assert len(list((folder.path / "exhibits").rglob("*.parquet"))) == 2


@pytest.mark.parametrize("name", ["../../etc/passwd", "/abs", "..", "", "a\x00b", "con:1", "x" * 500, "日本"])
def test_a_slug_is_never_a_path(name):
    made = slug(name)
    assert made
    assert len(made) <= 80
    assert "/" not in made
    assert not made.startswith(".")


def test_a_folder_with_other_files_is_never_written_to(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="contains files that are not an examination"):
        RunFolder(tmp_path).prepare()
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_is_not_a_folder(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        RunFolder(tmp_path / "out").prepare()


def test_names_of_any_length_fit_into_a_file_name(tmp_path):
    folder = RunFolder(tmp_path / "out")
    folder.prepare()
    shown = Exhibit("chart-" + "p" * 300, "t", "s", pa.table({"a": [1]}))
    record = folder.write(Unit("m" * 300, "d" * 300, "zero_shot", "k" * 64), empty_table(), [shown])
    assert [len(Path(name).name.encode()) < 255 for name in record.exhibit_files] == [True]
