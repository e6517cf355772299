import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eyechart.errors import StoreError
from eyechart.study.facts import Facts
from eyechart.study.study_file import default_study_path, merge, read_study, write_study
from eyechart.study.table import SCHEMA, Value, to_table


def one(value=0.5, *, model="a", metric="imagenet", prompts=None, origin="timm"):
    return to_table([(Facts(model, None, "family"), Value(metric, value, prompts=prompts))], origin)


def test_what_is_written_is_read(tmp_path):
    table = merge(one(), one(model="ä", origin="findings", prompts="one"))
    write_study(table, tmp_path / "new" / "study.parquet")
    back = read_study(tmp_path / "new" / "study.parquet")
    assert back.to_pylist() == table.to_pylist() and back.schema.equals(SCHEMA)
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["study.parquet"]


def test_adding_again_renews_a_row():
    study = merge(merge(one(0.5), one(0.6, metric="imagenet-v2")), one(0.7))
    assert {row["metric"]: row["value"] for row in study.to_pylist()} == {"imagenet": 0.7, "imagenet-v2": 0.6}


@pytest.mark.parametrize("other", [{"origin": "testbed"}, {"prompts": "one"}, {"model": "b"}])
def test_rows_that_differ_in_whose_they_are_stand_beside_each_other(other):
    assert merge(one(), one(**other)).num_rows == 2


def test_a_missing_study_says_how_to_begin_one(tmp_path):
    with pytest.raises(StoreError, match="study add"):
        read_study(tmp_path / "study.parquet")
    assert read_study(tmp_path / "study.parquet", may_be_new=True).num_rows == 0


@pytest.mark.parametrize("content", [b"not parquet", None])
def test_another_file_is_not_taken_for_a_study(tmp_path, content):
    path = tmp_path / "study.parquet"
    if content is None:
        pq.write_table(pa.table({"a": [1]}), path)
    else:
        path.write_bytes(content)
    with pytest.raises(StoreError, match="is not a study"):
        read_study(path)


def test_a_writing_that_fails_leaves_the_study_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "study.parquet"
    write_study(one(0.5), path)

    def break_off(table, place, **_):
        place.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", break_off)
    with pytest.raises(StoreError, match="No space left"):
        write_study(one(0.6), path)
    assert read_study(path)["value"].to_pylist() == [0.5]
    assert [p.name for p in tmp_path.iterdir()] == ["study.parquet"]


def test_the_place_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("EYECHART_STUDY", str(tmp_path / "mine.parquet"))
    assert default_study_path() == tmp_path / "mine.parquet"
    monkeypatch.delenv("EYECHART_STUDY")
    assert default_study_path().name == "study.parquet" and "eyechart" in default_study_path().parts


def test_a_study_without_titles_of_an_older_version_can_be_read(tmp_path):
    table = to_table([], "testbed").drop_columns(["title"])
    pq.write_table(table, tmp_path / "old.parquet")
    assert read_study(tmp_path / "old.parquet").schema.names == SCHEMA.names


def test_processes_that_add_at_once_lose_nothing(tmp_path):
    """Four processes begin together, and each adds ten tables one by one."""
    path, begin = tmp_path / "study.parquet", tmp_path / "begin"
    program = f"""
import sys, time
from pathlib import Path
from eyechart.study.facts import Facts
from eyechart.study.study_file import add_to_study
from eyechart.study.table import Value, to_table
Path({str(tmp_path)!r}, "ready" + sys.argv[1]).touch()
while not Path({str(begin)!r}).exists():
    time.sleep(0.001)
for number in range(10):
    facts = Facts(f"model-{{sys.argv[1]}}-{{number}}", None, "family")
    add_to_study(Path({str(path)!r}), [to_table([(facts, Value("imagenet", 0.5))], "mine")])
"""
    running = [subprocess.Popen([sys.executable, "-c", program, str(number)]) for number in range(4)]
    while len(list(tmp_path.glob("ready*"))) < 4:
        assert all(process.poll() is None for process in running)
        time.sleep(0.01)
    begin.touch()
    assert [process.wait(60) for process in running] == [0, 0, 0, 0]
    expected = {f"model-{process}-{number}" for process in range(4) for number in range(10)}
    assert set(read_study(path)["model"].to_pylist()) == expected
