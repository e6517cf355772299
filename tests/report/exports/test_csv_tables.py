import csv
import io
import json

import pandas as pd
import pyarrow as pa
import pytest
from tests.report.sample_run import NASTY, write_sample_run

import eyechart
from eyechart.findings.run import read_run
from eyechart.report.exports.csv_tables import write_findings
from eyechart.report.exports.registry import export_run


def test_pandas_reads_the_findings_back(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=NASTY[:2], classes=NASTY, prompts=NASTY[2:3])
    run = read_run(folder)
    path, *_ = export_run(run, "csv", tmp_path / "out")
    found = pd.read_csv(path, keep_default_na=False, na_values=[""])
    expected = run.findings.to_pandas()
    assert list(found.columns) == list(expected.columns)
    for column in ("value", "low", "high", "n"):
        pd.testing.assert_series_equal(found[column], expected[column])  # every digit
    texts = ["model", "dataset", "metric", "slice"]
    with path.open(encoding="utf-8", newline="") as file:  # pandas changes line ends within cells
        rows = [[row[name] for name in texts] for row in csv.DictReader(file)]
    assert rows == expected[texts].to_numpy().tolist()
    assert {json.loads(row[3]).get("class") for row in rows} >= set(NASTY)


def test_predictions_are_those_of_the_run(photos, tmp_path, store):
    exam = eyechart.examine("demo:", photos, prompts="single", probes=("zero_shot",), out=tmp_path / "out", store=store)
    paths = export_run(read_run(tmp_path / "out"), "csv", tmp_path / "exports")
    assert [path.relative_to(tmp_path / "exports").as_posix() for path in paths] == ["csv/findings.csv", "csv/predictions.csv"]
    found, expected = pd.read_csv(paths[1]), exam.predictions.to_pandas()
    assert found["id"].tolist() == expected["id"].tolist() and found["label_1"].tolist() == expected["predicted"].tolist()
    assert found["probability_1"].to_numpy() == pytest.approx(expected["confidence"].to_numpy(), rel=1e-6)


def test_a_missing_value_is_an_empty_cell():
    out = io.StringIO()
    write_findings(out, pa.table({"value": pa.array([None, 0.1]), "interval": pa.array(["x, y", None])}))
    assert out.getvalue() == 'value,interval\n,"x, y"\n0.1,\n'
