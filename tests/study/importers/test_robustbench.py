import csv

import pytest

from eyechart.errors import DataError
from eyechart.study.importers.robustbench import read_robustbench
from eyechart.study.importers.text_files import TextFile

HEAD = ["", *["fog_3d"] * 5, *["flash"] * 5]
LEVELS = ["", *"12345", *"12345"]


def table(*rows):
    lines = [HEAD, LEVELS, *rows]
    return TextFile("unaggregated_results_3d.csv", "here", "\n".join(",".join(map(str, line)) for line in lines) + "\n")


def test_accuracy_by_corruption_and_severity_and_its_mean():
    found = read_robustbench([table(["Standard_R50", *(i / 10 for i in range(10))])]).table.to_pylist()
    by_name = {row["metric"]: row for row in found}
    assert by_name["imagenet-3dcc.fog_3d.2"]["value"] == 0.1 and by_name["imagenet-3dcc.flash.5"]["value"] == 0.9
    assert by_name["imagenet-3dcc"]["value"] == pytest.approx(0.45)
    assert (found[0]["model"], found[0]["group"], found[0]["n"]) == ("robustbench:Standard_R50", "standard", 5000)


def test_a_broken_row_is_reported():
    good = ["Standard_R50", *[0.5] * 10]
    found = read_robustbench([table(good, ["Broken", *[0.5] * 9, 1.5], ["Short", 0.5], good)])
    assert {row["model"] for row in found.table.to_pylist()} == {"robustbench:Standard_R50"}
    assert "3 rows excluded" in str(found.notices[0])


@pytest.mark.parametrize("text", ["", "model,val\na,1\n", "<html>"])
def test_another_table_is_not_taken_for_it(text):
    with pytest.raises(DataError, match="unaggregated_results_3d"):
        read_robustbench([TextFile("x.csv", "x.csv", text)])


@pytest.mark.refdata
def test_the_published_table(refdata):
    path = refdata / "robustbench" / "unaggregated_results_3d.csv"
    found = read_robustbench([TextFile(path.name, str(path), path.read_text())])
    assert found.notices == () and len(found.table["model"].unique()) == 12
    with path.open(newline="") as file:
        corruptions, severities, *rows = csv.reader(file)
    held = {(row["model"], row["metric"]): row["value"] for row in found.table.to_pylist()}
    for name, *cells in rows:
        for corruption, severity, cell in zip(corruptions[1:], severities[1:], cells, strict=True):
            assert held[f"robustbench:{name}", f"imagenet-3dcc.{corruption}.{severity}"] == float(cell)
