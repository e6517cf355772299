import json
import re

import pyarrow.parquet as pq
import pytest
from tests.report.sample_run import CALM, NASTY, write_sample_run

from eyechart.findings import skip
from eyechart.findings.run import read_run
from eyechart.report.exports.markdown import escaped, markdown_summary


def test_the_summary_has_a_table_for_each_model(calm_run):
    text = markdown_summary(read_run(calm_run))
    assert text.startswith("# Eye examination of ViT-B-32 · laion2b, ViT-L-14 · openai on garden visitors\n")
    assert text.count("| metric | slice | value | 95% interval | n |") == 2
    assert re.search(r"^\| top-1 accuracy \| prompts: openai-80 \| \d\d\.\d% \| \d\d\.\d to \d\d\.\d% \| 600 \|$", text, re.M)
    assert "- attention of ViT-B-32 · laion2b on garden visitors: " in text
    assert "`9f2c1ab07e44d0c1`" in text


def test_what_was_left_out_and_odd_is_told_in_a_section(tmp_path):
    folder = write_sample_run(tmp_path / "run")
    lost = [skip.Skip("lost", "garden visitors", probe, "there is no folder lost") for probe in ("zero_shot", "attention")]
    pq.write_table(skip.to_table(lost), folder / "skips.parquet")
    told = markdown_summary(read_run(folder)).split("## Exclusions and notices\n\n")[1].split("\n\n")[0]
    assert told.splitlines() == [
        "- lost could not be examined: there is no folder lost",
        "- garden visitors: 1 picture set aside",
        "- garden visitors: 2 classes have the same prompts (give them distinct names)",
    ]


def test_a_command_is_given_only_where_one_helps(tmp_path):
    """A model behind a chat server has no class scores, so other data would not help."""
    folder = write_sample_run(tmp_path / "run", models=("one",))
    protocol = json.loads((folder / "protocol.json").read_text())
    protocol["models"]["one"]["card"] = {**(protocol["models"]["one"].get("card") or {}), "backend": "chat"}
    (folder / "protocol.json").write_text(json.dumps(protocol))
    lines = [line for line in markdown_summary(read_run(folder)).splitlines() if "Not tested: " in line]
    untestable = [line for line in lines if "log-likelihoods of answers" in line]
    assert untestable and all(line.endswith("it gives no log-likelihoods of answers.") for line in untestable)
    assert any("Test it: eyechart examine" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a | b", r"a \| b"),
        ("<script>", r"\<script\>"),
        ("[x](y)", r"\[x\](y)"),
        ("two\nlines\u2028three", "two lines three"),
        ("*bold* _it_ `code`", r"\*bold\* \_it\_ \`code\`"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("https://example.org @you #1", r"https\://example.org \@you \#1"),
        ("&lt;", r"\&lt;"),
        ("tabby cat", "tabby cat"),
        ("gpj.\u202etac", "gpj.\ufffdtac"),
    ],
)
def test_users_text_shows_and_does_nothing(text, shown):
    assert escaped(text) == shown


@pytest.mark.parametrize("name", [*NASTY, *CALM])
def test_no_name_breaks_a_line_of_a_table(name):
    assert "\n" not in escaped(name) and not re.search(r"(?<!\\)[|<>`]", escaped(name))


def test_every_table_row_of_a_nasty_run_has_five_cells(nasty_run):
    rows = [line for line in markdown_summary(read_run(nasty_run)).splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}
