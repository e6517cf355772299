"""Words by group: against SciPy, planted and by chance, and for real on pictures of members of Congress."""

import csv
import json

import numpy as np
import pytest
from scipy.stats import binomtest, chi2_contingency
from tests.probes.people import people

import eyechart
from eyechart.probes.contract import NotApplicable
from eyechart.probes.labels_by_group import Settings, labels_by_group
from eyechart.store.store import Store

WORDS = ["a", "b", "c", "d"]


def asked(called, hats, **settings):
    inputs = people(called, WORDS, Settings(words=tuple(WORDS), thresholds=(0.5,), least=5, **settings), hat=hats)
    object.__setattr__(inputs, "logit_scale", 20.0)
    return inputs


def found(answer, metric, **slice):
    (finding,) = [f for f in answer.findings if f.metric == metric and f.slice == slice]
    return finding


def test_scipy_gives_the_same_p():
    rng = np.random.default_rng(0)
    called, hats = rng.integers(0, 4, 120), rng.choice(["blue", "red"], 120)
    answer = labels_by_group.ask(asked(called, hats))
    for number, word in enumerate(WORDS):
        said, red = called == number, hats == "red"
        table = [[(said & red).sum(), (~said & red).sum()], [(said & ~red).sum(), (~said & ~red).sum()]]
        where = {"label": word, "hat": "red", "threshold": 0.5}
        assert found(answer, "label_p_value", **where).value == pytest.approx(chi2_contingency(table, correction=False).pvalue)
        assert found(answer, "label_rate", **where).value == pytest.approx(said[red].mean())
        assert found(answer, "label_rate_difference", **where).value == pytest.approx(said[red].mean() - said[~red].mean())


@pytest.mark.slow
def test_a_word_for_one_group_is_found_and_chance_is_not():
    rng = np.random.default_rng(1)
    hats = rng.choice(["blue", "red"], 200)
    planted = np.where((hats == "red") & (rng.random(200) < 0.4), 2, rng.integers(0, 2, 200))
    answer = labels_by_group.ask(asked(planted, hats))
    assert found(answer, "label_p_value_adjusted", label="c", hat="red", threshold=0.5).value < 0.001
    assert found(answer, "skewed_labels").value > 0
    alarms = sum(found(labels_by_group.ask(asked(rng.integers(0, 4, 200), hats)), "skewed_labels").value > 0 for _ in range(200))
    assert alarms <= 18


def test_the_largest_gap_has_an_interval_that_knows_it_was_chosen():
    """Words and groups have nothing to do with each other: the largest of twelve gaps is far from 0, its interval holds it."""
    rng, alarms = np.random.default_rng(3), 0
    hats = rng.choice(["blue", "red", "white"], 200)
    for _ in range(200):
        gap = next(
            f
            for f in labels_by_group.ask(asked(rng.integers(0, 4, 200), hats)).findings
            if f.metric == "largest_label_rate_difference"
        )
        alarms += not gap.low <= 0 <= gap.high
    assert alarms <= 18
    planted = np.where((hats == "red") & (rng.random(200) < 0.4), 2, rng.integers(0, 2, 200))
    answer = labels_by_group.ask(asked(planted, hats))
    largest = next(f for f in answer.findings if f.metric == "largest_label_rate_difference")
    alone = found(answer, "label_rate_difference", **largest.slice, threshold=0.5)
    assert (largest.slice, largest.value) == ({"label": "c", "hat": "red"}, pytest.approx(alone.value))
    assert 0 < largest.low < alone.low and largest.high > alone.high


def test_where_nobody_is_labeled_there_is_no_gap():
    inputs = asked([0, 1] * 20, ["blue", "red"] * 20)
    object.__setattr__(inputs, "logit_scale", 1.0)  # then the nearest of four words has e / (e + 3), which is 48%
    answer = labels_by_group.ask(inputs)
    assert not [f for f in answer.findings if "gap" in f.metric] and found(answer, "skewed_labels").value == 0


def test_a_threshold_is_blamed_only_where_it_matters():
    none = next(e for e in labels_by_group.ask(asked([0] * 40, ["blue", "red"] * 20)).exhibits if e.name == "thresholds")
    assert none.sentence == "0.0% of the labels differ between groups at every threshold."


def test_a_lower_threshold_says_more():
    inputs = asked([0, 1] * 20, ["blue", "red"] * 20)
    object.__setattr__(inputs, "settings", Settings(words=tuple(WORDS), thresholds=(1e-9, 0.5), least=5))
    answer = labels_by_group.ask(inputs)
    assert found(answer, "label_rate", label="d", hat="red", threshold=1e-9).value == 1
    assert not [f for f in answer.findings if f.slice == {"label": "d", "hat": "red", "threshold": 0.5}]
    assert next(e for e in answer.exhibits if e.name == "thresholds").table.num_rows == 9


