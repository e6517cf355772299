"""Classification in words: choices between options, free answers and likelihoods of class names, compared with a CLIP tower."""

from collections.abc import Mapping, Sequence

import numpy as np

from eyechart.models.answering import PictureQuestion
from eyechart.probes.answers.metrics import METRICS
from eyechart.probes.answers.options import FREE, choice_text, choices, confusable_classes
from eyechart.probes.answers.published import (
    published_findings,
    published_notice,
    published_pairs,
    published_text,
    without_question_notice,
)
from eyechart.probes.answers.settings import Settings
from eyechart.probes.answers.task import AnswerTask, make_task
from eyechart.probes.answers.ways import ask_choices, ask_free, score_names
from eyechart.probes.contract import Answer, NotApplicable, OtherModel, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.answer_reading import read_choice
from eyechart.probes.tasks.asked_rows import asked_rows
from eyechart.probes.tasks.reply_counts import reply_findings, reply_notices


def other_models(settings: Settings) -> Mapping[str, OtherModel]:
    return {
        "tower": OtherModel(settings.tower),
        "selector": OtherModel(settings.selector),
        "encoder": OtherModel(settings.encoder, ("texts",)),
    }


def questions(request: TextRequest[Settings]) -> Sequence[PictureQuestion]:
    """The questions that will be asked. Where options depend on another model's predictions, their text is not known yet."""
    dataset, settings = request.dataset, request.settings
    if dataset.classes is None or len(dataset.classes) < 2:
        return ()
    truth, ids = dataset.label_indices(), dataset.ids()
    rows = asked_rows(ids, truth, settings.pictures, settings.seed)
    asked = []
    if "choice" in settings.asks:
        made = choices(dataset.classes, truth[rows], [ids[row] for row in rows], settings, None)
        for row, choice in zip(rows, made, strict=True):
            texts = ["" if settings.options_by else choice_text(dataset.classes, order) for order in choice.orders()]
            asked += [PictureQuestion(int(row), text) for text in texts]
    if "free" in settings.asks:
        asked += [PictureQuestion(int(row), FREE) for row in rows]
    if settings.published and published_pairs(dataset, rows, truth[rows], None) is None:
        asked += [PictureQuestion(int(row), "") for row in rows if settings.tower]
    elif settings.published:
        wrong = published_pairs(dataset, rows, truth[rows], None) or []
        asked += [
            PictureQuestion(int(row), published_text(dataset.classes, int(truth[row]), other))
            for row, other in zip(rows, wrong, strict=True)
            if other >= 0
        ]
    return asked


@probe(
    version=3,
    needs=("answers", "labels", "classes"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("answers",),
    wants=("likelihoods",),
    headline=("choice_accuracy", "choice_gain", "order_changed", "free_accuracy"),
    questions=questions,
    other_models=other_models,
)
def answers(inputs: ProbeInput[Settings]) -> Answer:
    """How accurately does the model classify in words, and does language help where its tower is weak?

    Each choice is asked in two orders. Undecided, refused, empty and unreadable replies count as wrong and are reported. Hard
    classes are chosen on the half of the pictures that is not compared. Wrong options are drawn at random.
    """
    task, settings = make_task(inputs), inputs.settings
    parts = []
    if "choice" in settings.asks:
        by = {"selector": task.selector, "tower": task.tower, "": None}[settings.options_by]
        confusable = None if by is None else confusable_classes(by, task.truth, task.half)
        parts.append(ask_choices(task, choices(task.classes, task.truth, task.ids, settings, confusable)))
    if "free" in settings.asks:
        parts.append(ask_free(task))
    if "likelihood" in settings.asks and inputs.log_likelihoods is not None:
        parts.append(score_names(task))
    if settings.published:
        parts.append(_as_published(task))
    if not parts:
        raise NotApplicable("it gives no log-likelihoods of answers, and the settings ask for nothing else")
    return Answer(
        findings=[f for part in parts for f in part.findings],
        exhibits=[e for part in parts for e in part.exhibits],
        notices=[n for part in parts for n in part.notices],
        predictions=[p for part in parts for p in part.predictions],
    )


def _as_published(task: AnswerTask) -> Answer:
    wrong = published_pairs(task.inputs.dataset, task.rows, task.truth, task.tower)
    if wrong is None or task.inputs.ask is None:
        raise NotApplicable(
            "the published protocol takes its wrong options from a column `attr.distractor` or from a tower; give --tower M"
        )
    known = np.flatnonzero(np.array(wrong) >= 0)
    pairs, rows, clusters = [(int(task.truth[i]), wrong[i]) for i in known], task.rows[known], task.clusters[known]
    asked = [PictureQuestion(int(row), published_text(task.classes, *pair)) for row, pair in zip(rows, pairs, strict=True)]
    own = published_pairs(task.inputs.dataset, task.rows, task.truth, None) is None
    replies = task.inputs.ask(asked)
    found = published_findings(replies, pairs, task.classes, clusters)
    read = [read_choice(reply, [task.classes[c].names for c in pair]) for reply, pair in zip(replies, pairs, strict=True)]
    found += reply_findings(replies, read, clusters, {"asked": "published"})
    where = task.inputs.dataset.name
    left_out = without_question_notice(where, len(wrong) - len(known), len(wrong))
    return Answer(found, notices=[published_notice(where, own), *left_out, *reply_notices(where, replies)])
