"""Inputs for probes that ask: a model whose replies are a function of picture and question, without pictures or a network."""

from dataclasses import replace

import numpy as np

from eyechart.models.answering import Reply
from eyechart.probes.testing import known_predictions


def answering_inputs(answer, labels, names, settings, *, tower=None, selector=None, likelihoods=None, clusters=None):
    """`answer(row, question)` is the text of a reply; `tower` and `selector` are predicted classes."""
    labels = list(labels)
    made = known_predictions(labels, labels, names, settings, clusters=clusters)
    others = {
        name: known_predictions(predicted, labels, names, settings, clusters=clusters)
        for name, predicted in (("tower", tower), ("selector", selector))
        if predicted is not None
    }

    def ask(questions):
        replies = [answer(q.row, q.text) for q in questions]
        return [reply if isinstance(reply, Reply) else Reply(reply) for reply in replies]

    def score(questions, options):
        return [
            np.column_stack([likelihoods(q.row, given), np.ones(len(given))]) for q, given in zip(questions, options, strict=True)
        ]

    return replace(made, ask=ask, log_likelihoods=score if likelihoods else None, other_models=others)


def options_of(question):
    """The options of a choice, in their order."""
    listed = question.partition("following: ")[2] or question.partition("following list: ")[2]
    return listed.partition(". ")[0].rstrip(".").split(", ")


def chooser(predicted, names):
    """Answers choices by these predictions: the predicted class where it is an option, else the last by name."""

    def answer(row, question):
        options = options_of(question)
        return names[predicted[row]] if names[predicted[row]] in options else max(options)

    return answer


def value(answer, metric, **slice):
    (found,) = [f for f in answer.findings if f.metric == metric and dict(f.slice) == slice]
    return found
