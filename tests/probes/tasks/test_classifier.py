"""The zero-shot classifier, and shares as findings."""

import numpy as np
import pytest
from scipy.stats import binomtest

from eyechart.data.classes import ClassList, PictureClass
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.probes.tasks.classifier import build_classifier, class_titles, prompt_texts
from eyechart.probes.tasks.share_findings import difference_finding, share_finding
from eyechart.prompts.prompt_set import PromptSet

PETS = ClassList("pets", (PictureClass("c", "cat", ("kitty",)), PictureClass("d", "dog"), PictureClass("e", "dog")))
TWO = PromptSet("two", ("a {}", "the {}"), "test")


def test_every_name_is_put_into_every_template():
    assert prompt_texts(PETS, TWO) == ["a cat", "the cat", "a kitty", "the kitty", "a dog", "the dog", "a dog", "the dog"]


def test_a_class_vector_is_the_normalized_mean_of_normalized_prompt_vectors():
    rng = np.random.default_rng(0)
    raw = {text: rng.normal(size=5) for text in dict.fromkeys(prompt_texts(PETS, TWO))}
    unit = {text: v / np.linalg.norm(v) for text, v in raw.items()}
    made = build_classifier(PETS, TWO, lambda texts: np.float32([unit[t] for t in texts]))
    mean = np.mean([unit[t] for t in ("a cat", "the cat", "a kitty", "the kitty")], axis=0)
    np.testing.assert_allclose(made.vectors[0], mean / np.linalg.norm(mean), atol=1e-6)
    assert made.duplicates.tolist() == [0, 1, 1]


def test_classes_of_one_name_get_distinct_titles():
    assert class_titles(PETS) == ["cat", "dog (d)", "dog (e)"]


@pytest.mark.parametrize(
    ("label", "name", "title"),
    [
        ("tabby", "tabby cat", "tabby (tabby cat)"),
        ("n01440764", "tench", "tench"),  # an id says nothing
        ("17", "tench", "tench"),
        ("cell_phone", "cell phone", "cell phone"),  # the same word
        ("longsleeve", "long sleeve", "long sleeve"),
        ("Müll", "waste", "Müll (waste)"),
    ],
)
def test_a_class_is_shown_under_its_label_where_that_is_a_word(label, name, title):
    assert class_titles(ClassList("one", (PictureClass(label, name),))) == [title]


def test_a_share_of_single_rows_has_a_wilson_interval():
    hits = np.array([True] * 37 + [False] * 13)
    found = share_finding("top1", clustered_share(hits, np.arange(50)), {"prompts": "single"})
    assert (found.value, found.n, found.slice) == (0.74, 50, {"prompts": "single"})
    assert (found.low, found.high) == pytest.approx(tuple(binomtest(37, 50).proportion_ci(method="wilson")), abs=0.01)


def test_a_difference_names_its_baseline_and_contains_its_value():
    a = clustered_share(np.array([True] * 30 + [False] * 10), np.arange(40))
    b = clustered_share(np.array([True] * 10 + [False] * 30), np.arange(40, 80))
    found = difference_finding("gap", a, b, baseline="all others")
    assert found.value == pytest.approx(0.5) and 0 < found.low < 0.5 < found.high < 1 and found.baseline == "all others"


def test_a_word_has_three_letters_and_no_digit():
    shown = [(label, "creature") for label in ("cat", "ox", "n01", "123", "a1b")]
    classes = ClassList("c", tuple(PictureClass(label, f"{name} {label}") for label, name in shown))
    assert class_titles(classes) == ["cat (creature cat)", "creature ox", "creature n01", "creature 123", "creature a1b"]
