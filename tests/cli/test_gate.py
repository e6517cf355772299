"""The gate as continuous integration runs it: exit codes, JUnit XML, the step summary, and the workflow of docs/gate.md."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from tests.comparison.runs import predictions, write_run

from eyechart.cli.main import main
from eyechart.findings.finding import Finding

ROOT = Path(__file__).resolve().parents[2]
TRUTH = np.arange(400) % 4
OTHER = np.where(np.arange(400) % 5 == 0, (TRUTH + 1) % 4, TRUTH)


def run_with(folder, answers):
    value = float((answers == TRUTH).mean())
    top1 = Finding(metric="top1", value=value, low=value - 0.04, high=min(1.0, value + 0.04), n=400, slice={"prompts": "single"})
    return str(write_run(folder, {"m": [predictions(TRUTH, answers)]}, findings={"m": [top1]}))


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return run_with(tmp_path / "base", TRUTH), run_with(tmp_path / "new", OTHER)


def test_exit_codes(runs, capsys):
    base, new = runs
    assert main(["gate", new, "--fail-if", "top1 < 0.5"]) == 0
    assert "gate passed" in capsys.readouterr().out
    assert main(["gate", new, "--fail-if", "top1 < 0.5", "--fail-if", "top1 < 0.9"]) == 8
    assert main(["gate", new, "--baseline", base, "--fail-if", "top1 drops 5 points"]) == 8
    assert main(["gate", new, "--fail-if", "top1 < 0.8"]) == 8, "inconclusive"
    assert main(["gate", new, "--fail-if", "top1 < 0.8", "--on-inconclusive", "pass"]) == 0
    assert "1 inconclusive, which counts as pass" in capsys.readouterr().out
    assert main(["gate", new]) == 2
    assert main(["gate", new, "--fail-if", "tp1 < 0.8"]) == 2
    assert "did you mean 'top1'" in capsys.readouterr().err


def test_json_is_one_document(runs, capsys):
    assert main(["gate", runs[1], "--fail-if", "top1 < 0.9", "--json"]) == 8
    printed = json.loads(capsys.readouterr().out)
    assert (printed["failed"], printed["decisions"][0]["outcome"]) == (True, "fails")


def test_a_file_holds_conditions_and_the_baseline(runs, tmp_path, capsys):
    config = tmp_path / "plan.toml"
    config.write_text('models = ["demo:"]\n[gate]\nbaseline = "base"\nfail_if = ["top1 drops 5 points"]\n')
    assert main(["gate", runs[1], "--config", str(config)]) == 8
    config.write_text('[gate]\nfail_if = ["top1 < 0.8"]\non_inconclusive = "pass"\n')
    assert main(["gate", runs[1], "--config", str(config)]) == 0
    assert main(["gate", runs[1], "--config", str(config), "--on-inconclusive", "fail"]) == 8
    config.write_text('[gate]\nfail_when = ["top1 < 0.8"]\n')
    assert main(["gate", runs[1], "--config", str(config)]) == 2
    assert "gate.fail_when is not a known key; did you mean 'fail_if'" in capsys.readouterr().err
    config.write_text("models = []\n")
    assert main(["gate", runs[1], "--config", str(config)]) == 2


CONDITIONS = ["top1 < 0.9", "top1 < 0.5", "top1 < 0.8"]  # fails, passes, inconclusive


@pytest.mark.parametrize(("policy", "failures", "skipped"), [("fail", 2, 0), ("pass", 1, 1)])
def test_a_junit_reader_finds_one_case_per_condition(runs, tmp_path, policy, failures, skipped):
    junitparser = pytest.importorskip("junitparser")
    file = tmp_path / "gate.xml"
    flags = [word for text in CONDITIONS for word in ("--fail-if", text)]
    assert main(["gate", runs[1], *flags, "--junit", str(file), "--on-inconclusive", policy]) == 8
    read = junitparser.JUnitXml.fromfile(str(file))
    (suite,) = read
    cases = list(suite)
    assert [case.name for case in cases] == [f"not {text}" for text in CONDITIONS]
    assert (suite.tests, suite.failures, suite.skipped) == (3, failures, skipped)
    failed = [case for case in cases if case.is_failure]
    assert (len(failed), len([case for case in cases if case.is_skipped])) == (failures, skipped)
    assert "80.0% (76.0 to 84.0%)" in failed[0].result[0].message


def test_names_with_markup_are_escaped(tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    name = '<b>|a&"\x1b[31m'
    found = [Finding(metric="top1", value=0.9, low=0.8, high=1.0, n=9)]
    folder = write_run(tmp_path / "run", {name: []}, findings={name: found})
    xml, summary = tmp_path / "gate.xml", tmp_path / "gate.md"
    assert main(["gate", str(folder), "--fail-if", "top1 < 0.95", "--junit", str(xml), "--summary", str(summary)]) == 8
    ElementTree.parse(xml)
    text = summary.read_text()
    assert "\\<b\\>\\|a&" in text
    assert "\x1b" not in text


def test_the_summary_is_appended_for_github(runs, tmp_path, monkeypatch):
    step = tmp_path / "step.md"
    step.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(step))
    assert main(["gate", runs[1], "--fail-if", "top1 < 0.9"]) == 8
    text = step.read_text()
    assert text.startswith("before\n## Gate failed")
    assert "| top1 \\< 0.9 | ❌ fails | m | photos | 80.0% (76.0 to 84.0%) | 400 |" in text
    assert main(["gate", runs[1], "--fail-if", "top1 < 0.9", "--summary", str(tmp_path / "own.md")]) == 8
    assert step.read_text() == text


def test_a_named_pipe_for_github_is_refused(runs, tmp_path, monkeypatch, capsys):
    os.mkfifo(tmp_path / "step.md")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    assert main(["gate", runs[1], "--fail-if", "top1 < 0.5"]) == 6
    assert "step.md: it is a named pipe" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--junit", "--summary"])
def test_a_file_that_cannot_be_written_is_named(runs, tmp_path, capsys, flag):
    (tmp_path / "file").write_text("")
    assert main(["gate", runs[1], "--fail-if", "top1 < 0.5", flag, str(tmp_path / "file" / "gate.xml")]) == 6
    assert "gate.xml cannot be written" in capsys.readouterr().err


def block(kind):
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```", page, re.M | re.S)


@pytest.mark.slow
def test_the_workflow_of_the_docs_runs_in_a_git_repository(tmp_path):
    """The first run becomes the baseline; an equal model passes, and a much worse one fails with exit code 8."""
    (workflow,) = [yaml.safe_load(text) for text in block("yaml")]
    steps = {step["name"]: step["run"] for step in workflow["jobs"]["gate"]["steps"] if "name" in step and "run" in step}
    assert list(steps) == ["Examine", "Gate"]
    (toml,), (accept,) = block("toml"), block("sh")
    repository = tmp_path / "repository"
    repository.mkdir()
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "eyechart").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m eyechart "$@"\n')
    (programs / "eyechart").chmod(0o755)
    summary = tmp_path / "summary.md"
    env = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "EYECHART_STORE": str(tmp_path / "store"),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c",
        "DATA": "world-objects",
        "MODEL": "demo:",
    }  # fmt: skip

    def shell(script, **changes):
        done = subprocess.run(
            ["bash", "-e", "-c", script], cwd=repository, env={**env, **changes}, capture_output=True, text=True, timeout=400
        )
        return done.returncode, done.stdout + done.stderr

    short = {"DATA": "world-objects --limit 90"}
    examine = steps["Examine"].replace('"$DATA"', "$DATA").replace("--out", "--prompts bare --out")
    assert shell("git init -q . && git commit -q --allow-empty -m start") == (0, "")
    (repository / "gate.toml").write_text(toml)
    assert shell(examine, **short)[0] == 0
    assert shell(accept)[0] == 0
    assert "exams/baseline/predictions.parquet" in shell("git ls-files")[1]
    assert shell("rm -rf exams/new")[0] == 0
    assert shell(examine, **short)[0] == 0
    code, out = shell(steps["Gate"])
    assert (code, "gate passed" in out) == (0, True), out
    assert ElementTree.parse(repository / "gate.xml").getroot().find("testsuite").get("failures") == "0"
    assert shell(examine, **short | {"MODEL": "zoo:random-order-0"})[0] == 0
    code, out = shell(steps["Gate"])
    assert code == 8, out
    assert summary.read_text().count("## Gate") == 2
