"""`eyechart docs`, and the pages that errors and skips point to."""

import argparse
import json

import pytest

from eyechart.cli.help_pages import help_page
from eyechart.cli.main import COMMANDS, main
from eyechart.docs import all_pages, find_page
from eyechart.errors import DataError, EyechartError, MissingExtra, ModelError, StoreError, UsageError
from eyechart.files.hashing import HashMemory
from eyechart.models import predictions


def test_all_pages_are_listed(capsys):
    assert main(["docs"]) == 0
    listed = capsys.readouterr().out
    assert all(page.name in listed for page in all_pages())
    assert main(["docs", "--json"]) == 0
    assert {page["topic"] for page in json.loads(capsys.readouterr().out)} == {page.name for page in all_pages()}


def test_a_page_is_printed_as_it_is_into_a_pipe(capsys):
    assert main(["docs", "ood"]) == 0
    assert capsys.readouterr().out == find_page("ood").text
    assert main(["docs", "ood", "--path"]) == 0
    assert capsys.readouterr().out.strip() == str(find_page("ood").path)


def test_a_page_is_written_as_html(capsys, tmp_path):
    assert main(["docs", "ood", "--html", str(tmp_path / "guide")]) == 0
    assert str(tmp_path / "guide" / "probes" / "ood.html") in capsys.readouterr().out
    assert "FPR95" in (tmp_path / "guide" / "probes" / "ood.html").read_text()
    assert main(["docs", "--html", str(tmp_path / "all"), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["files"]) == len(all_pages())


def test_an_unknown_page_ends_in_one_line(capsys):
    assert main(["docs", "oood"]) == 2
    assert capsys.readouterr().err == "eyechart: oood: no such page; did you mean 'ood'?; `eyechart docs` lists all\n"


@pytest.mark.parametrize("error", [DataError("x"), ModelError("x"), StoreError("x"), UsageError("x"), MissingExtra("x", "hf")])
@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"docs"}))
def test_every_error_of_a_command_names_a_page_that_exists(command, error):
    hint = help_page(argparse.Namespace(command=command), error)
    assert hint.startswith(" (see: eyechart docs ") and find_page(hint.split()[-1].rstrip(")"))


def test_the_page_fits_the_error(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["examine", "--model", "demo:", "--data", str(tmp_path / "none")]) == 3
    assert capsys.readouterr().err.endswith("(see: eyechart docs data)\n")
    assert main(["study", "place", "demo"]) == 2
    assert capsys.readouterr().err.endswith("(see: eyechart docs study)\n")
    for model in ("chat:127.0.0.1:8000#m", "chat:http://127.0.0.1:9/v1"):
        assert main(["examine", "--model", model, "--data", str(tmp_path)]) == 2
        assert capsys.readouterr().err.endswith("(see: eyechart docs answering-models)\n")


def test_a_skip_names_the_page_of_its_probe(capsys, drawn, shared_store, tmp_path):
    words = ["examine", "--model", "demo:", "--data", str(drawn), "--probes", "retrieval", "--store", str(shared_store)]
    assert main([*words, "--out", str(tmp_path / "out")]) == 7
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("skipped:")]
    assert line.endswith("(see: eyechart docs retrieval)")


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (None, ""),
        ("id,lab\na,b\n", ""),
        ("id,label\na,b\n", ",labl=label"),
        ("id,label\n", ""),
        ("id,label\na\n", ""),
        ("id,label\nb.png,b\n", ""),
    ],
    ids=["no file", "no such column", "unknown option", "no rows", "a field is missing", "a picture is missing"],
)
def test_an_error_in_a_file_of_predictions_leads_to_the_page_that_explains_the_file(content, options, tmp_path):
    path = tmp_path / "answers.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(EyechartError) as caught:
        predictions.open(f"{path}{options}", HashMemory(), "cpu", "float32", None).look_up_predictions(["a.png"])
    assert help_page(argparse.Namespace(command="examine"), caught.value) == " (see: eyechart docs models)"
    assert "predictions:answers.csv" in find_page("models").text
