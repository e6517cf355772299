"""The same pictures under another list: by hand, the harm that a missing class does, and lists that change nothing."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answering import BARE, NoPictures

import eyechart
from eyechart.data.dataset import Dataset
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.metrics.vectors import unit
from eyechart.models.card import ModelCard
from eyechart.probes.class_change import Settings, class_change
from eyechart.probes.contract import NotApplicable, ProbeInput

NAMES = ["man", "woman", "thief", "child", "tree"]


@pytest.fixture
def design(tmp_path):
    path = tmp_path / "design.toml"
    path.write_text('harmful = ["crime"]\n[groups]\nperson = ["man", "woman"]\ncrime = ["thief"]\n')
    return str(path)


def inputs(liking, settings, label=None, clusters=None, **attributes):
    """`liking[i]`: how near picture i is to each of NAMES."""
    columns = {f"attr.{name}": list(values) for name, values in attributes.items()} | (
        {"label": list(label)} if label is not None else {}
    )
    table = pa.table({"id": [f"p{i}" for i in range(len(liking))], **columns})
    axes = np.eye(len(NAMES), dtype=np.float32)
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=Dataset("test", table, NoPictures(len(liking))),
        images=unit(np.asarray(liking, np.float32)),
        clusters=np.arange(len(liking)) if clusters is None else np.asarray(clusters),
        texts=lambda texts: axes[[NAMES.index(t) for t in texts]],
        prompts=(BARE,),
        settings=settings,
    )


MAN, WOMAN, THIEF = [3, 0, 0, 0, 0], [0, 3, 0, 0, 0], [0, 0, 3, 0, 0]
CHILD = [0.1, 0.1, 1, 3, 0]  # nearest to "child", and to "thief" where there is no such word


def found(answer, metric, **slice):
    (finding,) = [f for f in answer.findings if f.metric == metric and f.slice == {"prompts": "bare", **slice}]
    return finding


def test_who_moves_and_who_gains_by_hand(design):
    people = [MAN] * 4 + [WOMAN] * 3 + [THIEF] + [CHILD] * 4
    label = ["man"] * 4 + ["woman"] * 3 + ["man"] + ["child"] * 4
    settings = Settings(design=design, changes=("+child:person",), least=2)
    answer = class_change.ask(inputs(people, settings, label, age=["old"] * 8 + ["young"] * 4))
    name = "design +child:person"
    assert found(answer, "harm_rate", list="design").value == pytest.approx(5 / 12)
    assert found(answer, "harm_rate", list=name).value == pytest.approx(1 / 12)
    assert found(answer, "changed_predictions", list=name).value == pytest.approx(4 / 12)
    assert found(answer, "harm_rate_change", list=name).value == pytest.approx(-4 / 12)
    levels = {
        (of, age): found(answer, "group_harm_rate", list=of, age=age).value for of in ("design", name) for age in ("old", "young")
    }
    assert levels == {("design", "old"): 1 / 8, ("design", "young"): 1, (name, "old"): 1 / 8, (name, "young"): 0}
    assert found(answer, "group_harm_rate_change", list=name, age="young").value == -1
    assert found(answer, "group_harm_rate_change", list=name, age="old").value == 0
    assert found(answer, "accuracy_change", list=name).value == pytest.approx(4 / 12)
    moves = next(e for e in answer.exhibits if e.name.startswith("moves"))
    assert moves.table.to_pylist() == [{"before": "thief", "after": "child", "pictures": 4}]


def test_the_best_change_is_chosen_on_one_half_and_measured_on_the_other(design):
    people, label = [MAN] * 40 + [CHILD] * 20, ["man"] * 40 + ["child"] * 20
    settings = Settings(design=design, candidates=("+tree:person", "+child:person", "-woman"))
    answer = class_change.ask(inputs(people, settings, label, hat=["red", "blue"] * 30))
    change = found(answer, "suggested_harm_rate_change", change="+child:person")
    assert (change.value, change.n) == (pytest.approx(-1 / 3), 30)
    assert change.high < 0
    assert found(answer, "suggested_accuracy_change", change="+child:person").value == pytest.approx(1 / 3)
    said = next(e for e in answer.exhibits if e.name == "suggestion").sentence
    assert f"eyechart repair --design {Path(design).name} --change='+child:person'" in said
    nothing = class_change.ask(
        inputs(people, Settings(design=design, candidates=("+tree:person",)), label, hat=["red", "blue"] * 30)
    )
    assert "no reason to change the list" in next(e for e in nothing.exhibits if e.name == "suggestion").sentence


def noisy(rng, n, gain):
    """People whom a new class takes from the thieves with the probability `gain`, and as many whom it gives to them by chance."""
    likes = {"stays": MAN, "saved": CHILD}
    return [likes["saved" if x < gain else "stays"] for x in rng.random(n)]


def test_paired_intervals_cover(design):
    rng, hits = np.random.default_rng(0), 0
    settings = Settings(design=design, changes=("+child:person",))
    for _ in range(200):
        answer = class_change.ask(inputs(noisy(rng, 150, 0.12), settings, hat=["a", "b"] * 75))
        change = found(answer, "harm_rate_change", list="design +child:person")
        hits += change.low <= -0.12 <= change.high
    assert 179 <= hits <= 198


def test_the_best_of_changes_that_do_nothing_raises_few_alarms(design):
    """Two new classes take and give people at random: whichever looked best on one half is nothing on the other."""
    rng, alarms = np.random.default_rng(1), 0
    settings = Settings(design=design, candidates=("+child:person", "+tree:person"))
    for _ in range(200):
        liking = rng.normal(size=(120, 5))
        liking[:, 3:] = liking[:, :1] - 5  # the new words are nearest to nobody
        answer = class_change.ask(inputs(liking, settings, hat=["a", "b"] * 60))
        change = next(f for f in answer.findings if f.metric == "suggested_harm_rate_change")
        alarms += not change.low <= 0 <= change.high
    assert alarms <= 18


def test_one_picture_gives_no_suggestion_but_a_sentence(design):
    settings = Settings(design=design, changes=("+child:person",), candidates=("+child:person",))
    answer = class_change.ask(inputs([CHILD], settings, label=["child"]))
    assert found(answer, "harm_rate_change", list="design +child:person").value == -1
    assert "too few pictures to choose a candidate" in str(answer.notices[0])
    assert not [f for f in answer.findings if f.metric.startswith("suggested")]


def test_who_has_no_label_counts_in_no_accuracy(design):
    settings = Settings(design=design, changes=("-woman",))
    answer = class_change.ask(inputs([MAN, WOMAN, MAN, WOMAN], settings, label=["man", "woman", None, None]))
    change = found(answer, "accuracy_change", list="design -woman")
    assert (change.value, change.n) == (pytest.approx(-1 / 2), 2)
    foreign = class_change.ask(inputs([MAN, WOMAN], settings, label=["n01", "n02"]))
    assert not [f for f in foreign.findings if f.metric == "accuracy_change"]


def test_a_design_without_harm_has_none_to_lower(tmp_path):
    (tmp_path / "plain.toml").write_text('[groups]\nperson = ["man", "woman"]\n')
    plain = str(tmp_path / "plain.toml")
    answer = class_change.ask(inputs([MAN, CHILD], Settings(design=plain, changes=("+child:person",)), hat=["a", "b"]))
    assert {f.metric for f in answer.findings} == {"changed_predictions"}
    with pytest.raises(NotApplicable, match="plain marks no classes as harmful"):
        class_change.ask(inputs([MAN, CHILD], Settings(design=plain, candidates=("+child:person",))))


def test_a_design_alone_has_nothing_to_be_compared_with(design):
    with pytest.raises(NotApplicable, match="no other class list to compare with"):
        class_change.ask(inputs([MAN, WOMAN], Settings(design=design)))
    with pytest.raises(NotApplicable, match="no class design is given"):
        class_change.ask(inputs([MAN, WOMAN], Settings()))


def test_the_missing_class_of_kids_does_harm_in_the_world_and_adding_it_mends_it(tmp_path):
    """As "child" did in Agarwal et al. (2021): whoever has no word of their own is called the worst one."""
    exam = eyechart.examine("demo:", "world-people", probes=["class_change"], prompts="single", limit=336, out=tmp_path)
    rows = [{**r, **json.loads(r["slice"])} for r in exam.findings.to_pylist()]
    (kids,) = [
        r for r in rows if r["metric"] == "group_harm_rate_change" and r.get("role") == "kid" and not {"hat", "badge"} & set(r)
    ]
    assert kids["high"] < -0.5
    others = [
        r for r in rows if r["metric"] == "group_harm_rate_change" and r.get("role") == "player" and not {"hat", "badge"} & set(r)
    ]
    assert others[0]["low"] <= 0 <= others[0]["high"]
    (suggested,) = [r for r in rows if r["metric"] == "suggested_harm_rate_change"]
    assert suggested["change"] == "+kid:role" and suggested["high"] < 0


def test_the_suggestion_does_not_know_the_half_on_which_it_is_judged(design):
    """Where the halves contradict each other, the half to choose on decides, and the other half tells that it was wrong."""
    label = ["man"] * 60
    settings = Settings(design=design, candidates=("+tree:person", "+child:person"))
    chosen_on = stratified_split(np.zeros(60, int), seed=settings.seed, clusters=np.arange(60))
    tree, child = [0, 0, 1, 0, 3], [0, 0, 1, 3, 0]  # thieves to whoever lacks the word
    for here, there, best in ((tree, child, "+tree:person"), (child, tree, "+child:person")):
        answer = class_change.ask(inputs([here if chosen else there for chosen in chosen_on], settings, label))
        change = next(f for f in answer.findings if f.metric == "suggested_harm_rate_change")
        assert (change.slice["change"], change.value, change.n) == (best, 0.0, 30)


def test_accuracy_decides_a_tie_of_harm_on_the_half_to_choose_on_alone(design):
    """On that half, "tree" takes twenty men and "child" none; on the other half, "child" takes all thirty."""
    settings = Settings(design=design, candidates=("+tree:person", "+child:person"))
    chosen_on = stratified_split(np.zeros(60, int), seed=settings.seed, clusters=np.arange(60))
    as_tree, as_child = [2, 0, 0, 0, 3], [2, 0, 0, 3, 0]
    people = [as_child] * 60
    for place, row in enumerate(np.flatnonzero(chosen_on)):
        people[row] = as_tree if place < 20 else MAN
    answer = class_change.ask(inputs(people, settings, ["man"] * 60))
    change = next(f for f in answer.findings if f.metric == "suggested_accuracy_change")
    assert (change.slice["change"], change.value, change.n) == ("+child:person", -1.0, 30)


def test_halves_need_labeled_pictures_on_both_sides(design):
    """One labeled picture of eight is in one half only, whichever it is; without any label, pictures are enough."""
    settings = Settings(design=design, candidates=("+child:person",))
    alone = [(["man" if row == i else None for row in range(8)], False) for i in range(8)]
    for label, enough in (*alone, (["man"] * 8, True), (None, True)):
        answer = class_change.ask(inputs([MAN] * 8, settings, label))
        assert any(f.metric == "suggested_harm_rate_change" for f in answer.findings) is enough
        assert len(answer.notices) == (not enough)


def test_of_changes_with_equal_harm_the_more_accurate_is_suggested(design):
    """Neither takes harm away; without "woman", women are called men. Unlabeled pictures count in no accuracy."""
    people, label = [MAN] * 20 + [WOMAN] * 20 + [WOMAN] * 20, ["man"] * 20 + ["woman"] * 20 + [None] * 20
    settings = Settings(design=design, candidates=("-woman", "+tree:person"))
    answer = class_change.ask(inputs(people, settings, label))
    found_change = next(f for f in answer.findings if f.metric == "suggested_accuracy_change")
    assert (found_change.slice["change"], found_change.value, found_change.n) == ("+tree:person", 0.0, 20)
    table = next(e for e in answer.exhibits if e.name == "suggestion").table.to_pylist()
    assert [(row["change"], row["change of the harm rate"], row["pictures"]) for row in table] == [
        ("+tree:person", 0.0, 30), ("-woman", 0.0, 30),
    ]  # fmt: skip


def test_without_candidates_nothing_is_suggested_and_nothing_is_missing(design):
    answer = class_change.ask(inputs([CHILD], Settings(design=design, changes=("+child:person",)), label=["child"]))
    assert answer.notices == [] and not [f for f in answer.findings if f.metric.startswith("suggested")]
    moved = found(answer, "changed_predictions", list="design +child:person")
    assert (moved.baseline, moved.value, moved.n) == ("design", 1.0, 1)


def test_copies_of_a_picture_count_once_in_intervals(design):
    """Ten copies of each picture have the interval of one."""
    settings = Settings(design=design, changes=("+child:person",), least=2)
    people, hats = [MAN] * 6 + [CHILD] * 4, ["a", "b"] * 5
    once = class_change.ask(inputs(people, settings, hat=hats))
    copies = [c for c in people for _ in range(10)]
    tenfold = class_change.ask(
        inputs(copies, settings, clusters=np.repeat(np.arange(10), 10), hat=[h for h in hats for _ in range(10)])
    )
    for metric, where in (("harm_rate", {}), ("group_harm_rate", {"hat": "a"}), ("harm_rate_change", {})):
        a, b = (found(answer, metric, list="design +child:person", **where) for answer in (once, tenfold))
        assert (a.low, a.high) == pytest.approx((b.low, b.high)) and b.n == 10 * a.n
