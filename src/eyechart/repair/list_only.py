"""A changed class list on pictures that nobody labelled, such as FairFace: what it does to the harm, and nothing else.

Without labels no prompts can be chosen, no temperature fitted and no promise made; whoever is put into harmful classes can still
be counted, before and after."""

from dataclasses import replace
from typing import Any

import numpy as np

from eyechart.data.class_design import read_design
from eyechart.metrics.prompts.weights import Weights
from eyechart.notice import Notice
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.classifier import build_classifier
from eyechart.probes.tasks.groups import subgroups
from eyechart.repair.candidates import Candidate
from eyechart.repair.class_lists import Lists
from eyechart.repair.fitting import bare_classifier
from eyechart.repair.measuring import Held, harm_findings
from eyechart.repair.outcome import ask
from eyechart.repair.parts import Parts
from eyechart.repair.record import record
from eyechart.repair.repair import AS_BEFORE, Repaired, model_scale
from eyechart.repair.settings import Settings

_NOBODY = np.zeros(0, np.int64)


def change_list(inputs: ProbeInput[Any], lists: Lists, settings: Settings) -> Repaired:
    """The classifier of the first prompt set before and after the change. All pictures are measured: none had a part in it."""
    n, prompts = len(inputs.images), inputs.prompts[0]
    (scale, notices), unknown = model_scale(inputs), np.full(n, "")
    built = [build_classifier(classes, prompts, inputs.texts) for classes in (lists.before, lists.after)]
    before, after = (
        bare_classifier(classes, of.vectors[of.duplicates], scale, inputs.logit_bias, settings)
        for classes, of in zip((lists.before, lists.after), built, strict=True)
    )
    then, now = (ask(classifier, inputs.images, unknown) for classifier in (before, after))
    groups = subgroups(inputs.dataset, read_design(settings.design).attributes, settings.least)
    units = np.unique(inputs.clusters, return_inverse=True)[1]
    held = Held(unknown, {}, units, groups, 0, (), settings.seed)
    findings = harm_findings(lists.harmful_before[then.answers], lists.harmful_after[now.answers], held)
    count = len(prompts.templates)
    chosen = Candidate(AS_BEFORE, after.vectors, Weights(np.full(count, 1 / count), np.ones(count, np.bool_)), {})
    parts = Parts(_NOBODY, _NOBODY, np.arange(n), _NOBODY)
    about = record(replace(inputs, prompts=(prompts,)), settings, lists, parts, [chosen], chosen, _NOBODY, None, findings)
    what = "no picture has a label, so only the class list was changed: prompts as they were, no temperature, thresholds or sets"
    remedy = "give labels for those; if the change was chosen on these very pictures, measure it on others"
    return Repaired(
        before,
        replace(after, about=about),
        chosen,
        {},
        (),
        (then, now),
        held,
        tuple(prompts.templates),
        findings,
        [*notices, Notice(inputs.dataset.name, what, remedy)],
    )
