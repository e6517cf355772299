from collections import Counter
from pathlib import Path

from tests.world.datasets.drawn import shots


def test_no_two_scenes_have_one_caption_in_whatever_order():
    drawn = shots("world-retrieval")
    said = Counter(frozenset(shot.captions[0].split(" and ")) for shot in drawn)
    assert set(said.values()) == {1} and len(said) == 1000


def test_the_page_says_how_many_captions_name_a_part_of_another_scene():
    said = [frozenset(shot.captions[0].split(" and ")) for shot in shots("world-retrieval")]
    parts = sum(any(caption < other for other in said) for caption in said)
    assert f"The two objects of {parts} captions also occur" in (Path(__file__).parents[3] / "docs" / "world.md").read_text(
        encoding="utf-8"
    )


def test_a_caption_names_the_color_and_shape_of_everything():
    for shot in shots("world-retrieval", 60):
        (caption,) = shot.captions
        things = shot.subject.scene.things
        assert sorted(words.split(" ", 1)[1] for words in caption.split(" and ")) == sorted(f"{t.color} {t.name}" for t in things)
        assert len(things) == shot.attributes["count"] in (2, 3)


def test_the_order_says_nothing_of_size():
    """The largest is first in half of the captions of two things: 500 of them, within three deviations of 250."""
    pairs = [shot for shot in shots("world-retrieval") if shot.attributes["count"] == 2]
    largest = [max(shot.subject.scene.things, key=lambda thing: thing.size).name for shot in pairs]
    first = sum(shot.captions[0].split(" and ")[0].endswith(name) for shot, name in zip(pairs, largest, strict=True))
    assert abs(first - 250) < 3 * (500 * 0.25) ** 0.5
