"""What the screen says equals what the probes and `repair` compute from scratch for the same class list."""

from dataclasses import replace

import numpy as np
import pytest

from eyechart.data.class_design import read_design
from eyechart.findings.run import read_run
from eyechart.metrics.classification.predictions import best_classes
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.probes.class_change import Settings as ChangeSettings
from eyechart.probes.class_change import class_change
from eyechart.probes.class_groups import Settings as GroupSettings
from eyechart.probes.class_groups import class_groups
from eyechart.probes.tasks.classifier import build_classifier
from eyechart.repair.class_list_change import change_class_list
from eyechart.repair.class_lists import class_lists
from eyechart.repair.settings import Settings as RepairSettings
from eyechart.workbench.design_answer import design_answer
from eyechart.workbench.design_desk import DesignDesk, NoClasses, with_class
from eyechart.workbench.live_design import LiveClass, design_toml
from eyechart.workbench.opened_model import OpenedModel


def on_half(desk, half, settings):
    """What a probe gets when it is run on one half alone."""
    whole = desk.probe_input()
    return replace(
        whole, dataset=whole.dataset.take(half.rows), images=whole.images[half.rows], clusters=whole.clusters[half.rows],
        settings=settings,
    )  # fmt: skip


def without(design, name):
    return replace(design, classes=tuple(c for c in design.classes if c.name != name))


def reworded(design, old, new):
    return replace(design, classes=tuple(LiveClass((new,), c.group, (new,)) if c.name == old else c for c in design.classes))


EDITS = {
    "drop": lambda d: without(d, "kid"),
    "add": lambda d: with_class(d, "criminal", "crime", ()),
    "reword": lambda d: reworded(d, "thief", "a person with a purple cube"),
    "drop and add": lambda d: with_class(without(d, "visitor"), "guest", "role", ()),
}
OWN_ATTRIBUTES = "world-people-without-kid"  # hat, badge and role; the list of the run has hat and badge


def edited(desk, edit):
    return desk.starts()[OWN_ATTRIBUTES] if edit == OWN_ATTRIBUTES else EDITS[edit](desk.base)


def find(findings, metric, **where):
    wanted = {k: str(v) for k, v in where.items()}
    return next(
        f for f in findings if f.metric == metric and wanted.items() <= {k: str(v) for k, v in f.slice.items()}.items()
        and len(f.slice) - ("prompts" in f.slice) - ("list" in f.slice) == len([k for k in wanted if k != "list"])
    )  # fmt: skip


@pytest.mark.parametrize("edit", [*EDITS, OWN_ATTRIBUTES])
def test_rates_equal_those_of_class_groups(people, tmp_path, edit):
    design = edited(people, edit)
    (tmp_path / "d.toml").write_text(design_toml(design))
    expected = class_groups.ask(on_half(people, people.explore, GroupSettings(design=str(tmp_path / "d.toml")))).findings
    answer = design_answer(people, design)
    compared = 0
    for row in answer["groups"]["rows"]:
        where = dict(part.split(": ") for part in row["group"].split(", ")) if ": " in row["group"] else {}
        for k, kind in enumerate(answer["groups"]["kinds"]):
            f = find(expected, "rate", classes=kind, **where)
            assert (row["value"][k], row["low"][k], row["high"][k]) == pytest.approx((f.value, f.low, f.high), abs=1e-6)
            assert row["n"] == f.n
            compared += 1
    single = [f for f in expected if f.metric == "rate" and len(set(f.slice) - {"prompts", "classes"}) < 2]
    assert compared == len(single) >= 14  # no group is left out
    f = find(expected, "harm_rate")
    assert (answer["harm"]["value"], answer["harm"]["low"], answer["harm"]["high"]) == pytest.approx(
        (f.value, f.low, f.high), abs=1e-6
    )


@pytest.mark.parametrize("edit", ["drop", OWN_ATTRIBUTES])
def test_the_largest_difference_of_a_group_is_that_of_class_groups(people, tmp_path, edit):
    """On the held-out half, by the attributes of the list that is measured."""
    design = edited(people, edit)
    (tmp_path / "d.toml").write_text(design_toml(design))
    expected = class_groups.ask(on_half(people, people.held_out, GroupSettings(design=str(tmp_path / "d.toml")))).findings
    (f,) = [f for f in expected if f.metric == "largest_harm_rate_difference"]
    (found,) = [f for f in people.measure(design) if f.metric == "largest_harm_rate_difference"]
    assert (found.value, found.low, found.high) == pytest.approx((f.value, f.low, f.high), abs=1e-6)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("half", ["explore", "held_out"])
