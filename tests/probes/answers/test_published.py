"""ImageNet-D's published protocol: reproduced with its traps, which the other numbers do not have."""

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answers.answerers import answering_inputs, options_of, value

from eyechart.data.classes import ClassList, PictureClass
from eyechart.models.answering import Reply
from eyechart.probes.answers import answers
from eyechart.probes.answers.published import published_findings
from eyechart.probes.answers.settings import Settings
from eyechart.probes.contract import NotApplicable

NAMES = ["pen", "can opener", "mug", "vase"]
LABELS = np.arange(40) % 4


def published(answer, tower=None, **columns):
    settings = Settings(asks=("choice",), published=True, tower="given" if tower is not None else "")
    inputs = answering_inputs(answer, LABELS, NAMES, settings, tower=tower)
    for name, values in columns.items():
        table = inputs.dataset.table.append_column(f"attr.{name}", pa.array(values))
        inputs = inputs.__class__(
            **{**vars(inputs), "dataset": inputs.dataset.__class__(**{**vars(inputs.dataset), "table": table})}
        )
    return answers.ask(inputs)


def test_the_truth_is_listed_first_so_a_model_that_repeats_the_first_option_scores_100():
    found = published(lambda row, q: options_of(q)[0], tower=(LABELS + 2) % 4)
    assert value(found, "published_accuracy").value == 1
    assert value(found, "choice_accuracy").value == 0.5  # what that model deserves
    assert "listed first" in str(found.notices[0]) and "by construction" in str(found.notices[0])


def test_undecided_replies_are_dropped_and_their_share_is_told():
    """One in four is right and the others name both: 100% of what is left."""

    def answer(row, question):
        return NAMES[LABELS[row]] if row % 4 == 2 else f"{NAMES[LABELS[row]]} or {options_of(question)[-1]}"

    found = published(answer, tower=(LABELS + 1) % 4)
    assert value(found, "published_dropped").value == 0.75
    assert (value(found, "published_accuracy").value, value(found, "published_accuracy").n) == (1.0, 10)


def test_any_name_of_a_class_is_an_answer():
    classes = ClassList("test", (PictureClass("n0", "sofa", ("couch",)), PictureClass("n1", "mug", ("cup",))))
    replies = [Reply("a couch"), Reply("a sofa"), Reply("a cup"), Reply("a couch and a mug"), Reply("a dog")]
    dropped, accuracy = published_findings(replies, [(0, 1)] * 5, classes, np.arange(5))
    assert (dropped.metric, dropped.value, dropped.n) == ("published_dropped", 2 / 5, 5)
    assert (accuracy.metric, accuracy.value, accuracy.n) == ("published_accuracy", pytest.approx(2 / 3), 3)


def test_the_wrong_option_is_the_given_one_or_the_best_wrong_class_of_the_tower():
    asked = []
    published(lambda row, q: asked.append((row, q)) or "pen", tower=LABELS, distractor=[NAMES[(c + 3) % 4] for c in LABELS])
    lists = {row: q for row, q in asked if "in this image" in q}
    assert all(q.endswith(f"list: {NAMES[LABELS[row]]}, {NAMES[(LABELS[row] + 3) % 4]}.") for row, q in lists.items())
    assert len(lists) == 40


def test_without_a_source_of_wrong_options_it_is_skipped():
    with pytest.raises(NotApplicable, match="--tower M"):
        published(lambda row, q: "pen")


def test_a_picture_without_a_published_question_is_left_out_and_the_others_are_asked():
    asked = []
    given = [None if i == 7 else NAMES[(c + 3) % 4] for i, c in enumerate(LABELS)]
    found = published(lambda row, q: asked.append((row, q)) or "pen", distractor=given)
    assert {row for row, q in asked if "in this image" in q} == set(range(40)) - {7}
    assert value(found, "published_dropped").n == 39
    assert "1 of 40 pictures have no known class" in " ".join(map(str, found.notices))


def test_a_name_counts_where_it_is_part_of_the_reply():
    found = published(lambda row, q: f"It looks like a {NAMES[LABELS[row]]} to me.", tower=(LABELS + 1) % 4)
    assert (value(found, "published_accuracy").value, value(found, "published_accuracy").n) == (1.0, 40)
