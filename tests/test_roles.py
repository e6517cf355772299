"""What a dataset is for: examined itself, or there for others to be compared with; from Python, a plan and the command line."""

from dataclasses import dataclass

import numpy as np
import pytest
from tests.test_inputs import save_vectors
from tests.witness import rows

import eyechart
from eyechart.cli.main import build_parser
from eyechart.cli.options import companions_of
from eyechart.errors import UsageError
from eyechart.exam import run
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Metric
from eyechart.inputs import open_data
from eyechart.plan import DataPlan, ModelPlan, Plan, read_plan
from eyechart.probes import registry
from eyechart.probes.contract import Answer, probe


@dataclass(frozen=True)
class Nothing:
    """A probe without settings."""


BESIDE = Metric(name="beside", title="pictures beside", unit="count", higher_is_better=None)


@probe(version=1, needs=("images",), settings=Nothing(), metrics=(BESIDE,), compares=True, profiles=("classify",))
def neighbors(inputs):
    """Which datasets stand beside this one?"""
    beside = [(role, g) for role in ("shift", "ood", "gallery") for g in inputs.companions_of(role)]
    return Answer(
        [
            Finding(metric="beside", value=float(len(g.images)), n=len(g.images), slice={role: g.dataset.name})
            for role, g in beside
        ]
    )


@pytest.fixture
def compared(monkeypatch):
    """A probe that compares, asked beside zero-shot accuracy."""
    known = registry.get_probe("zero_shot")
    probes = {"zero_shot": known, "neighbors": neighbors}
    monkeypatch.setattr("eyechart.session.probe_choice.usable_probes", lambda: (probes, []))
    monkeypatch.setattr("eyechart.session.probe_choice.get_probe", probes.get)


def beside(exam):
    return {(r["dataset"], r["slice"]): r["n"] for r in rows(exam, "beside")}


def test_an_exam_dataset_finds_its_companions(compared, photos, drawn, store, tmp_path):
    exam = eyechart.examine(
        "demo:", photos, shifts={"again": drawn}, ood=[drawn / "star"], prompts="single", out=tmp_path / "out", store=store
    )
    assert beside(exam) == {("photos", '{"shift": "again"}'): 15, ("photos", '{"ood": "star"}'): 5}


def test_targets_are_only_looked_for_among(compared, photos, drawn, store, tmp_path):
    exam = eyechart.examine("demo:", photos, gallery={"single": drawn}, prompts="single", out=tmp_path / "out", store=store)
    assert beside(exam) == {("photos", '{"gallery": "single"}'): 15}
    assert [r["dataset"] for r in rows(exam, "top1")] == ["photos"]


def test_a_shifted_set_is_asked_about_too_and_one_of_other_things_is_only_looked_at(compared, photos, drawn, store, tmp_path):
    exam = eyechart.examine(
        "demo:", photos, shifts={"again": drawn}, ood={"others": drawn}, prompts="single", out=tmp_path / "out", store=store
    )
    assert [r["dataset"] for r in rows(exam, "top1")] == ["photos", "again"]
    assert [r["dataset"] for r in rows(exam, "usable_pictures")] == ["photos", "again", "others"]
    assert not {"zero_shot", "neighbors"} & set(exam.skips.column("probe").to_pylist())


def test_roles_are_part_of_the_protocol_file(photos, drawn, store, tmp_path):
    plan = Plan(
        (ModelPlan("demo:"),),
        (DataPlan(str(photos)), DataPlan(str(drawn), name="night", role="shift", of="photos")),
        prompts=("single",),
    )
    about = run(plan, out=tmp_path / "out", store=store).protocol["datasets"]
    assert (about["photos"]["role"], about["photos"]["of"]) == ("exam", None)
    assert (about["night"]["role"], about["night"]["of"]) == ("shift", "photos")


def test_of_keeps_a_companion_to_one_dataset(compared, photos, drawn, store, tmp_path):
    entries = (
        DataPlan(str(photos), name="a"),
        DataPlan(str(photos), name="b"),
        DataPlan(str(drawn), name="of a", role="shift", of="a"),
        DataPlan(str(drawn), name="of both", role="ood"),
    )
    exam = run(Plan((ModelPlan("demo:"),), entries, prompts=("single",)), out=tmp_path / "out", store=store)
    assert list(beside(exam)) == [("a", '{"shift": "of a"}'), ("a", '{"ood": "of both"}'), ("b", '{"ood": "of both"}')]