def test_changes_equal_those_of_class_change(people, tmp_path, edit, half):
    design = EDITS[edit](people.base)
    for name, of in (("before", people.base), ("after", design)):
        (tmp_path / f"{name}.toml").write_text(design_toml(of))
    settings = ChangeSettings(design=str(tmp_path / "before.toml"), changes=(str(tmp_path / "after.toml"),))
    expected = class_change.ask(on_half(people, getattr(people, half), settings)).findings
    if half == "explore":
        found = design_answer(people, design)["changes"]
    else:
        found = [vars(f) for f in people.measure(design)]
    compared = set()
    for row in found:
        if not row["metric"].endswith("change") and row["metric"] not in ("changed_predictions", "harm_rate"):
            continue
        where = {k: v for k, v in row["slice"].items() if k != "list"}
        f = find([f for f in expected if f.slice.get("list") == "after"], row["metric"], **where)
        assert (row["value"], row["low"], row["high"]) == pytest.approx((f.value, f.low, f.high), abs=1e-6)
        compared.add(row["metric"])
    everywhere = {"changed_predictions", "harm_rate", "harm_rate_change", "accuracy_change"}
    assert compared == everywhere | ({"group_harm_rate_change"} if half == "held_out" else set())


def test_accuracy_by_group_and_label_is_that_of_clustered_shares(people, shape_desk):
    for desk in (people, shape_desk):
        answer, half = design_answer(desk, desk.base), desk.explore
        correct = desk.base_outcome.take(half.rows).correct(half.labels)
        labels = np.array(desk.pictures.dataset.table.column("label").to_pylist())[half.rows]
        for row in answer["by_label"]:
            expected = clustered_share(correct[labels == row["label"]], half.units[labels == row["label"]]).estimate
            assert (row["value"], row["low"], row["high"]) == pytest.approx(tuple(expected), abs=1e-9)
        for row, subgroup in zip(answer["group_accuracy"], [s for s in half.people if not s.crossed], strict=True):
            expected = clustered_share(correct[subgroup.members], half.units[subgroup.members]).estimate
            assert (row["value"], row["low"], row["high"]) == pytest.approx(tuple(expected), abs=1e-9)


def test_harm_equals_that_of_repair(people, tmp_path):
    """`repair --design --change` on unlabeled pictures."""
    design = without(people.base, "kid")
    whole = on_half(people, people.explore, RepairSettings(design="world-people", change="-kid"))
    unlabeled = replace(whole, dataset=replace(whole.dataset, table=whole.dataset.table.drop_columns(["label"])))
    done = change_class_list(unlabeled, class_lists(None, "world-people", "-kid"), unlabeled.settings)
    answer = design_answer(people, design)
    for now, name in (("harm", "after"), ("harm_before", "before")):
        f = next(f for f in done.findings if f.metric == "harm_rate" and f.slice == {"classifier": name})
        assert (answer[now]["value"], answer[now]["low"], answer[now]["high"]) == pytest.approx(
            (f.value, f.low, f.high), abs=1e-6
        )


def test_predictions_after_many_edits_equal_those_from_scratch(people):
    design, rng = people.base, np.random.default_rng(0)
    words = ["kid", "child", "cube", "a red hat", "sphere", "star", "thief", "robot", "player"]
    for step in range(40):
        if len(design.classes) > 3 and rng.random() < 0.5:
            design = without(design, design.classes[rng.integers(len(design.classes))].name)
        else:
            word = words[rng.integers(len(words))]
            if word not in [c.name for c in design.classes]:
                design = with_class(design, word, ["role", "crime"][step % 2], ())
        prompts = people.opened.prompts("world-people")
        made = build_classifier(design.class_design.classes(), prompts, people.opened.text_vectors)
        expected = best_classes(people.pictures.vectors, made.vectors, made.duplicates)
        names = np.array(design.class_design.names)[expected]
        assert [design.classes[p].name for p in people.classify(design).predicted] == names.tolist()
    assert len(people.columns) <= len(design.classes) + 32 + 9


