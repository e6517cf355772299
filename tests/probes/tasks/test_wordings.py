"""Other words for object names: plurals, the words of captions for COCO's categories, and none that could mean two names."""

import pytest

from eyechart.data.class_file import read_classes
from eyechart.probes.tasks.caption_names import by_list
from eyechart.probes.tasks.wordings import COCO_WORDS, all_wordings, plural_of


@pytest.mark.parametrize(
    ("name", "plural"),
    [("dog", "dogs"), ("bus", "buses"), ("box", "boxes"), ("bench", "benches"), ("toothbrush", "toothbrushes"), ("toy", "toys"),
     ("cherry", "cherries"), ("knife", "knives"), ("fire hydrant", "fire hydrants"), ("sheep", "sheep")],
)  # fmt: skip
def test_plurals(name, plural):
    assert plural_of(name) == plural


def test_captions_of_coco_are_read_with_their_own_words():
    read = by_list(all_wordings({c.name: c.name for c in read_classes("coco-80")}))
    assert read(["Two men on bikes pass a fridge", "puppies and a hot dog on sofas", "a child holds scissors"]) == [
        ["person", "bicycle", "refrigerator"], ["dog", "hot dog", "couch"], ["person", "scissors"],
    ]  # fmt: skip


def test_names_of_other_lists_have_plurals_alone():
    found = all_wordings({"person": "person", "gizmo": "gizmo"})
    assert found == {"person": "person", "people": "person", "gizmo": "gizmo", "gizmos": "gizmo"}


def test_a_name_is_never_taken_for_another():
    found = all_wordings({"glass": "glass", "glasses": "glasses"})
    assert found["glasses"] == "glasses" and found["glass"] == "glass"
    found = all_wordings({"cow": "cow", "bike": "motorcycle", "bicycle": "bicycle", "motorcycle": "motorcycle"})
    assert found["bike"] == "motorcycle"
    assert "buses" not in all_wordings({"bus": "bus", "buse": "buse"})  # both would have this plural


def test_every_word_of_the_list_means_one_category_of_coco():
    names = {c.name for c in read_classes("coco-80")}
    words = [word for of in COCO_WORDS.values() for word in of]
    assert set(COCO_WORDS) <= names and len(words) == len(set(words)) and not set(words) & names
