import pytest

from eyechart.errors import DataError
from eyechart.study.sources import open_tables


def test_a_folder_gives_the_tables_in_it(tmp_path):
    for name in ("b.csv", "a.csv", "c.jsonl", "d_ensemble_results.json", "notes.md"):
        (tmp_path / name).write_text("\ufeffmodel\n", encoding="utf-8")
    assert [(file.name, file.text) for file in open_tables([str(tmp_path)])] == [
        ("a.csv", "model\n"), ("b.csv", "model\n"), ("c.jsonl", "model\n"),
        ("d_ensemble_results.json", "model\n"),
    ]  # fmt: skip


def test_a_missing_path_is_named_with_its_nearest(tmp_path):
    (tmp_path / "results.csv").write_text("model\n")
    with pytest.raises(DataError, match=r"reslts\.csv.*did you mean 'results\.csv'"):
        open_tables([str(tmp_path / "reslts.csv")])