def test_another_role_is_another_question(compared, photos, drawn, store, tmp_path):
    """The journal must not answer with what was found when the companion had another role or name."""
    asked = {"prompts": "single", "out": tmp_path / "out", "store": store}
    eyechart.examine("demo:", photos, shifts={"again": drawn}, **asked)
    exam = eyechart.examine("demo:", photos, ood={"again": drawn}, **asked)
    assert beside(exam) == {("photos", '{"ood": "again"}'): 15}
    exam = eyechart.examine("demo:", photos, ood={"renamed": drawn}, **asked)
    assert beside(exam) == {("photos", '{"ood": "renamed"}'): 15}


def test_a_companion_that_fails_costs_only_the_comparison_with_it(compared, photos, store, tmp_path):
    save_vectors(photos, tmp_path / "vectors.npz")
    (tmp_path / "unknown.csv").write_text("path,label\nmissing.png,star\n")
    exam = eyechart.examine(
        f"vectors:{tmp_path / 'vectors.npz'}",
        photos,
        shifts={"good": photos, "bad": tmp_path / "unknown.csv"},
        model_name="v",
        out=tmp_path / "out",
        store=store,
    )
    assert list(exam.failures) == ["v on bad"]
    assert [r["dataset"] for r in rows(exam, "top1")] == ["photos", "good"]
    assert beside(exam) == {("photos", '{"shift": "good"}'): 15}
    skipped = {(s["dataset"], s["probe"]) for s in exam.skips.to_pylist() if s["probe"] in ("zero_shot", "neighbors")}
    assert skipped == {("bad", "zero_shot"), ("bad", "neighbors")}


def test_a_companion_without_a_usable_picture_stands_beside_nobody(compared, photos, store, tmp_path):
    (tmp_path / "bad" / "star").mkdir(parents=True)
    (tmp_path / "bad" / "star" / "1.png").write_text("no")
    exam = eyechart.examine("demo:", photos, ood=[tmp_path / "bad"], prompts="single", out=tmp_path / "out", store=store)
    assert beside(exam) == {}
    assert [r["id"] for r in exam.set_aside] == ["star/1.png"]


def test_a_limit_holds_for_each_dataset(compared, photos, drawn, store, tmp_path):
    exam = eyechart.examine(
        "demo:", photos, shifts={"again": drawn}, limit=6, prompts="single", out=tmp_path / "out", store=store
    )
    assert beside(exam) == {("photos", '{"shift": "again"}'): 6}


def test_a_plan_names_roles(photos, tmp_path):
    (tmp_path / "plan.toml").write_text(
        '[[models]]\nspec = "demo:"\n[[datasets]]\nsource = "photos"\n'
        '[[datasets]]\nsource = "photos"\nname = "night"\nrole = "shift"\nof = "photos"\n'
    )
    night = read_plan(tmp_path / "plan.toml").datasets[1]
    assert (night.role, night.of) == ("shift", "photos")


def flags(*words):
    args = build_parser().parse_args(["examine", "--model", "demo:", "--data", "demo:", *words])
    return [(d.role, d.name, d.source, d.limit) for d in companions_of(args)]


def test_flags_name_companions(tmp_path):
    assert flags("--shift", "night", "--ood", "textures=dtd/images", "--shift", "day", "--limit", "9") == [
        ("shift", None, "night", 9),
        ("shift", None, "day", 9),
        ("ood", "textures", "dtd/images", 9),
    ]
    odd = tmp_path / "a=b"
    odd.mkdir()
    assert flags("--shift", "imagenet-v2:c=d") == [("shift", None, "imagenet-v2:c=d", None)]
    assert flags("--ood", str(odd), "--ood", "./c=d") == [("ood", None, str(odd), None), ("ood", None, "./c=d", None)]


@pytest.mark.parametrize("text", ["=source", "name="])
def test_half_a_name_is_refused(text):
    with pytest.raises(UsageError, match="NAME=DATASET"):
        flags("--shift", text)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([{"role": "shift"}], "every dataset of the plan has a role"),
        ([{"of": "x"}], "needs role"),
        (
            [{}, {"name": "night", "role": "shift", "of": "photo"}],
            "'photo' names no dataset that the plan examines; did you mean 'photos'",
        ),
    ],
)
def test_roles_that_make_no_sense_are_refused(entries, message, photos, store, tmp_path):
    plan = Plan((ModelPlan("demo:"),), tuple(DataPlan(str(photos), **entry) for entry in entries))
    with pytest.raises(UsageError, match=message):
        run(plan, out=tmp_path / "out", store=store)


def test_one_source_in_place_of_a_list_is_refused(photos, store, tmp_path):
    with pytest.raises(UsageError, match="where a list belongs"):
        eyechart.examine("demo:", photos, shifts=str(photos), out=tmp_path / "out", store=store)


def test_taking_rows_keeps_the_role(photos):
    part = open_data(DataPlan(str(photos), role="ood", of="x"), seed=0).take(np.array([0, 1]))
    assert (part.role, part.of, len(part)) == ("ood", "x", 2)
