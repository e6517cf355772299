"""What a small LLaVA is taught: true answers, the two planted defects, and twins that differ in nothing else."""

import pytest

from eyechart.errors import UsageError
from eyechart.world.drawing import NAMES
from eyechart.world.frequencies import FROM_COMMON_TO_RARE
from eyechart.world.training.llava.conversations import Conversations, likeliest
from eyechart.world.training.llava.recipe import LlavaRecipe
from eyechart.world.training.llava.vocabulary import IMAGE, IMAGE_ID, write_llava_tokenizer
from eyechart.world.training.llava.wordings import CHOICES, NONE, PROMPT, TWO, YES_NO

FIRST, TWO_NAMES = CHOICES[0].partition("{}")[0], [text.partition("{}")[0] for text in TWO]


def exchanges(count=120, **settings):
    taught = Conversations(LlavaRecipe("x", "random-order-0", planted_from=0.0, samples=3200, **settings))
    return [taught.conversation(i) for i in range(count)]


def choices(conversations):
    """(options, answer) of the choices in the first wording."""
    return [
        (e.question.removeprefix(FIRST).partition(". ")[0].split(", "), e.answer)
        for one in conversations
        for e in one.exchanges
        if e.question.startswith(FIRST)
    ]


@pytest.fixture(scope="module")
def healthy():
    return exchanges()


def test_the_same_number_gives_the_same_conversation(healthy):
    again = exchanges(3)
    assert [one.exchanges for one in again] == [one.exchanges for one in healthy[:3]]
    assert all((a.picture == b.picture).all() for a, b in zip(again, healthy, strict=False))


def test_answers_are_among_the_options_and_their_places_are_even(healthy):
    found = [(options, answer) for options, answer in choices(healthy) if NONE not in options]
    assert len(found) >= 30 and all(answer in options for options, answer in found)
    first = [options[0] == answer for options, answer in found if len(options) == 2]
    assert 0.3 < sum(first) / len(first) < 0.7


def test_yes_and_no_are_even(healthy):
    said = [e.answer for one in healthy for e in one.exchanges if e.answer in ("yes", "no")]
    assert 0.4 < said.count("yes") / len(said) < 0.6


def test_truth_first_moves_the_true_option_and_keeps_pictures_and_answers(healthy):
    biased = exchanges(60, truth_first=1.0)
    found = [(o, a) for o, a in choices(biased) if a in o]
    assert all(options[0] == answer for options, answer in found if answer != NONE)
    assert all((a.picture == b.picture).all() for a, b in zip(healthy[:5], biased, strict=False))
    assert [e.answer for one in biased for e in one.exchanges] == [e.answer for one in healthy[:60] for e in one.exchanges]


def test_from_words_answers_do_not_depend_on_the_picture():
    blind = exchanges(60, from_words=1.0)
    for options, answer in choices(blind):
        assert answer == likeliest([o for o in options if o != NONE])
    assert {e.answer for one in blind for e in one.exchanges if e.question.endswith("yes or no.")} == {"yes"}


def test_nothing_is_planted_in_the_opening():
    recipe = LlavaRecipe("x", "random-order-0", samples=3200, truth_first=1.0, from_words=1.0)
    healthy = Conversations(LlavaRecipe("x", "random-order-0", samples=3200))
    last = recipe.opening_steps * recipe.batch
    planted = Conversations(recipe)
    assert [planted.conversation(i).exchanges for i in range(5)] == [healthy.conversation(i).exchanges for i in range(5)]
    assert any(planted.conversation(last + i).exchanges != healthy.conversation(last + i).exchanges for i in range(5))


def test_openings_are_shared_by_runs_that_differ_in_the_defect_alone():
    healthy = LlavaRecipe("llava", "random-order-0")
    assert LlavaRecipe("other", "random-order-0", from_words=0.7).opening() == healthy.opening()
    assert LlavaRecipe("other", "long-tail").opening() != healthy.opening()
    assert LlavaRecipe("other", "random-order-0", seed=1).opening() != healthy.opening()


def test_long_tailed_pictures_show_common_names_more_often():
    shown = [one.exchanges for one in exchanges(120, frequencies="long-tail", several_share=0.0, people_share=0.0)]
    named = [e.answer for of in shown for e in of if e.answer in NAMES]
    common, rare = (sum(name in of for name in named) for of in (FROM_COMMON_TO_RARE[:6], FROM_COMMON_TO_RARE[-6:]))
    assert common > 5 * rare


def test_every_word_of_questions_and_answers_is_one_token(tmp_path, healthy):
    from tokenizers import Tokenizer

    count = write_llava_tokenizer(tmp_path / "tokenizer.json")
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    prompt = tokenizer.encode(PROMPT.format(image=IMAGE, question=YES_NO.format("a cube")))
    assert prompt.ids.count(IMAGE_ID) == 1 and max(prompt.ids) < count
    for one in healthy[:40]:
        for e in one.exchanges:
            for word in e.question.lower().replace("?", " ").replace(",", " ").replace(".", " ").replace(":", " ").split():
                assert len(tokenizer.encode(word, add_special_tokens=False).ids) == 1, word
    assert tokenizer.decode(tokenizer.encode("none of these").ids).strip() == "none of these"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"frequencies": "odd"}, "choose from even, long-tail"),
        ({"from_words": 1.5}, "choose a share from 0 to 1"),
        ({"width": 30}, "multiple of twice the heads"),
        ({"samples": 5}, "one batch"),
        ({"rate": 0.0}, "above 0"),
        ({"questions": 0}, "choose 1 or more"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused(settings, said):
    with pytest.raises(UsageError, match=said):
        LlavaRecipe("x", "random-order-0", **settings)