def test_which_labels_are_skewed_at_which_threshold_is_shown():
    """Of "c" all red ones have 60% and of "d" 20%: one is skewed wherever it is said, the other at low thresholds alone."""
    hats = np.array(["blue", "red"] * 40)
    inputs = asked(np.zeros(80, int), hats)
    shares = np.where((hats == "red")[:, None], [0.1, 0.1, 0.6, 0.2], [0.85, 0.05, 0.0005, 0.0995])
    object.__setattr__(inputs, "images", (np.log(shares) / 20).astype(np.float32))
    exhibits = {e.name: e for e in labels_by_group.ask(inputs).exhibits}
    cells = {(r["label"], r["threshold"]): r["difference"] for r in exhibits["which-labels"].table.to_pylist()}
    assert cells["c (hat: red)", "0.1%"] == cells["c (hat: red)", "32%"] == pytest.approx(1.0)
    assert cells["d (hat: red)", "16%"] == pytest.approx(1.0) and cells["d (hat: red)", "4%"] == 0
    assert ("c (hat: blue)", "0.1%") not in cells


def test_copies_of_a_picture_prove_nothing_more():
    called, hats = np.array([2, 2, 2, 0] * 3 + [0, 1, 0, 2] * 5), np.array(["red"] * 12 + ["blue"] * 20)
    once = labels_by_group.ask(asked(called, hats))
    inputs = asked(np.repeat(called, 5), np.repeat(hats, 5))
    object.__setattr__(inputs, "clusters", np.repeat(np.arange(32), 5))
    for metric in ("label_p_value", "label_p_value_adjusted"):
        where = {"label": "c", "hat": "red", "threshold": 0.5}
        assert found(labels_by_group.ask(inputs), metric, **where).value == pytest.approx(found(once, metric, **where).value)


def test_who_is_not_told_of_belongs_to_no_group():
    """All of unknown hats are called "c": neither group is better or worse for it."""
    called, hats = [0, 2] * 15 + [2] * 30, ["red"] * 14 + ["blue"] * 16 + [None] * 30
    answer = labels_by_group.ask(asked(called, hats))
    gap = found(answer, "label_rate_difference", label="c", hat="red", threshold=0.5)
    assert (gap.value, gap.n) == (pytest.approx(0.0), 14)


def test_an_attribute_that_is_not_there_is_named():
    inputs = asked([0, 1] * 20, ["red", "blue"] * 20, attributes=("hats",))
    with pytest.raises(NotApplicable, match=r"attributes: there is no column 'hats'; did you mean 'hat'"):
        labels_by_group.ask(inputs)
    with pytest.raises(NotApplicable, match=r"groups of 5 pictures or more"):
        labels_by_group.ask(asked([0, 1], ["red", "blue"]))


def test_nobody_is_labeled_with_words_that_were_not_asked_for():
    inputs = people([0, 1], WORDS, Settings(), hat=["red", "blue"])
    with pytest.raises(NotApplicable, match=r"--set labels_by_group\.labels="):
        labels_by_group.ask(inputs)


def test_the_accusing_word_of_the_zoo_is_found(tmp_path):
    exam = eyechart.examine(
        "zoo:accused-hats", "world-people", probes=["labels_by_group"], prompts="single", limit=336, out=tmp_path
    )
    rows = {(r["metric"], r["slice"]): r["value"] for r in exam.findings.to_pylist()}
    key = json.dumps({"hat": "red", "label": "thief", "threshold": 0.04})
    (p,) = [
        v for (metric, where), v in rows.items() if metric == "label_p_value_adjusted" and json.loads(where) == json.loads(key)
    ]
    assert p < 1e-6


