"""Your own study comes before the shipped tables."""

import pytest

from eyechart.errors import StoreError
from eyechart.study.facts import Facts
from eyechart.study.open_study import open_study
from eyechart.study.study_file import write_study
from eyechart.study.table import Value, to_table

NAME = "open_clip:ViT-B-32/laion2b_s34b_b79k"


@pytest.fixture(autouse=True)
def own(tmp_path, monkeypatch):
    """Where your own study would be."""
    monkeypatch.setenv("EYECHART_STUDY", str(tmp_path / "mine.parquet"))
    return tmp_path / "mine.parquet"


def rows(origin, value=0.5):
    return to_table([(Facts(NAME, None, "family"), Value("imagenet", value))], origin)


def values(study):
    return {(r["origin"], r["value"]) for r in study.table.to_pylist() if (r["model"], r["metric"]) == (NAME, "imagenet")}


def test_without_a_study_the_shipped_tables_are_used():
    study = open_study()
    assert [table.origin for table in study.used] == ["model_soups", "open_clip", "robustbench", "testbed", "timm"]
    assert all(table.shipped for table in study.used) and values(study) == {("open_clip", 0.6656)}


def test_a_table_of_yours_replaces_the_shipped_one_and_no_other(own):
    write_study(rows("open_clip"), own)
    study = open_study()
    assert values(study) == {("open_clip", 0.5)}
    by_name = {table.origin: table for table in study.used}
    assert by_name["open_clip"].shipped is None and by_name["open_clip"].models == 1
    assert by_name["timm"].shipped is not None and by_name["timm"].models == 1267


def test_findings_of_yours_are_added_to_the_shipped_tables(own):
    write_study(rows("findings"), own)
    assert values(open_study()) == {("open_clip", 0.6656), ("findings", 0.5)}


def test_a_study_that_is_named_is_used_alone(tmp_path, own):
    write_study(rows("timm"), tmp_path / "other.parquet")
    study = open_study(tmp_path / "other.parquet")
    assert [table.origin for table in study.used] == ["timm"] and study.table.num_rows == 1
    with pytest.raises(StoreError, match="no such study"):
        open_study(tmp_path / "absent.parquet")
