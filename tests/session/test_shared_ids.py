"""One row of a file of predictions or vectors answers for one picture, not for its shifted version too."""

import shutil
from contextlib import closing

import numpy as np
import pytest
from PIL import Image

import eyechart
from eyechart.cli.main import main
from eyechart.errors import DataError
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.store.store import Store


@pytest.fixture
def noise(drawn, tmp_path):
    """Noise under the names of the examined pictures."""
    folder, rng = tmp_path / "noise", np.random.default_rng(0)
    for path in drawn.glob("*/*.png"):
        (folder / path.parent.name).mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (32, 32, 3), dtype=np.uint8)).save(folder / path.relative_to(drawn))
    return folder


def answers(tmp_path, *folders, prefix=""):
    rows = [f"{prefix}{path.name},{path.parent.name}" for folder in folders for path in sorted(folder.glob("*/*.png"))]
    (tmp_path / "answers.csv").write_text("\n".join(["id,label", *rows]) + "\n")
    return f"predictions:{tmp_path / 'answers.csv'}"


def test_answers_for_clean_pictures_are_not_used_for_shifted_ones(drawn, noise, tmp_path):
    with pytest.raises(DataError, match=r"one row would be the answer for .* of .* and for .* of noise, which are different"):
        eyechart.examine(model=answers(tmp_path, drawn), data=str(drawn), shifts=[str(noise)], out=tmp_path / "out")


def test_a_dry_run_says_it_too(drawn, noise, tmp_path, capsys):
    command = ["examine", "--model", answers(tmp_path, drawn), "--data", str(drawn), "--shift", str(noise), "--dry-run"]
    assert main([*command, "--out", str(tmp_path / "out")]) == 3
    assert "rows of their own" in capsys.readouterr().err


def test_another_model_is_examined_all_the_same(drawn, noise, tmp_path, shared_store):
    plan = Plan(
        models=(ModelPlan(answers(tmp_path, drawn)), ModelPlan("demo:")),
        datasets=(DataPlan(str(drawn)), DataPlan(str(noise), role="shift")),
        probes=("zero_shot",),
        prompts=("bare",),
    )
    with closing(Store(shared_store)) as store:
        exam = eyechart.run(plan, out=tmp_path / "out", store=store)
    assert set(exam.findings.column("model").to_pylist()) == {"demo"}
    assert any("different pictures" in skip["reason"] for skip in exam.skips.to_pylist())


def test_the_same_file_in_both_datasets_is_one_picture(drawn, tmp_path):
    exam = eyechart.examine(answers(tmp_path, drawn), drawn, shifts={"again": drawn}, out=tmp_path / "out")
    assert "again" in exam.findings.column("dataset").to_pylist()


def test_pictures_with_rows_of_their_own_are_compared(drawn, noise, tmp_path):
    for path in list(noise.glob("*/*.png")):
        path.rename(path.with_name(f"noise-{path.name}"))
    exam = eyechart.examine(model=answers(tmp_path, drawn, noise), data=str(drawn), shifts=[str(noise)], out=tmp_path / "out")
    assert "shift" in exam.findings.column("probe").to_pylist()


def test_two_examined_datasets_may_share_pictures(drawn, tmp_path):
    shutil.copytree(drawn, tmp_path / "part")
    plan = Plan(
        models=(ModelPlan(answers(tmp_path, drawn)),),
        datasets=(DataPlan(str(drawn)), DataPlan(str(tmp_path / "part"))),
        probes=("zero_shot",),
    )
    exam = eyechart.run(plan, out=tmp_path / "out")
    assert len(set(exam.findings.column("dataset").to_pylist())) == 2