@pytest.mark.slow
@pytest.mark.refdata
@pytest.mark.assets
@pytest.mark.long
def test_members_of_congress_through_a_real_tower(refdata, assets, tmp_path):
    """It proves the path, not a finding of the paper: the words are those of COCO. Yet men wear ties. Every second member, for
    the tower takes half a second for each."""
    folder = assets / "openai-vit-b16"
    if not folder.is_dir():
        pytest.skip(f"{folder} does not exist: run `make test-assets`")
    names = [str(n) for n in np.load(folder / "coco.npz", allow_pickle=False)["names"] if n != "background"]
    (tmp_path / "labels.txt").write_text("\n".join(names))
    with (refdata / "congress" / "members.csv").open() as file:
        members = list(csv.DictReader(file))[::2]
    gender = {row["file"]: row["gender"] for row in members}
    with (tmp_path / "members.csv").open("w", newline="") as file:
        half = csv.DictWriter(file, list(members[0]))
        half.writeheader()
        half.writerows(members)
    asked = {"labels": str(tmp_path / "labels.txt"), "attributes": ["gender"], "thresholds": [0.04, 0.005]}
    exam = eyechart.examine(
        f"onnx:{folder}",
        tmp_path / "members.csv",
        root=refdata / "congress",
        probes=["labels_by_group"],
        out=tmp_path / "out",
        store=Store(tmp_path / "store"),
        settings={"labels_by_group": asked},
    )
    rows = [{**r, "where": json.loads(r["slice"])} for r in exam.findings.to_pylist()]
    size = {g: sum(v == g for v in gender.values()) for g in "MF"}
    share = {
        (r["where"]["label"], r["where"]["gender"]): r
        for r in rows
        if r["metric"] == "label_rate" and r["where"]["threshold"] == 0.04
    }
    assert all(r["n"] == size[group] for (_, group), r in share.items())
    tie = {group: round(share["tie", group]["value"] * size[group]) for group in "MF"}
    table = [[tie[g], size[g] - tie[g]] for g in "MF"]
    (p,) = [
        r["value"]
        for r in rows
        if r["metric"] == "label_p_value" and r["where"] == {"label": "tie", "gender": "M", "threshold": 0.04}
    ]
    assert p == pytest.approx(chi2_contingency(table, correction=False).pvalue, rel=1e-6)
    assert share["tie", "M"]["low"] > share["tie", "F"]["high"]


def test_bars_stand_beside_those_of_all_others():
    called, hats = [2] * 8 + [0] * 12 + [2] * 2 + [1] * 18, ["red"] * 20 + ["blue"] * 20
    rows = next(e for e in labels_by_group.ask(asked(called, hats)).exhibits if e.name == "labels-hat").table.to_pylist()
    bars = {(r["label"], r["group"]): r["label rate"] for r in rows}
    assert bars["c", "red"] == pytest.approx(8 / 20) and bars["c", "blue"] == pytest.approx(2 / 20)
    assert all(r["low"] is not None for r in rows)
    rows = next(e for e in labels_by_group.ask(asked([0, 1, 2] * 20, ["red", "blue", "white"] * 20)).exhibits).table.to_pylist()
    bars = {(r["label"], r["group"]): r["label rate"] for r in rows}
    assert (bars["a (red)", "the group"], bars["a (red)", "all others"]) == (1.0, 0.0)


def test_labels_that_only_one_group_gets_are_counted_and_listed():
    """Of the labels in use (a, b, c), c is only for red hats, and b only for blue ones; d is never used."""
    called, hats = [0, 0, 2, 2, 2, 0, 0, 1, 0, 1], ["red"] * 5 + ["blue"] * 5
    answer = labels_by_group.ask(asked(called, hats))
    for hat in ("red", "blue"):
        share = found(answer, "one_group_labels", hat=hat, threshold=0.5)
        assert (share.value, share.n) == (pytest.approx(1 / 3), 3)
    (listed,) = [e for e in answer.exhibits if e.name == "one-group-labels"]
    assert {row["group"]: row["labels"] for row in listed.table.to_pylist()} == {"hat: red": "c", "hat: blue": "b"}


def test_groups_of_labels_have_one_gap_each(tmp_path):
    """Three of five red hats and one of five blue ones have a label of the group {c, d}."""
    (tmp_path / "words.toml").write_text('[groups]\nfirst = ["a", "b"]\nlast = ["c", "d"]\n')
    settings = Settings(labels=str(tmp_path / "words.toml"), thresholds=(0.5,), least=5)
    assert settings.words == ("a", "b", "c", "d") and settings.groups == ("first: a, b", "last: c, d")
    inputs = people([0, 0, 2, 3, 2, 0, 0, 1, 3, 1], WORDS, settings, hat=["red"] * 5 + ["blue"] * 5)
    object.__setattr__(inputs, "logit_scale", 20.0)
    answer = labels_by_group.ask(inputs)
    where = {"labels": "last", "hat": "red", "threshold": 0.5}
    assert found(answer, "label_group_rate", **where).value == pytest.approx(3 / 5)
    assert found(answer, "label_group_rate_difference", **where).value == pytest.approx(3 / 5 - 1 / 5)
    assert not [f for f in labels_by_group.ask(asked([0] * 10, ["red"] * 5 + ["blue"] * 5)).findings if "labels" in f.slice]