def test_the_halves_are_those_of_class_change(people):
    """Every picture is in one half, copies together, and the suggestion of the probe is chosen on the same half."""
    assert sorted([*people.explore.rows, *people.held_out.rows]) == list(range(336))
    settings = ChangeSettings(design="world-people-without-kid", candidates=("+kid:role", "+star:role", "+sphere:role"))
    expected = class_change.ask(replace(people.probe_input(), settings=settings)).findings
    design = without(people.base, "kid")
    findings, table = people.suggest(design, ["kid", "star", "sphere"], "role")
    for f in findings:
        same = next(e for e in expected if e.metric == f.metric)
        assert same.slice["change"] == f"+{f.slice['change']}:role"
        assert (f.value, f.low, f.high) == pytest.approx((same.value, same.low, same.high), abs=1e-6)
    assert table[0]["change"] == "kid"


def test_copies_stay_in_one_half(shape_desk):
    units = shape_desk.pictures.units
    assert len(np.unique(units)) < len(units)
    assert not set(units[shape_desk.explore.rows]) & set(units[shape_desk.held_out.rows])
    assert not shape_desk.explore.distinct


def test_a_dataset_starts_from_its_own_classes_and_accuracy_is_that_of_the_labels(shape_desk):
    answer = design_answer(shape_desk, shape_desk.base)
    rows = shape_desk.explore.rows
    labels = np.array(shape_desk.pictures.dataset.table.column("label").to_pylist())[rows]
    predicted = np.array([c.name for c in shape_desk.base.classes])[shape_desk.base_outcome.predicted[rows]]
    assert answer["accuracy"]["value"] == pytest.approx((labels == predicted).mean(), abs=1e-12)
    assert np.sum(answer["confusion"]["counts"]) == len(rows)
    assert answer["groups"] is None and answer["flows"]["moved"] == 0


def test_merged_classes_are_right_for_both_labels(shape_desk):
    """One class of both names; a picture of either label is correct."""
    cone, cube = (next(c for c in shape_desk.base.classes if c.name == n) for n in ("cone", "cube"))
    rest = tuple(c for c in shape_desk.base.classes if c not in (cone, cube))
    merged = replace(shape_desk.base, classes=(LiveClass(("cone", "cube"), "cone", ("cone", "cube")), *rest))
    answer = design_answer(shape_desk, merged)
    rows = shape_desk.explore.rows
    labels = np.array(shape_desk.pictures.dataset.table.column("label").to_pylist())[rows]
    labels[labels == "cube"] = "cone"
    predicted = np.array([c.name for c in merged.classes])[shape_desk.classify(merged).predicted[rows]]
    assert answer["accuracy"]["value"] == pytest.approx((labels == predicted).mean(), abs=1e-12)


@pytest.mark.parametrize("names", [("cone", "cube"), ("cube", "cone"), ("red cone",)])
def test_only_pictures_with_another_class_have_moved_after_merging_or_rewording(shape_desk, names):
    """Two classes become one, or one gets another name: what was predicted as it and still is has not moved."""
    gone = [c for c in shape_desk.base.classes if c.name in {"cone", *names}]
    rest = tuple(c for c in shape_desk.base.classes if c not in gone)
    one = LiveClass(names, gone[0].group, tuple(label for c in gone for label in c.labels))
    design = replace(shape_desk.base, classes=(one, *rest))
    rows = shape_desk.explore.rows

    def predicted(of):
        found = [of.classes[p].name for p in shape_desk.classify(of).predicted[rows]]
        return np.array(["the one" if name in {"cone", *names} else name for name in found])

    before, after = predicted(shape_desk.base), predicted(design)
    answer = design_answer(shape_desk, design)
    assert ((before == "the one") & (after == "the one")).any()
    assert answer["flows"]["moved"] == (before != after).sum() == sum(f["count"] for f in answer["flows"]["flows"])
    (changed,) = [c for c in answer["changes"] if c["metric"] == "changed_predictions"]
    assert changed["value"] == pytest.approx((before != after).mean(), abs=1e-12)


def test_flows_count_every_picture_that_moved(people):
    answer = design_answer(people, without(people.base, "kid"))
    before = people.base_outcome.predicted[people.explore.rows]
    kids = int((before == [c.name for c in people.base.classes].index("kid")).sum())
    assert answer["flows"]["moved"] == kids == sum(f["count"] for f in answer["flows"]["flows"]) > 0
    assert {f["from"] for f in answer["flows"]["flows"]} == {"kid"}
    assert all(row in set(people.explore.rows) for f in answer["flows"]["flows"] for row in f["rows"])


