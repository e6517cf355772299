"""The prompt sets and class names are those of the libraries they come from, letter for letter."""

from pathlib import Path

import pytest

from eyechart.data.class_file import read_classes
from eyechart.prompts.library import load_prompts

pytestmark = pytest.mark.backend


def test_templates_and_class_names_are_open_clips():
    published = pytest.importorskip("open_clip.zero_shot_metadata")
    assert load_prompts("openai-80").templates == tuple(template("{}") for template in published.OPENAI_IMAGENET_TEMPLATES)
    assert load_prompts("openai-7").templates == tuple(template("{}") for template in published.SIMPLE_IMAGENET_TEMPLATES)
    assert [c.name for c in read_classes("imagenet-1k")] == list(published.IMAGENET_CLASSNAMES)


def test_wordnet_ids_are_timms():
    timm = pytest.importorskip("timm")
    listed = Path(timm.__file__).parent / "data" / "_info" / "imagenet_synsets.txt"
    assert [c.label for c in read_classes("imagenet-1k")] == listed.read_text().split()


@pytest.mark.parametrize("letter", ["a", "r"])
def test_the_classes_of_imagenet_a_and_r_are_timms(letter):
    timm = pytest.importorskip("timm")
    info = Path(timm.__file__).parent / "data" / "_info"
    assert [c.label for c in read_classes(f"imagenet-{letter}")] == (info / f"imagenet_{letter}_synsets.txt").read_text().split()
    every = [c.label for c in read_classes("imagenet-1k")]
    indices = [int(line) for line in (info / f"imagenet_{letter}_indices.txt").read_text().split()]
    assert [every[i] for i in indices] == [c.label for c in read_classes(f"imagenet-{letter}")]
