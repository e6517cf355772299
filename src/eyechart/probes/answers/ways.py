"""The three ways of asking: choices in both orders, free answers, likelihoods of class names."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.ood_score_kind import FREE_ANSWER, NAME_LIKELIHOOD
from eyechart.findings.predictions import Predictions
from eyechart.metrics.calibration.logits import ListedLogits
from eyechart.metrics.classification.top_classes import TopClasses, top_classes
from eyechart.metrics.intervals import wilson
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.models.answering import CLASS_QUESTION, PictureQuestion, Reply
from eyechart.models.class_likelihoods import NamedClasses
from eyechart.probes.answers.against_tower import Compared, compare, options_notice
from eyechart.probes.answers.exhibits import class_exhibit, conversation_exhibit, gain_exhibit
from eyechart.probes.answers.free_answers import map_answers
from eyechart.probes.answers.options import FREE, Choice, choice_text, option_count
from eyechart.probes.answers.task import AnswerTask
from eyechart.probes.contract import Answer
from eyechart.probes.tasks.answer_reading import ReadReply, read_choice
from eyechart.probes.tasks.classifier import class_titles
from eyechart.probes.tasks.picture_neighbors import neighbor_exhibit
from eyechart.probes.tasks.picture_predictions import picture_predictions
from eyechart.probes.tasks.reply_counts import reply_findings, reply_notices
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.probes.tasks.shown_reply import shown_reply

NO_ANSWER = "(no answer)"


def ask_choices(task: AnswerTask, made: Sequence[Choice]) -> Answer:
    """Choices between options, each asked in two orders. An undecided reply counts as wrong."""
    assert task.inputs.ask is not None
    classes, orders = task.classes, [order for choice in made for order in choice.orders()]
    places = np.repeat(np.arange(len(task.rows)), 2)
    replies = task.inputs.ask([_question(task, int(p), choice_text(classes, o)) for p, o in zip(places, orders, strict=True)])
    read = [read_choice(reply, [classes[c].names for c in o]) for reply, o in zip(replies, orders, strict=True)]
    chosen = np.array([o[r.option] if r.option >= 0 else -1 for r, o in zip(read, orders, strict=True)]).reshape(-1, 2)
    right = chosen == task.truth[:, None]
    k = option_count(classes, task.settings)
    under = {"asked": "choice"}
    found = _accuracies("choice", task, right, 1 / k)
    found += _order_findings(task, chosen, np.array([r.option == 0 for r in read]), 1 / k)
    found += reply_findings(replies, read, task.clusters[places], under)
    tower = None if task.tower is None else _tower_choice(task.tower, made)
    # With all classes as options, nobody chose them.
    by = task.settings.options_by
    unfair = tower is not None and bool(by) and k < len(classes)
    answer = _with_tower("choice", task, found, right, None if unfair else tower)
    if unfair:
        answer.notices.append(options_notice(task.inputs.dataset.name, by))
    shown = [_conversation(task, int(p), replies[i], read[i], orders[i], tower) for i, p in enumerate(places) if i % 2 == 0]
    answer.exhibits.insert(0, conversation_exhibit("choice", shown))
    answer.notices.extend(reply_notices(task.inputs.dataset.name, replies))
    return answer


def ask_free(task: AnswerTask) -> Answer:
    """Free answers, mapped to classes. An answer that is mapped to none counts as wrong."""
    assert task.inputs.ask is not None
    replies = task.inputs.ask([_question(task, place, FREE) for place in range(len(task.rows))])
    encoder = task.inputs.other_models.get("encoder")
    mapped = map_answers(replies, task.classes, encoder.texts if encoder else None, task.settings.threshold)
    read = [answer.read for answer in mapped]
    right = np.array([r.option for r in read])[:, None] == task.truth[:, None]
    units = _units(task.clusters)
    found = _accuracies("free", task, right, 1 / len(task.classes))
    for route in ("name", "synonym", "mention", *(("encoder",) if encoder else ())):
        share = clustered_share(np.array([answer.route == route for answer in mapped]), units)
        found.append(share_finding("mapped", share, {"by": route}))
    found.append(share_finding("unmapped", clustered_share(np.array([r.option < 0 for r in read]), units)))
    found += reply_findings(replies, read, task.clusters, {"asked": "free"})
    every = tuple(range(len(task.classes)))
    tower = None if task.tower is None else np.asarray(task.tower.argmax(axis=1))
    answer = _with_tower("free", task, found, right, tower)
    shown = [_conversation(task, place, replies[place], read[place], every, tower) for place in range(len(replies))]
    answer.exhibits.insert(0, conversation_exhibit("free", shown))
    answer.notices.extend(reply_notices(task.inputs.dataset.name, replies))
    answer.predictions.append(free_predictions(task, [r.option for r in read]))
    if task.inputs.log_likelihoods is None:  # else `zero_shot` shows the pictures by their class scores
        answer.exhibits.append(_pictures(task, answer.predictions[-1]))
    return answer


def _pictures(task: AnswerTask, answered: Predictions) -> Exhibit:
    """The pictures that the page shows first."""
    n = len(answered.ids)
    top = TopClasses(answered.top, None, answered.margin, answered.rank, np.zeros(n, bool), answered.ood_score)
    return neighbor_exhibit(task.inputs, top, answered.titles, {}, task.rows)


def free_predictions(task: AnswerTask, answered: Sequence[int]) -> Predictions:
    """What was answered for each picture. A reply that is mapped to no class is predicted as `NO_ANSWER`, a class of its own.

    Words have no probability and no order of the other classes: a wrong answer has rank 2, which means "not the first".
    """
    classes, n = task.classes, len(answered)
    predicted = np.array([c if c >= 0 else len(classes) for c in answered], np.int64)
    return Predictions(
        ids=task.ids,
        clusters=task.clusters,
        labels=[*(c.label for c in classes), NO_ANSWER],
        titles=[*class_titles(classes), NO_ANSWER],
        truth=task.truth,
        top=predicted[:, None],
        probabilities=None,
        margin=np.full(n, np.nan, np.float32),
        rank=np.where(predicted == task.truth, 0, 1),
        ood_score=(predicted < len(classes)).astype(np.float32),
        prompts=FREE_ANSWER,
    )


def score_names(task: AnswerTask) -> Answer:
    """Log-likelihoods that the reply is a name of a class, for all classes."""
    assert task.inputs.log_likelihoods is not None
    names = NamedClasses.of([c.names for c in task.classes])
    questions = [_question(task, place, CLASS_QUESTION) for place in range(len(task.rows))]
    found_scores = task.inputs.log_likelihoods(questions, [names.options] * len(questions))
    scores = names.scores(found_scores, per_token=task.settings.likelihood == "mean")

    def listed(rows: Sequence[int]) -> Any:
        return scores[list(rows)]

    logits = ListedLogits(listed, np.arange(len(scores)), np.arange(len(task.classes)))
    top = top_classes(logits, task.truth, scale=1.0)
    found = _accuracies("likelihood", task, (top.rank == 0)[:, None], 1 / len(task.classes))
    tower = None if task.tower is None else np.asarray(task.tower.argmax(axis=1))
    answer = _with_tower("likelihood", task, found, (top.rank == 0)[:, None], tower)
    answer.predictions.append(picture_predictions(task.inputs, top, task.classes, prompts=NAME_LIKELIHOOD, rows=task.rows))
    return answer


def _question(task: AnswerTask, place: int, text: str) -> PictureQuestion:
    return PictureQuestion(int(task.rows[place]), text)


def _units(clusters: Indices) -> Indices:
    return np.asarray(np.unique(clusters, return_inverse=True)[1])


def _accuracies(way: str, task: AnswerTask, right: Flags, chance: float) -> list[Finding]:
    """Accuracy over all pictures and by class; `right` has a column for each question about a picture."""
    n, asked = right.shape
    units = np.repeat(_units(task.clusters), asked)
    found = [
        share_finding(f"{way}_accuracy", clustered_share(right.ravel(), units), n=n),
        Finding(metric=f"{way}_chance", value=chance, n=n),
    ]
    titles = class_titles(task.classes)
    for label in np.unique(task.truth):
        mine = task.truth == label
        value, distinct = float(right[mine].mean()), len(np.unique(task.clusters[mine]))
        low, high = wilson(value * distinct, distinct)
        found.append(
            Finding(
                metric=f"{way}_class_accuracy", value=value, n=int(mine.sum()), low=float(low), high=float(high),
                slice={"class": titles[label]}, interval="Wilson, 95%",
            )
        )  # fmt: skip
    return found


def _order_findings(task: AnswerTask, chosen: Indices, first: Flags, chance: float) -> list[Finding]:
    """What the order of the options changes. Over both orders every class is listed at every place equally often."""
    found = []
    both = (chosen >= 0).all(axis=1)
    if both.any():
        changed = clustered_share(chosen[both, 0] != chosen[both, 1], _units(task.clusters[both]))
        found.append(share_finding("order_changed", changed))
    decided = chosen.ravel() >= 0
    if decided.any():
        share = clustered_share(first[decided], _units(np.repeat(task.clusters, 2)[decided]))
        found.append(share_finding("first_option", share))
        e = share.estimate
        found.append(
            Finding(
                metric="first_option_excess", value=e.value - chance, n=share.n, low=e.low - chance, high=e.high - chance,
                interval=found[-1].interval, baseline="chance",
            )
        )  # fmt: skip
    return found


def _tower_choice(cosines: Doubles, made: Sequence[Choice]) -> Indices:
    """The option with the highest cosine. Of equal ones the earlier class, so that the order of options has no part in it."""
    return np.array([max(sorted(choice.classes), key=lambda c: row[c]) for row, choice in zip(cosines, made, strict=True)])


def _with_tower(way: str, task: AnswerTask, found: list[Finding], right: Flags, tower: Indices | None) -> Answer:
    """The findings, with the comparison and its chart where there is a tower."""
    classes = [f for f in found if f.metric == f"{way}_class_accuracy"]
    exhibits = [class_exhibit(way, classes)]
    if tower is not None:
        baseline = f"tower under {task.tower_prompts}"
        of = Compared(right, tower == task.truth, task.truth, task.clusters, task.half, baseline)
        compared = compare(way, of, task.settings.hard, task.selected)
        exhibits.append(gain_exhibit(way, [f for f in compared if f.metric == f"{way}_gain"]))
        found = [*found, *compared]
    return Answer(found, exhibits)


def _conversation(
    task: AnswerTask, place: int, reply: Reply, read: ReadReply, options: Sequence[int], tower: Indices | None
) -> dict[str, Any]:
    classes, true = task.classes, int(task.truth[place])
    named = classes[options[read.option]].name if read.option >= 0 else read.outcome
    few = len(options) <= 10
    row = {
        "id": task.ids[place],
        "asked": choice_text(classes, options) if few and len(options) < len(classes) else FREE if not few else "",
        "reply": shown_reply(reply),
        "read as": named,
        "class": classes[true].name,
        "right": "yes" if read.option >= 0 and options[read.option] == true else "no",
    }
    return row if tower is None else {**row, "tower": classes[int(tower[place])].name}
