"""A finished plan is recognized by what its results depend on, and by the results themselves; any change of either is noticed."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.witness import Witness

from eyechart import finished_run
from eyechart.errors import StoreError
from eyechart.exam import run
from eyechart.findings.run_folder import RunFolder
from eyechart.findings.run_lock import only_writer
from eyechart.finished_run import RECEIPT
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.store.store import Store

RESULTS = ("findings.parquet", "skips.parquet", "predictions.parquet", "protocol.json")


@pytest.fixture
def plan(photos, tmp_path):
    (tmp_path / "mine.txt").write_text("a picture of a {}\n")
    return Plan(
        (ModelPlan("demo:"),),
        (DataPlan(str(photos)),),
        probes=("zero_shot", "calibration"),
        prompts=(str(tmp_path / "mine.txt"),),
        corruptions=(),
        default_ood=False,
    )


@pytest.fixture
def examined(plan, tmp_path):
    """Runs the plan, or another one, into the same folder."""

    def examine(other=None, *, out="out", progress=None):
        return run(other or plan, out=tmp_path / out, store=tmp_path / "store", progress=progress)

    return examine


@pytest.fixture
def is_finished(plan, tmp_path):
    """Whether the plan, or another one, is recognized as finished."""

    def finished(other=None):
        return finished_run.finished_run(other or plan, tmp_path / "out", tmp_path / "store", Witness())

    return finished


def contents(folder, *, but=()):
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in but)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def flip(path):
    """Another byte in the middle of a file of the same size and times."""
    before, data = path.stat(), bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_finished_plan_says_the_same_and_writes_nothing(examined, is_finished, tmp_path):
    first, again = Witness(), Witness()
    found = examined(progress=first)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.parquet")}
    assert is_finished()
    known = examined(progress=again)
    assert known.findings.equals(found.findings) and known.skips.equals(found.skips)
    assert (known.fresh, known.failures, again.done) == (0, {}, [])
    assert again.lines == first.lines[: len(again.lines)] and again.lines
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.parquet")} == before


def test_a_finished_plan_loads_no_probes(examined, photos, tmp_path):
    examined()
    code = (
        "import sys; from eyechart.exam import run; from eyechart.plan import DataPlan, ModelPlan, Plan;"
        f"plan = Plan((ModelPlan('demo:'),), (DataPlan({str(photos)!r}),), probes=('zero_shot', 'calibration'),"
        f" prompts=({str(tmp_path / 'mine.txt')!r},), corruptions=(), default_ood=False);"
        f"print(run(plan, out={str(tmp_path / 'out')!r}, store={str(tmp_path / 'store')!r}).findings.num_rows > 0);"
        "print([m for m in sys.modules if m.startswith(('eyechart.probes.', 'eyechart.exam_work', 'scipy', 'onnxruntime'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path.cwd())
    assert done.stdout.split("\n")[:2] == ["True", "[]"]


def change_picture(photos, tmp_path):
    """In place, with the same size and times, as tools that copy or unpack files leave them."""
    flip(sorted((photos / "star").iterdir())[0])


def add_picture(photos, tmp_path):
    shutil.copy(sorted((photos / "star").iterdir())[0], photos / "star" / "new.png")


def remove_picture(photos, tmp_path):
    sorted((photos / "star").iterdir())[0].unlink()


def move_picture(photos, tmp_path):
    picture = sorted((photos / "star").iterdir())[0]
    picture.rename(photos / "cone" / picture.name)


def rename_class(photos, tmp_path):
    (photos / "star").rename(photos / "planet")


def change_prompts(photos, tmp_path):
    (tmp_path / "mine.txt").write_text("a drawing of a {}\n")


CHANGES = [change_picture, add_picture, remove_picture, move_picture, rename_class, change_prompts]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_data_is_noticed(examined, is_finished, photos, tmp_path, change):
    examined()
    change(photos, tmp_path)
    assert not is_finished()
    assert examined().findings.equals(examined(out="new").findings)
    assert is_finished()


def test_another_plan_is_not_finished(examined, is_finished, plan):
    examined()
    others = [
        replace(plan, targets={"top1": 0.5}),
        replace(plan, seed=1),
        replace(plan, exif="ignore"),
        replace(plan, settings={"calibration": {"bins": 7}}),
        replace(plan, probes=("zero_shot",)),
        replace(plan, datasets=(replace(plan.datasets[0], name="mine"),)),
    ]
    assert [is_finished(other) for other in others] == [False] * len(others)
    assert is_finished()


HARMS = {
    "findings": "findings.parquet",
    "skips": "skips.parquet",
    "predictions": "predictions.parquet",
    "protocol": "protocol.json",
    "exhibit": "exhibits/*/*.parquet",
    "record": "journal/*.parquet",
    "part": "journal/*.predictions",
    "stamp": "report/.page.json",
    "receipt": RECEIPT,
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
@pytest.mark.parametrize("how", ["flipped", "removed"])
def test_damaged_results_are_noticed_and_written_again(examined, is_finished, tmp_path, harm, how):
    examined()
    # Names of records have a hash of their content, and the times in Parquet metadata do not vary.
    whole = contents(tmp_path / "out", but=(RECEIPT,))
    path = sorted((tmp_path / "out").glob(harm))[0]
    flip(path) if how == "flipped" else path.unlink()
    assert not is_finished()
    examined()
    healed = contents(tmp_path / "out", but=(RECEIPT,))
    assert healed.keys() == whole.keys()
    assert {name: healed[name] == whole[name] for name in RESULTS} == dict.fromkeys(RESULTS, True)
    assert is_finished()


@pytest.mark.parametrize("file", [RECEIPT, "report/.page.json"])
@pytest.mark.parametrize("how", ["a named pipe", "nested too deeply"])
def test_a_receipt_that_cannot_be_read_is_no_receipt(examined, is_finished, tmp_path, file, how):
    """A named pipe that is opened waits for ever."""
    examined()
    path = tmp_path / "out" / file
    path.unlink()
    os.mkfifo(path) if how == "a named pipe" else path.write_text("[" * 100_000)
    assert not is_finished()
    examined()
    assert is_finished()


def test_results_of_another_plan_in_the_folder_are_noticed(examined, is_finished, plan, tmp_path):
    """As after a crash between the results of a second plan and its receipt: its records are all in the journal already."""
    examined()
    receipt = (tmp_path / "out" / RECEIPT).read_bytes()
    examined(replace(plan, probes=("zero_shot",)))
    (tmp_path / "out" / RECEIPT).write_bytes(receipt)
    assert not is_finished()


def test_an_added_exhibit_is_noticed(examined, is_finished, tmp_path):
    examined()
    first = sorted((tmp_path / "out" / "exhibits").glob("*/*.parquet"))[0]
    shutil.copy(first, first.with_name("99-mine.parquet"))
    assert not is_finished()


def test_other_vectors_in_the_store_are_noticed(examined, is_finished, tmp_path):
    """Where stored vectors were damaged and computed again, what was found with them is found again too."""
    examined()
    for epoch in [tmp_path / "store" / "generations" / path.name for path in (tmp_path / "store" / "models").iterdir()]:
        epoch.parent.mkdir(exist_ok=True)
        epoch.write_text("+")
    assert not is_finished()


def test_another_program_is_noticed(examined, is_finished, monkeypatch):
    examined()
    monkeypatch.setattr(finished_run, "__version__", "0.0.0")
    assert not is_finished()


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"plan": 1, "inputs": 2, "results": 3, "lines": 4}'])
def test_a_receipt_that_is_no_receipt_counts_for_nothing(examined, is_finished, tmp_path, content):
    examined()
    (tmp_path / "out" / RECEIPT).write_text(content)
    assert not is_finished()


def test_what_failed_is_tried_again(examined, plan, tmp_path):
    broken = replace(plan, models=(*plan.models, ModelPlan(f"onnx:{tmp_path / 'nothing'}")))
    assert examined(broken).failures
    assert not (tmp_path / "out" / RECEIPT).exists()
    assert examined(broken).failures


class Interfering(Witness):
    """Moves a picture away when pictures are being encoded: it was hashed, and cannot be read any more."""

    def __init__(self, picture):
        super().__init__()
        self.picture = picture

    def task(self, title, total, unit):
        if unit == "pictures" and title.endswith("encoding"):
            self.picture.rename(self.picture.with_suffix(".away"))
        return super().task(title, total, unit)


def test_a_picture_that_could_not_be_read_is_tried_again(examined, photos, tmp_path):
    picture = sorted((photos / "star").iterdir())[0]
    assert [lost["id"] for lost in examined(progress=Interfering(picture)).set_aside] == [f"star/{picture.name}"]
    assert not (tmp_path / "out" / RECEIPT).exists()
    picture.with_suffix(".away").rename(picture)
    assert not examined().set_aside
    assert (tmp_path / "out" / RECEIPT).exists()


def test_two_examinations_in_one_folder_are_refused(examined, tmp_path):
    examined()
    with only_writer(RunFolder(tmp_path / "out")), pytest.raises(StoreError, match="another examination"):
        examined()


def test_a_missing_model_or_dataset_is_named(examined, photos):
    examined()
    shutil.rmtree(photos)
    with pytest.raises(Exception, match="photos: there is no such file"):
        examined()


def test_rehash_reads_every_picture_again(examined, plan, tmp_path):
    examined()
    again = Witness()
    store = Store(tmp_path / "store", rehash=True)
    run(plan, out=tmp_path / "out", store=store, progress=again)
    store.close()
    assert [what for what in again.done if what[0] == "reading"] == [("reading", 15, "pictures")]


def test_the_receipt_holds_no_paths_of_the_user(examined, tmp_path):
    examined()
    receipt = (tmp_path / "out" / RECEIPT).read_text()
    assert str(tmp_path) not in receipt and set(json.loads(receipt)) == {"plan", "inputs", "results", "lines"}


def test_a_changed_class_design_is_noticed(examined, is_finished, plan, tmp_path):
    """A setting has the path of the file; what counts is its content."""
    design = tmp_path / "design.toml"
    design.write_text(design_text("person"))
    people = replace(plan, probes=("class_groups",), settings={"class_groups": {"design": str(design)}})
    examined(people)
    assert is_finished(people)
    design.write_text(design_text("people"))
    assert not is_finished(people)


def design_text(name):
    return f'about = "two kinds"\nsource = "a test"\nharmful = ["thing"]\n[groups]\nhuman = ["{name}"]\nthing = ["chair"]\n'


def test_a_plan_whose_settings_name_another_model_has_no_receipt(examined, plan, tmp_path):
    examined(replace(plan, probes=("zero_shot", "answers"), settings={"answers": {"tower": "demo:"}}))
    assert not (tmp_path / "out" / RECEIPT).exists()
