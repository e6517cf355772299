"""`picture_use`: a model that looks, one that guesses from words, and what swapped pictures show."""

import numpy as np
import pytest
from tests.probes.answers.answerers import answering_inputs, options_of, value

from eyechart.models.answering import Reply
from eyechart.probes.contract import NotApplicable, TextRequest
from eyechart.probes.picture_use import Settings, picture_use, questions

NAMES = ["cat", "dog", "horse", "bird"]
LABELS = [0, 1, 2, 3] * 15


def ask(answer, labels=LABELS, **more):
    return picture_use.ask(answering_inputs(answer, labels, NAMES, Settings(), **more))


def looking(row, question):
    """Names what the shown picture is; the last option by name where it is blank."""
    return NAMES[LABELS[row]] if row is not None else max(options_of(question))


def guessing(row, question):
    """Never looks: the first name of the alphabet, whatever the order (a planted language prior)."""
    return min(options_of(question))


def test_a_model_that_looks_changes_every_answer_with_the_picture():
    found = ask(looking)
    assert value(found, "picture_effect").value == 1
    assert value(found, "true_named", shown="own").value == 1 and value(found, "true_named", shown="swapped").value == 0
    assert value(found, "unchanged", shown="swapped").value == 0


def test_a_planted_language_prior_is_found():
    effect = value(ask(guessing), "picture_effect")
    assert effect.value == 0 and effect.low <= 0 <= effect.high and effect.high < 0.5
    assert value(ask(guessing), "unchanged", shown="swapped").value == 1 == value(ask(guessing), "unchanged", shown="blank").value


@pytest.mark.slow
def test_random_answers_are_flagged_in_at_most_9_percent_of_200_draws():
    rng = np.random.default_rng(0)
    flagged = 0
    for _ in range(200):
        found = ask(lambda row, question: options_of(question)[rng.integers(2)], labels=[0, 1, 2, 3] * 12)
        effect = value(found, "picture_effect")
        flagged += not effect.low <= 0 <= effect.high
    assert flagged <= 18


def test_the_swapped_picture_shows_the_other_option():
    asked = []
    ask(lambda row, question: asked.append((row, options_of(question))) or "cat")
    own, swapped, blank = asked[:60], asked[60:120], asked[120:]
    for (row, options), (other, same) in zip(own, swapped, strict=True):
        assert options == same and {NAMES[LABELS[row]], NAMES[LABELS[other]]} == set(options)
    assert {row for row, _ in blank} == {None}


def test_undecided_replies_are_counted_and_change_nothing_else():
    found = ask(lambda row, question: Reply("", "empty") if row is None else looking(row, question))
    assert value(found, "empty").value == pytest.approx(1 / 3)
    assert not [f for f in found.findings if f.metric == "unchanged" and f.slice == {"shown": "blank"}]


def test_confidence_is_that_of_the_likelier_name():
    """Sure of what it sees (logit gap 2), undecided without a picture."""

    def scores(row, options):
        return [2.0 if row is not None and name == NAMES[LABELS[row]] else 0.0 for name in options]

    found = ask(looking, likelihoods=scores)
    assert value(found, "confidence", shown="own").value == pytest.approx(1 / (1 + np.exp(-2)))
    assert value(found, "confidence", shown="blank").value == 0.5


def test_confidence_in_an_unchanged_name_is_of_the_pictures_where_it_does_not_change():
    """With a picture, a gap of 2 for what it shows, so that a swapped picture changes every name; without one, a gap of 1 for the
    first name of the alphabet, which is the name with the picture for some."""
    names = []

    def scores(row, options):
        names.append((row, tuple(options)))
        likelier = min(options) if row is None else NAMES[LABELS[row]]
        return [(1.0 if row is None else 2.0) if name == likelier else 0.0 for name in options]

    found = ask(looking, likelihoods=scores)
    unchanged = sum(NAMES[LABELS[row]] == min(options) for row, options in names[:60])
    (blank,) = [f for f in found.findings if f.metric == "unchanged_confidence"]
    assert 0 < unchanged < 60
    assert (blank.slice, blank.n) == ({"shown": "blank"}, unchanged)
    assert blank.value == pytest.approx(1 / (1 + np.exp(-1)))


def test_the_dry_run_names_every_question():
    asked = []
    made = answering_inputs(lambda row, q: asked.append((row, q)) or "cat", LABELS, NAMES, Settings(pictures=10))
    picture_use.ask(made)
    planned = questions(TextRequest(made.dataset, made.prompts, Settings(pictures=10)))
    assert [(q.row, q.text) for q in planned] == asked and len(asked) == 30


def test_one_class_cannot_be_asked():
    with pytest.raises(NotApplicable, match="class"):
        ask(looking, labels=[0, 0, 0])


def test_every_share_is_over_the_pictures_it_says():
    """Replies to blank pictures are undecided; with the swapped picture every other reply is."""
    seen = []

    def answer(row, question):
        seen.append(row)
        if row is None or (60 < len(seen) <= 120 and len(seen) % 2):
            return "hm"
        return NAMES[LABELS[row]]

    found = ask(answer)
    table = {(f.metric, *f.slice.values()): (f.value, f.n) for f in found.findings}
    assert table["true_named", "own"] == (1.0, 60) and table["true_named", "swapped"] == table["true_named", "blank"] == (0.0, 60)
    assert table["unchanged", "swapped"] == (0.0, 30) and ("unchanged", "blank") not in table
    assert table["picture_effect",] == (1.0, 60) and table["undecided",] == (pytest.approx(90 / 180), 180)
    assert value(found, "picture_effect").baseline == "swapped picture"


def test_confidence_is_that_of_the_likelier_name_by_both_likelihoods():
    """The gap of the log-likelihoods is 2 for the first option of the own picture, −1 of the swapped and 0.5 of the blank one."""
    seen = []

    def likelihoods(row, options):
        seen.append(row)
        return [(2.0, -1.0, 0.5)[(len(seen) - 1) // 60], 0.0]

    found = ask(looking, likelihoods=likelihoods)
    table = {(f.metric, f.slice["shown"]): f for f in found.findings if "confidence" in f.metric}
    for shown, gap in (("own", 2.0), ("swapped", 1.0), ("blank", 0.5)):
        assert (table["confidence", shown].value, table["confidence", shown].n) == (pytest.approx(1 / (1 + np.exp(-gap))), 60)
    assert {key for key in table if key[0] == "unchanged_confidence"} == {("unchanged_confidence", "blank")}
    assert table["unchanged_confidence", "blank"].value == pytest.approx(1 / (1 + np.exp(-0.5)))
    assert all(f.low == pytest.approx(f.value) == f.high for f in table.values())


def test_means_of_confidence_are_means():
    found = ask(looking, likelihoods=lambda row, options: [0.0 if row is None or row % 2 else 3.0, 0.0])
    own, blank = (next(f for f in found.findings if f.metric == "confidence" and f.slice["shown"] == s) for s in ("own", "blank"))
    assert own.value == pytest.approx((0.5 + 1 / (1 + np.exp(-3))) / 2, rel=0.2) and 0.5 < own.low < own.value < own.high
    assert blank.value == 0.5


def test_the_sentence_has_both_shares():
    (shown,) = ask(looking).exhibits
    assert "'at': 0.5" in str(shown.chart)
    assert "named for 100.0% of the pictures, and still for 0.0% when" in shown.sentence
    assert shown.table.column("picture").to_pylist() == ["own picture", "swapped picture", "blank picture"]
    (shown,) = ask(guessing).exhibits
    assert shown.table.column("share").to_pylist()[0] == shown.table.column("share").to_pylist()[1] > 0
