"""The probe `answers`: choices in two orders, free answers, likelihoods, and the comparison with a tower."""

from dataclasses import replace

import numpy as np
import pytest
from tests.probes.answers.answerers import answering_inputs, options_of, value

from eyechart.data.classes import ClassList, PictureClass
from eyechart.models.answering import Reply
from eyechart.probes.answers import answers, questions
from eyechart.probes.answers.free_answers import map_answers
from eyechart.probes.answers.settings import Settings
from eyechart.probes.contract import NotApplicable, TextRequest

NAMES = ["cat", "dog", "horse", "bird"]
LABELS = [0, 1, 2, 3] * 15


def ask(answer, settings=None, labels=LABELS, **more):
    return answers.ask(answering_inputs(answer, labels, NAMES, settings or Settings(asks=("choice",)), **more))


def right(row, question):
    return f"It is a {NAMES[LABELS[row]]}."


def test_a_model_that_is_always_right():
    answer = ask(right, Settings(asks=("choice", "free")))
    assert value(answer, "choice_accuracy").value == value(answer, "free_accuracy").value == 1
    assert value(answer, "choice_chance").value == 0.5 and value(answer, "free_chance").value == 0.25
    assert value(answer, "choice_class_accuracy", **{"class": "dog"}).n == 15
    assert value(answer, "order_changed").value == 0 and value(answer, "first_option").value == 0.5


def test_a_hand_worked_case():
    """Of four pictures: right in both orders, right in one, wrong in both, refused in both: (2 + 1 + 0 + 0) / 8."""

    def answer(row, question):
        options = options_of(question)
        if row == 3:
            return "I'm sorry, I cannot help."
        if row == 1:
            return options[0]
        wrong = next(name for name in options if name != NAMES[row])
        return wrong if row == 2 else NAMES[0]

    found = ask(answer, labels=[0, 1, 2, 3])
    accuracy = value(found, "choice_accuracy")
    assert (accuracy.value, accuracy.n) == (3 / 8, 4)
    assert value(found, "order_changed").value == pytest.approx(1 / 3)  # of the three decided pictures
    assert value(found, "first_option").value == pytest.approx(4 / 6)
    assert value(found, "refused", asked="choice").value == 0.25
    assert value(found, "undecided", asked="choice").value == 0


def test_every_kind_of_reply_is_counted_and_none_is_dropped():
    kinds = [Reply("", "empty"), Reply("", "unreadable"), Reply("", "refused"), Reply("cat, dog, horse or bird")]
    found = ask(lambda row, question: kinds[row % 4])
    assert [value(found, kind, asked="choice").value for kind in ("empty", "unreadable", "refused", "undecided")] == [0.25] * 4
    assert value(found, "choice_accuracy").value == 0 and value(found, "choice_accuracy").n == 60


def test_a_planted_preference_for_the_first_option_is_found_and_its_twin_is_quiet():
    biased = ask(lambda row, question: options_of(question)[0])
    assert value(biased, "first_option_excess").low > 0.2 and value(biased, "order_changed").value == 1
    assert value(biased, "choice_accuracy").value == 0.5
    healthy = ask(right)
    excess = value(healthy, "first_option_excess")
    assert excess.low <= 0 <= excess.high


def test_both_orders_list_the_same_options_and_the_truth_is_as_often_first_as_last():
    asked = []
    ask(lambda row, question: asked.append((row, options_of(question))) or "cat", labels=LABELS * 4)
    first = dict(asked[::2])
    assert all(options == first[row][::-1] for row, options in asked[1::2])
    places = [options.index(NAMES[(LABELS * 4)[row]]) for row, options in first.items()]
    assert 90 < sum(places) < 150  # of 240


def test_options_0_lists_all_classes():
    asked = []
    found = ask(lambda row, q: asked.append(options_of(q)) or "cat", Settings(asks=("choice",), options=0))
    assert all(sorted(options) == sorted(NAMES) for options in asked)
    assert value(found, "choice_chance").value == 0.25


def test_free_answers_are_mapped_by_name_synonym_and_mention():
    made = answering_inputs(lambda row, q: ["Kitty!", "dog", "I see a horse here", "sparrow"][row], [0, 1, 2, 3], NAMES,
                            Settings(asks=("free",)))  # fmt: skip
    classes = made.dataset.classes
    first = replace(classes.classes[0], synonyms=("kitty",))
    made = replace(made, dataset=replace(made.dataset, classes=replace(classes, classes=(first, *classes.classes[1:]))))
    found = answers.ask(made)
    assert value(found, "free_accuracy").value == 0.75 and value(found, "unmapped").value == 0.25
    assert [value(found, "mapped", by=route).value for route in ("name", "synonym", "mention")] == [0.25] * 3


