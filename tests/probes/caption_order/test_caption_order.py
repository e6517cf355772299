"""Captions and areas: by hand, orders planted and not, names that are always first, and names read by an endpoint."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.language_models.test_endpoint import Server
from tests.probes.answering import only
from tests.probes.text_encoders import encodable, named

import eyechart
from eyechart.language_models.endpoint import Endpoint
from eyechart.language_models.open import LanguageModel
from eyechart.probes.caption_order import Settings, caption_order
from eyechart.probes.contract import NotApplicable
from eyechart.probes.tasks.caption_names import listed

NAMES = ["dog", "kite", "bench", "person", "hot dog"]


def asked(captions, areas, settings=None):
    """One row a picture: its captions, and the areas of its things by name."""
    objects = [[{"name": name, "area": area} for name, area in of.items()] for of in areas]
    dataset = named(NAMES, captions=pa.array(captions, pa.list_(pa.string())), objects=pa.array(objects))
    settings = settings or Settings(least=1)
    wanted = caption_order.language_model(settings)
    model = LanguageModel(wanted.base, wanted.model, Path(wanted.replies), wanted.offline).open().ask_all if wanted else None
    return caption_order.ask(replace(encodable(dataset, None, settings), ask_language_model=model))


def test_by_hand():
    """The largest is first, second, first; the fourth caption names one thing of its picture, the fifth ties."""
    captions = [["a dog and a kite", "the kite over the dog"], ["hot dog on a bench, dog"], ["a kite, a person"], ["dog, kite"]]
    areas = [{"dog": 0.4, "kite": 0.1}, {"hot dog": 0.3, "bench": 0.2, "dog": 0.1}, {"kite": 0.5}, {"dog": 0.2, "kite": 0.2}]
    answer = asked(captions, areas)
    assert only(answer, "largest_first").value == pytest.approx(2 / 3) and only(answer, "largest_first").n == 3
    assert only(answer, "largest_first_chance").value == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)
    assert only(answer, "largest_at_position", count=2, position=2).value == 0.5
    assert only(answer, "largest_at_position", count=3, position=1).value == 1.0
    assert any("1 caption left out of shares by position" in n.what for n in answer.notices)


def test_several_things_of_one_name_count_by_the_largest_or_together():
    captions = [["dog and bench"]] * 2
    objects = pa.array([[{"name": "dog", "area": 0.2}, {"name": "dog", "area": 0.2}, {"name": "bench", "area": 0.3}]] * 2)
    dataset = named(NAMES, captions=pa.array(captions, pa.list_(pa.string())), objects=objects)
    by_largest = caption_order.ask(encodable(dataset, None, Settings(least=1)))
    by_sum = caption_order.ask(encodable(dataset, None, Settings(least=1, areas="sum")))
    assert (only(by_largest, "largest_first").value, only(by_sum, "largest_first").value) == (0.0, 1.0)


def drawn(rng, pictures=120, *, largest_first, person_first=False):
    """Three things a picture, of random size (people twice as large); said largest first with some chance, else in any order."""
    captions, areas = [], []
    for _ in range(pictures):
        names = [NAMES[i] for i in rng.permutation(4)[:3]]
        size = {name: float(rng.random()) * (2 if name == "person" else 1) + 0.01 for name in names}
        order = sorted(names, key=lambda name: -size[name]) if rng.random() < largest_first else list(rng.permutation(names))
        if person_first:
            order.sort(key=lambda name: name != "person")
        captions.append([" and ".join(order)])
        areas.append(size)
    return asked(captions, areas)


def test_an_order_by_size_is_found():
    answer = drawn(np.random.default_rng(0), 400, largest_first=0.5)
    first, effect = only(answer, "largest_first"), only(answer, "size_effect")
    assert first.low <= 0.5 + 0.5 / 3 <= first.high
    assert effect.low <= 0.5 <= effect.high  # half of the captions are in order of size; of the others, either comes first


def test_people_who_are_always_first_are_told_apart_from_size():
    """They are large and named first, so the largest is first too often; but no size changes any order."""
    answer = drawn(np.random.default_rng(1), 600, largest_first=0.0, person_first=True)
    assert only(answer, "largest_first_difference").low > 0.05
    effect = only(answer, "size_effect")
    assert effect.low <= 0 <= effect.high


@pytest.mark.slow
def test_a_random_order_raises_few_alarms_and_intervals_cover():
    rng, alarms, covered = np.random.default_rng(2), [], 0
    for _ in range(200):
        answer = drawn(rng, 80, largest_first=0.0)
        lead, effect, first = (only(answer, m) for m in ("largest_first_difference", "size_effect", "largest_first"))
        alarms.append((not lead.low <= 0 <= lead.high, not effect.low <= 0 <= effect.high))
        covered += first.low <= 1 / 3 <= first.high
    assert not any(alarms[0])
    assert max(sum(a) for a in zip(*alarms, strict=True)) <= 18
    assert 179 <= covered <= 198


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ('["Dog", " kite "]', ["dog", "kite"]),
        ('Sure!\n```json\n["dog"]\n```', ["dog"]),
        ("[]", []),
        ("a dog", None),
        ("[1, 2]", None),
        ("[dog]", None),
    ],
)
def test_replies_are_read_or_set_aside(reply, words):
    assert listed(reply) == words


def test_names_read_by_an_endpoint_are_replayed_without_it(tmp_path):
    server = Server()
    captions, areas = [["Puppies under a kite"], ["a kite"], ["?"]], [{"dog": 0.4, "kite": 0.1}] * 3
    replies = ['["dog", "sky", "kite"]', '["kite"]', "I cannot see the picture."]
    server.answers = [(200, {}, json.dumps({"choices": [{"message": {"content": r}}]}).encode()) for r in replies]
    settings = {"least": 1, "endpoint": server.base, "model": "m", "replies": str(tmp_path)}
    ask_all = Endpoint.ask_all  # one after the other, so that each caption gets its reply
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Endpoint, "ask_all", lambda self, i, texts: ask_all(self, i, texts, at_once=1))
        answer = asked(captions, areas, Settings(**settings))
    server.server.shutdown()
    server.server.server_close()
    assert only(answer, "largest_first").value == 1.0 and only(answer, "largest_first").n == 1
    assert any("1 reply of 3 left out because" in n.what for n in answer.notices)
    again = asked(captions, areas, Settings(**settings, offline=True))
    assert only(again, "largest_first").value == 1.0


def test_what_makes_no_sense_is_said():
    with pytest.raises(NotApplicable, match="fewer than 20 pictures"):
        asked([["dog and kite"]] * 3, [{"dog": 0.2, "kite": 0.1}] * 3, Settings())
    with pytest.raises(NotApplicable, match="no areas, boxes or masks"):
        asked([["dog and kite"]], [{"dog": 0.0}])
    with pytest.raises(ValueError, match="must be given together"):
        Settings(endpoint="https://example.org/v1")


def test_the_whole_way_on_the_embedded_world(store, tmp_path):
    """Two of its four captions name the largest first, two are in a random order."""
    exam = eyechart.examine("demo:", "world-scenes", limit=60, probes=["caption_order"], out=tmp_path / "out", store=store)
    found = {f["metric"]: f for f in exam.findings.to_pylist() if f["slice"] == "{}"}
    assert found["largest_first"]["value"] > 0.6 and found["size_effect"]["low"] > 0.3
    assert "positions" in {e.exhibit.name for e in exam.exhibits}


@pytest.mark.parametrize(
    "sizes",
    [
        {"kite": {"area": 0.1}, "dog": {"area": 0.4}},
        {"kite": {"box": [0.0, 0.0, 0.2, 0.5]}, "dog": {"box": [0.0, 0.0, 0.9, 0.5]}},
        {"kite": {"area": None, "box": [0.0, 0.0, 0.2, 0.5]}, "dog": {"area": None, "box": [0.0, 0.0, 0.9, 0.5]}},
        {"kite": {"mask": [2, 1, 9]}, "dog": {"mask": [0, 3, 5, 3, 1]}},
    ],
    ids=["areas", "boxes", "boxes beside empty areas", "masks"],
)
def test_sizes_are_those_of_areas_boxes_or_masks(sizes):
    objects = pa.array([[{"name": name, **of} for name, of in sizes.items()]] * 4)
    dataset = named(NAMES, captions=pa.array([["a kite, a dog"], ["dog and kite"]] * 2, pa.list_(pa.string())), objects=objects)
    answer = caption_order.ask(encodable(dataset, None, Settings(least=1)))
    assert only(answer, "largest_first").value == 0.5 and only(answer, "largest_first").n == 4


def test_things_of_no_known_size_have_no_part():
    """An area that is no number, or below 0, says nothing; and a column of bare words says no sizes at all."""
    captions = pa.array([["a kite, a dog, a bench"]] * 3, pa.list_(pa.string()))
    things = [{"name": "kite", "area": float("nan")}, {"name": "dog", "area": 0.1}, {"name": "bench", "area": 0.3}]
    unclear = named(NAMES, captions=captions, objects=pa.array([things, things, [{**things[0], "area": -1.0}, *things[1:]]]))
    answer = caption_order.ask(encodable(unclear, None, Settings(least=1)))
    assert only(answer, "largest_at_position", count=2, position=2).value == 1.0
    bare = named(NAMES, captions=captions, objects=pa.array([["kite", "dog"]] * 3))
    with pytest.raises(NotApplicable, match="no areas, boxes or masks"):
        caption_order.ask(encodable(bare, None, Settings(least=1)))


def test_names_are_found_however_they_are_written():
    objects = pa.array([[{"name": "Hot_Dog", "area": 0.4}, {"name": "bench", "area": 0.1}]] * 2)
    dataset = named(["Hot_Dog", "bench"], captions=pa.array([["a hot dog on a bench"]] * 2), objects=objects)
    assert only(caption_order.ask(encodable(dataset, None, Settings(least=1))), "largest_first").value == 1.0


def test_the_difference_from_a_random_order_has_a_normal_interval_over_pictures():
    """Two captions of one picture vary together. Of two names, first is one half by chance."""
    captions = [["dog and kite", "dog, kite"], ["kite and dog"], ["dog and bench"]]
    areas = [{"dog": 0.4, "kite": 0.1}, {"dog": 0.4, "kite": 0.1}, {"dog": 0.4, "bench": 0.1}]
    answer = asked(captions, areas)
    found = only(answer, "largest_first_difference")
    assert (found.value, found.n, found.baseline) == (pytest.approx(0.75 - 0.5), 4, "a random order")
    assert only(answer, "largest_first_chance").n == 4 and found.low < 0.25 < found.high
    assert only(answer, "largest_first").value == 0.75 and answer.notices == []


@pytest.mark.parametrize(("least", "counts"), [(2, {2}), (3, {2})])
def test_positions_need_enough_captions_of_as_many_names(least, counts):
    captions = [["dog and kite"], ["kite and dog"], ["dog and bench"], ["dog, kite, bench"]]
    areas = [{"dog": 0.4, "kite": 0.1, "bench": 0.2}] * 4
    answer = asked(captions, areas, Settings(least=least))
    assert {f.slice["count"] for f in answer.findings if f.metric == "largest_at_position"} == counts
    share = only(answer, "largest_at_position", count=2, position=1)
    assert (share.value, share.n) == (pytest.approx(2 / 3), 3)


def test_so_many_pictures_are_needed_and_so_many_captions_are_read():
    captions, areas = [["dog and kite"]] * 6, [{"dog": 0.4, "kite": 0.1}] * 6
    assert only(asked(captions, areas, Settings(least=6)), "largest_first").n == 6
    with pytest.raises(NotApplicable, match="fewer than 7 pictures"):
        asked(captions, areas, Settings(least=7))
    assert only(asked(captions, areas, Settings(least=1, most=4)), "largest_first").n == 4


def test_the_size_effect_compares_the_same_two_names():
    """Dog and kite: where the dog is larger it comes first in three of four, where the kite is larger in one of four."""
    said = ["dog and kite"] * 3 + ["kite and dog"] + ["dog and kite"] + ["kite and dog"] * 3
    areas = [{"dog": 0.4, "kite": 0.1}] * 4 + [{"dog": 0.1, "kite": 0.4}] * 4
    effect = only(asked([[text] for text in said], areas), "size_effect")
    assert effect.value == pytest.approx(0.5) and effect.low < 0.5 < effect.high
    same = asked([["dog and kite"]] * 4, [{"dog": 0.4, "kite": 0.1}] * 4)
    assert not [f for f in same.findings if f.metric == "size_effect"]