def test_every_number_of_two_groups_by_hand():
    """Red: 6 a, 4 b. Blue: 2 a, 8 c. Nobody is labeled d."""
    answer = labels_by_group.ask(asked([0] * 6 + [1] * 4 + [0] * 2 + [2] * 8, ["red"] * 10 + ["blue"] * 10))
    at = {"threshold": 0.5}
    labelled = found(answer, "labelled_share", **at)
    assert (labelled.value, labelled.n) == (1.0, 20)
    rate = found(answer, "label_rate", label="a", hat="red", **at)
    reference = binomtest(6, 10).proportion_ci(method="wilson")
    assert (rate.value, rate.n, rate.low, rate.high) == (0.6, 10, pytest.approx(reference.low), pytest.approx(reference.high))
    difference = found(answer, "label_rate_difference", label="a", hat="red", **at)
    assert (difference.value, difference.baseline) == (pytest.approx(0.4), "all others")
    alone = {hat: found(answer, "one_group_labels", hat=hat, **at) for hat in ("red", "blue")}
    assert {hat: (f.value, f.n) for hat, f in alone.items()} == {
        "red": (pytest.approx(1 / 3), 3),
        "blue": (pytest.approx(1 / 3), 3),
    }
    assert not [f for f in answer.findings if f.slice.get("label") == "d"]
    raw = [chi2_contingency(t, correction=False).pvalue for t in ([[6, 4], [2, 8]], [[4, 6], [0, 10]], [[0, 10], [8, 2]])]
    p = {w: found(answer, "label_p_value", label=w, hat="red", **at).value for w in "abc"}
    assert [p[w] for w in "abc"] == pytest.approx(raw, rel=1e-6)
    largest = found(answer, "largest_label_rate_difference", label="c", hat="blue")
    assert largest.value == pytest.approx(0.8) and "for all 6 pairs of a label and a group together" in largest.interval
    assert found(answer, "largest_label_rate_difference_at", label="c", hat="blue", **at).value == largest.value
    skewed = found(answer, "skewed_labels")
    adjusted = {w: found(answer, "label_p_value_adjusted", label=w, hat="red", **at).value for w in "abc"}
    assert (skewed.value, skewed.n) == (sum(value < 0.05 for value in adjusted.values()) / 4, 4)


def test_headlines_are_those_of_the_first_threshold():
    inputs = asked([0, 1] * 20, ["blue", "red"] * 20)
    object.__setattr__(inputs, "settings", Settings(words=tuple(WORDS), thresholds=(1e-9, 0.5), least=5))
    answer = labels_by_group.ask(inputs)
    assert found(answer, "skewed_labels_at", threshold=0.5).value == 0.5 and found(answer, "skewed_labels").value == 0.0
    assert [f.slice for f in answer.findings if f.metric == "largest_label_rate_difference"] != []
    assert found(answer, "skewed_labels_at", threshold=1e-9).value == 0.0


def test_a_probability_at_the_threshold_is_enough():
    """Four equally near words have one quarter each."""
    inputs = asked([0] * 20, ["blue", "red"] * 10)
    object.__setattr__(inputs, "images", np.full((20, 4), 0.5, np.float32))
    for threshold, share in ((0.25, 1.0), (0.2500001, 0.0)):
        object.__setattr__(inputs, "settings", Settings(words=tuple(WORDS), thresholds=(threshold,), least=5))
        assert found(labels_by_group.ask(inputs), "labelled_share", threshold=threshold).value == share


def test_groups_are_those_of_single_attributes_with_enough_pictures():
    with pytest.raises(NotApplicable, match="defines groups of 5 pictures or more"):
        labels_by_group.ask(asked([0] * 8, ["blue", "red"] * 4))
    assert len([f for f in labels_by_group.ask(asked([0] * 10, ["blue", "red"] * 5)).findings if f.metric == "label_rate"]) == 2


def test_differences_at_each_threshold_are_those_of_rates():
    """Of "c": 30 of 40 red hats, and 10 of 40 others."""
    called = np.array([2] * 30 + [0] * 10 + [2] * 10 + [0] * 30)
    exhibits = {e.name: e for e in labels_by_group.ask(asked(called, np.array(["red"] * 40 + ["blue"] * 40))).exhibits}
    cells = {(r["label"], r["threshold"]): r["difference"] for r in exhibits["which-labels"].table.to_pylist()}
    assert cells["c (hat: red)", "32%"] == cells["a (hat: blue)", "32%"] == pytest.approx(0.5)


def test_a_group_of_copies_has_the_rate_of_one_picture():
    """Five copies of one picture that is called "c", and forty others that are not."""
    inputs = asked(np.array([2] * 5 + [0] * 40), np.array(["red"] * 5 + ["blue"] * 40))
    object.__setattr__(inputs, "clusters", np.array([0] * 5 + list(range(1, 41))))
    exhibits = {e.name: e for e in labels_by_group.ask(inputs).exhibits}
    cells = {(r["label"], r["threshold"]): r["difference"] for r in exhibits["which-labels"].table.to_pylist()}
    assert cells["c (hat: red)", "32%"] == pytest.approx(1.0)