def test_free_answers_are_predictions_and_no_answer_is_a_class_of_its_own():
    found = ask(lambda row, q: ["cat", "cat", "no idea", "bird"][row], Settings(asks=("free",)), labels=[0, 1, 2, 3])
    (predictions,) = found.predictions
    assert [predictions.labels[c] for c in predictions.top[:, 0]] == ["cat", "cat", "(no answer)", "bird"]
    assert predictions.rank.tolist() == [0, 1, 1, 0] and predictions.probabilities is None


def test_a_sentence_encoder_maps_the_rest_above_its_threshold():
    vectors = {"sparrow": [0, 0, 0, 1.0], "rock": [0.6, 0.6, 0.5, 0.2], "not a dog": [0, 1.0, 0, 0]}

    def encode(texts):
        axes = dict(zip(NAMES, np.eye(4).tolist(), strict=True))
        return np.array([{**axes, **vectors}[text] for text in texts], np.float32)

    settings = Settings(asks=("free",), encoder="given", threshold=0.9)
    said = ["rock", "It is not a dog", "rock", "sparrow"]  # a negated name is not mapped to that name by its vector
    made = answering_inputs(lambda row, q: said[row], [0, 1, 2, 3], NAMES, settings)
    encoder = replace(made, texts=encode)
    found = answers.ask(replace(made, other_models={"encoder": encoder}))
    assert value(found, "mapped", by="encoder").value == 0.25 == value(found, "free_accuracy").value
    assert value(found, "unmapped").value == 0.75


def test_likelihoods_choose_the_likeliest_name_and_give_predictions():
    def scores(row, options):
        return [0.0 if name == NAMES[LABELS[row]] else -3.0 for name in options]

    found = ask(right, Settings(asks=("likelihood",)), likelihoods=scores)
    assert value(found, "likelihood_accuracy").value == 1
    (predictions,) = found.predictions
    assert predictions.top[:, 0].tolist() == LABELS
    assert predictions.probabilities[0, 0] == pytest.approx(1 / (1 + 3 * np.exp(-3)), rel=1e-5)


def test_without_likelihoods_that_way_is_left_out_and_alone_it_is_skipped():
    assert not [f for f in ask(right, Settings()).findings if f.metric.startswith("likelihood")]
    with pytest.raises(NotApplicable, match="no log-likelihoods"):
        ask(right, Settings(asks=("likelihood",)))


def test_the_dry_run_names_the_questions_that_are_asked():
    settings = Settings(asks=("choice", "free"), pictures=20)
    asked = []
    made = answering_inputs(lambda row, q: asked.append((row, q)) or "cat", LABELS, NAMES, settings)
    answers.ask(made)
    planned = questions(TextRequest(made.dataset, made.prompts, settings))
    assert {(q.row, q.text) for q in planned} == set(asked) and len(asked) == 60


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"asks": ("talk",)}, "asks names 'talk'"),
        ({"asks": ()}, "asks is empty"),
        ({"options": 1}, "at least 2"),
        ({"distractors": "hard"}, "choose among"),
        ({"distractors": "tower"}, "name it"),
        ({"distractors": "selector", "tower": "a"}, "name it"),
        ({"tower": "a", "selector": "a"}, "third model"),
        ({"likelihood": "max"}, "sum"),
        ({"hard": 0.0}, "hard is between"),
    ],
)
def test_wrong_settings_are_named(changes, says):
    with pytest.raises(ValueError, match=says):
        Settings(**changes)


def test_the_mean_likelihood_divides_by_the_number_of_tokens():
    """Six tokens at −0.5 each are less likely together than one at −2, and likelier on average."""
    made = answering_inputs(right, [0, 1], NAMES, Settings(asks=("likelihood",)))
    scored = np.array([[-3.0, 6], [-2.0, 1], [-9.0, 1], [-9.0, 1]])
    made = replace(made, log_likelihoods=lambda questions, options: [scored] * len(questions))
    assert answers.ask(made).predictions[0].top[:, 0].tolist() == [1, 1]
    made = replace(made, settings=Settings(asks=("likelihood",), likelihood="mean"))
    assert answers.ask(made).predictions[0].top[:, 0].tolist() == [0, 0]


def test_a_name_that_two_classes_share_maps_to_neither():
    classes = ClassList("cranes", (PictureClass("bird", "crane"), PictureClass("machine", "crane"), PictureClass("c", "cup")))
    mapped = map_answers([Reply("crane"), Reply("cup"), Reply("machine")], classes, None, 0.5)
    assert [(m.read.option, m.route) for m in mapped] == [(-1, "none"), (2, "name"), (1, "name")]
