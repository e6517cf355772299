"""Retrieval with captions encoded in several ways, against a loop over all pairs."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from tests.repair.captions.made_scenes import hears_first, scenes
from tests.repair.made import unit

from eyechart.errors import DataError, UsageError
from eyechart.repair.captions.caption_tasks import LEAST, caption_tasks
from eyechart.repair.captions.changes import CaptionChange, changes, shown_way, significant_changes
from eyechart.repair.captions.matching import match, matching_trials
from eyechart.repair.captions.repair import OVERALL, choose_way
from eyechart.repair.captions.retrieval import queries_of, retrieve
from eyechart.repair.captions.run import repair_captions
from eyechart.repair.captions.settings import CaptionSettings

ORDERS = CaptionSettings(way="orders")


def encoded(caption, way):
    """The vector of a caption as it is, or as the mean over all orders of its names."""
    if way == "as is":
        return hears_first([caption])[0]
    names = caption.split(" and ")
    return unit(hears_first([" and ".join(p) for p in permutations(names)]).astype(float).mean(axis=0))


def test_hits_are_those_of_a_loop_over_all_pairs():
    inputs = scenes(48, hears_first, noise=0.35, seed=3, captions="random")
    members = np.arange(48) % 4 != 0
    found = {r.name: r for r in retrieve(inputs, queries_of(inputs.dataset), members, ORDERS)}
    assert set(found) >= {f"{d}, R@{k}" for d in ("text → image", "image → text") for k in (1, 5, 10)}
    rows = np.flatnonzero(members)
    said = [inputs.dataset.table.column("captions")[int(i)].as_py()[0] for i in rows]
    texts = sorted(set(said))
    meant = {
        text: {i for i, other in zip(rows, said, strict=True) if set(other.split(" and ")) == set(text.split(" and "))}
        for text in texts
    }
    for way in ("as is", "orders"):
        vectors = {text: encoded(text, way) for text in texts}
        of_text = []
        for text in said:
            score = {i: float(inputs.images[i] @ vectors[text]) for i in rows}
            best = max(score[i] for i in meant[text])
            of_text.append(sum(score[i] > best + 1e-7 for i in rows if i not in meant[text]))
        of_image = []
        for i in rows:
            score = {text: float(inputs.images[i] @ vectors[text]) for text in texts}
            best = max(score[text] for text in texts if i in meant[text])
            of_image.append(sum(value > best + 1e-7 for text, value in score.items() if i not in meant[text]))
        for k in (1, 5, 10):
            assert found[f"text → image, R@{k}"].hits[way].tolist() == [rank < k for rank in of_text]
            assert found[f"image → text, R@{k}"].hits[way].tolist() == [rank < k for rank in of_image]
        assert any(rank == k for k in (1, 5) for rank in of_text)  # or k and k + 1 would not differ
        assert any(rank == k for k in (1, 5) for rank in of_image)
    assert [r.name for r in found.values() if r.counts] == ["text → image, R@1", "image → text, R@1"]
    assert found["text → image, R@1"].rows.tolist() == found["image → text, R@5"].rows.tolist() == rows.tolist()


def test_captions_by_the_place_of_the_large_object():
    inputs = scenes(80, hears_first, noise=0.35, captions="random")
    found = {r.name: r for r in retrieve(inputs, queries_of(inputs.dataset), np.ones(80, bool), ORDERS)}
    table = inputs.dataset.table.to_pylist()
    first = np.array([row["captions"][0].split(" and ")[0] == row["objects"][0]["name"] for row in table])
    assert 20 <= first.sum() <= 60
    for name, part in (("large named first", first), ("large named later", ~first)):
        one = found[f"text → image, R@1, {name}"]
        assert one.rows.tolist() == np.flatnonzero(part).tolist()
        assert one.hits["orders"].tolist() == found["text → image, R@1"].hits["orders"][part].tolist()
        assert not one.counts


def test_parts_with_few_captions_are_not_reported():
    inputs = scenes(60, hears_first, captions="first")  # the large object is never named later
    found = retrieve(inputs, queries_of(inputs.dataset), np.ones(60, bool), ORDERS)
    assert not [r.name for r in found if "large named" in r.name]


@pytest.mark.parametrize(("pictures", "ks"), [(5, [1]), (6, [1, 5]), (10, [1, 5]), (11, [1, 5, 10])])
def test_a_recall_that_cannot_miss_is_not_reported(pictures, ks):
    """With five pictures, the right one is always among the five best."""
    inputs = scenes(40, hears_first, captions="random", seed=5)
    captions = [row["captions"][0] for row in inputs.dataset.table.to_pylist()]
    _, distinct = np.unique([" ".join(sorted(c.split(" and "))) for c in captions], return_index=True)
    members = np.isin(np.arange(40), distinct[:pictures])
    found = [r.name for r in retrieve(inputs, queries_of(inputs.dataset), members, ORDERS)]
    for direction in ("text → image", "image → text"):
        assert [name for name in found if name.startswith(direction)] == [f"{direction}, R@{k}" for k in ks]


def test_nothing_to_retrieve_is_no_trial():
    inputs = scenes(40, hears_first, captions="random")
    assert retrieve(inputs, queries_of(inputs.dataset), np.arange(40) == 3, ORDERS) == []  # one picture
    sentences = [["a dog that chases a cat"]] * 40
    plain = replace(inputs.dataset, table=inputs.dataset.table.set_column(2, "captions", pa.array(sentences)))
    assert retrieve(replace(inputs, dataset=plain), queries_of(plain), np.ones(40, bool), ORDERS) == []


def with_captions(inputs, captions):
    place = inputs.dataset.table.schema.get_field_index("captions")
    return replace(
        inputs, dataset=replace(inputs.dataset, table=inputs.dataset.table.set_column(place, "captions", pa.array(captions)))
    )


def test_captions_that_are_no_list_are_counted():
    inputs = scenes(80, hears_first, captions="random")
    captions = inputs.dataset.table.column("captions").to_pylist()
    some = with_captions(inputs, [[f"cube that is number {i}"] if i < 3 else c for i, c in enumerate(captions)])
    # Texts that are no list are encoded as they are.
    some = replace(some, texts=lambda texts: hears_first([t if " that " not in t else "cube" for t in texts]))
    distinct = len({c for of in some.dataset.table.column("captions").to_pylist() for c in of})
    notices = [n.what for n in choose_way(some, ORDERS).notices]
    assert notices == [f"3 captions of {distinct} do more than list objects, or list none"]
    assert not choose_way(inputs, ORDERS).notices
    none = with_captions(inputs, [["cube that is alone"]] * 80)
    assert [n.what for n in choose_way(none, ORDERS).notices] == ["no caption is a plain list of objects"]
    assert not choose_way(scenes(80, hears_first), ORDERS).notices  # no captions at all


def test_examples_of_trials_are_pairs():
    inputs = scenes(80, hears_first)
    repaired, trials = choose_way(inputs, ORDERS), matching_trials(inputs.dataset, ORDERS)
    assert repaired.trials == {kind: (trials.right[kind][0], trials.wrong[kind][0]) for kind in trials.right}
    for kind in ("scenario 1", "large replaced, named last", "small replaced, large named first"):
        true, false = (set(text.split(" and ")) for text in repaired.trials[kind])
        assert len(true - false) == len(false - true) == 1


def test_equal_captions_are_no_success():
    """An encoder that hears nothing: the true caption is never closer."""
    inputs = replace(scenes(40, hears_first), texts=lambda texts: np.ones((len(texts), 8), np.float32) / np.sqrt(8))
    for results in match(inputs, matching_trials(inputs.dataset, ORDERS), ORDERS):
        assert not any(hits.any() for hits in results.hits.values())


def test_where_captions_are_kept_the_best_other_way_is_shown():
    repaired = choose_way(scenes(80, hears_first), CaptionSettings())
    gains = {way: replace(f, value=value) for (way, f), value in zip(repaired.gains.items(), (0.0, 0.05, -0.2), strict=True)}
    ways = list(gains)
    assert shown_way(replace(repaired, chosen="as is", gains=gains)) == ways[1]
    assert shown_way(replace(repaired, chosen=ways[2], gains=gains)) == ways[2]


def test_overall_values_are_not_listed_among_trials():
    (example,) = [c for c in changes(choose_way(scenes(80, hears_first), ORDERS), "orders") if c.trial == "scenario 2"]

    def changed(trial, low, high):
        return CaptionChange(
            trial, example.before, example.after, replace(example.change, value=(low + high) / 2, low=low, high=high)
        )

    overall = OVERALL["matching"]
    found = [changed("a", 0.1, 0.2), changed("b", -0.2, -0.1), changed("c", -0.1, 0.1), changed(overall, -0.2, -0.1)]
    assert significant_changes(found) == "Significant changes: better: a; worse: b."
    assert significant_changes([changed(overall, 0.1, 0.2)]) == "Significant changes: better: none; worse: none."


def test_the_card_is_a_json_file(tmp_path):
    with pytest.raises(UsageError, match=r"give --out a name such as card\.json"):
        repair_captions("demo:", "world-scenes", out=tmp_path / "card.txt", limit=2)


def test_too_few_pictures_are_said_and_just_enough_are_not(tmp_path):
    with pytest.raises(DataError, match="2 pictures are too few"):
        repair_captions("demo:", "world-scenes", out=tmp_path / "card.json", limit=2)
    assert caption_tasks(scenes(LEAST, hears_first).dataset, ORDERS).trials is not None
    with pytest.raises(DataError, match="too few"):
        caption_tasks(scenes(LEAST - 1, hears_first).dataset, ORDERS)


def test_texts_of_all_tasks_cover_what_is_encoded():
    inputs = scenes(60, hears_first, captions="random")
    told = set(caption_tasks(inputs.dataset, ORDERS).texts(ORDERS))
    asked = set()
    choose_way(replace(inputs, texts=lambda texts: asked.update(texts) or hears_first(texts)), ORDERS)
    assert asked == told


def test_two_pictures_are_enough_to_retrieve():
    inputs = scenes(40, hears_first, captions="last")
    assert [r.name for r in retrieve(inputs, queries_of(inputs.dataset), np.isin(np.arange(40), [2, 3]), ORDERS)] == [
        "text → image, R@1", "image → text, R@1",
    ]  # fmt: skip


def test_captions_by_order_need_enough_of_both(monkeypatch):
    inputs = scenes(80, hears_first, captions="random")
    queries = queries_of(inputs.dataset)
    fewer = min(int(queries.large_first.sum()), int((~queries.large_first).sum()))
    for least, count in ((fewer, 2), (fewer + 1, 0)):
        monkeypatch.setattr("eyechart.repair.captions.retrieval.LEAST", least)
        found = retrieve(inputs, queries, np.ones(80, bool), ORDERS)
        assert sum("large named" in r.name for r in found) == count