def test_the_held_out_half_says_nothing_while_exploring(people):
    """Labels of the held-out half changed: the screen stays the same."""
    from eyechart.workbench.design_desk import DesignDesk

    design = without(people.base, "kid")
    other = DesignDesk(people.opened, "world-people")
    _ = other.explore, other.held_out
    other.held_out.labels[:] = 0
    assert design_answer(other, design) == design_answer(people, design)
    assert other.measure(design) != people.measure(design)


def test_measuring_gives_the_accuracy_on_the_held_out_half(shape_desk):
    rows = shape_desk.held_out.rows
    labels = np.array(shape_desk.pictures.dataset.table.column("label").to_pylist())[rows]
    correct = labels == np.array([c.name for c in shape_desk.base.classes])[shape_desk.base_outcome.predicted[rows]]
    found = find(shape_desk.measure(shape_desk.base), "accuracy")
    assert (found.value, found.n) == (pytest.approx(correct.mean(), abs=1e-12), len(rows))
    assert found.low < found.value < found.high


def test_read_design_is_what_was_saved(people, tmp_path):
    (tmp_path / "saved.toml").write_text(design_toml(people.base))
    saved, given = read_design(str(tmp_path / "saved.toml")), read_design("world-people")
    assert (saved.groups, saved.harmful, saved.attributes) == (given.groups, given.harmful, given.attributes)


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param({"cone": ("red cone",)}, id="reworded"),
        pytest.param({"cone": ("cone", "traffic cone")}, id="a second name"),
        pytest.param({"cone": ("cone", "cube"), "cube": ()}, id="merged"),
    ],
)
@pytest.mark.parametrize("half", ["explore", "held_out"])
def test_a_saved_list_of_a_dataset_has_the_accuracy_of_the_screen(shape_desk, tmp_path, edit, half):
    base, part = shape_desk.base, getattr(shape_desk, half)
    labels = {"cone": ("cone", "cube") if "cube" in edit else ("cone",)}
    classes = [LiveClass(edit[c.name], c.group, labels[c.name]) if edit.get(c.name) else c for c in base.classes]
    design = replace(base, classes=tuple(c for c in classes if edit.get(c.name) != ()))
    for name, saved in {"before": base, "after": design}.items():
        (tmp_path / f"{name}.toml").write_text(design_toml(saved))
    settings = ChangeSettings(design=str(tmp_path / "before.toml"), changes=(str(tmp_path / "after.toml"),))
    expected = find(class_change.ask(on_half(shape_desk, part, settings)).findings, "accuracy_change", list="after")
    change, after = shape_desk.changes(part, design, [])
    found = find(list(change.findings(after)), "accuracy_change", list=design.title)
    assert (found.value, found.low, found.high, found.n) == pytest.approx(
        (expected.value, expected.low, expected.high, expected.n), abs=1e-6
    )
    truth = np.array(shape_desk.pictures.dataset.table.column("label").to_pylist())[part.rows]
    right = [
        label in design.classes[p].labels
        for label, p in zip(truth, shape_desk.classify(design).predicted[part.rows], strict=True)
    ]
    was = truth == np.array([c.name for c in base.classes])[shape_desk.base_outcome.predicted[part.rows]]
    assert expected.value == pytest.approx(np.mean(right) - was.mean(), abs=1e-9)
    assert np.mean(right) > 0.2  # classes that are right for no label would be near 0


def test_the_halves_of_unlabeled_pictures_do_not_depend_on_what_is_typed(exams, store):
    opened = OpenedModel(read_run(exams / "unlabeled"), "demo", store=store)
    first, second = (DesignDesk(opened, "loose", names) for names in (["star", "cube"], ["torus", "cap", "moon", "leaf"]))
    assert (first.base_outcome.predicted != second.base_outcome.predicted).any()
    np.testing.assert_array_equal(first.explore.rows, second.explore.rows)
    assert sorted([*first.explore.rows, *first.held_out.rows]) == list(range(len(first.pictures.dataset)))
    with pytest.raises(NoClasses, match="loose has no class names"):
        _ = DesignDesk(opened, "loose").base
