"""A changed class list on unlabeled pictures, such as FairFace: its effect on the harm rate.

Without labels no prompts can be selected, no temperature fitted and no coverage guaranteed. The share of pictures that are
predicted as harmful classes can still be measured, before and after.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from eyechart.data.class_design import read_design
from eyechart.metrics.prompts.weights import Weights
from eyechart.notice import Notice
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.classifier import build_classifier
from eyechart.probes.tasks.groups import subgroups
from eyechart.repair.candidate_search import AS_BEFORE
from eyechart.repair.candidates import Candidate
from eyechart.repair.class_lists import ClassLists
from eyechart.repair.classifier_outcome import predict
from eyechart.repair.data_split import DataSplit
from eyechart.repair.evaluation import HeldOut, harm_findings
from eyechart.repair.fitting import bare_classifier
from eyechart.repair.provenance import provenance
from eyechart.repair.repair import Repaired, model_scale
from eyechart.repair.settings import Settings

_NO_ROWS = np.zeros(0, np.int64)


def change_class_list(inputs: ProbeInput[Any], lists: ClassLists, settings: Settings) -> Repaired:
    """The classifier of the first prompt set, before and after the change, on all pictures."""
    n, prompts = len(inputs.images), inputs.prompts[0]
    (scale, notices), unknown = model_scale(inputs), np.full(n, "")
    built = [build_classifier(classes, prompts, inputs.texts) for classes in (lists.before, lists.after)]
    before, after = (
        bare_classifier(classes, made.vectors[made.duplicates], scale, inputs.logit_bias, settings)
        for classes, made in zip((lists.before, lists.after), built, strict=True)
    )
    outcomes = (predict(before, inputs.images, unknown), predict(after, inputs.images, unknown))
    groups = subgroups(inputs.dataset, read_design(settings.design).attributes, settings.least)
    clusters = np.unique(inputs.units, return_inverse=True)[1]
    held_out = HeldOut(unknown, {}, clusters, groups, 0, (), settings.seed, everything=True)
    findings = harm_findings(lists.harmful_before[outcomes[0].answers], lists.harmful_after[outcomes[1].answers], held_out)
    count = len(prompts.templates)
    chosen = Candidate(AS_BEFORE, after.vectors, Weights(np.full(count, 1 / count), np.ones(count, np.bool_)), {})
    parts = DataSplit(_NO_ROWS, _NO_ROWS, np.arange(n), _NO_ROWS)
    about = provenance(replace(inputs, prompts=(prompts,)), settings, lists, parts, [chosen], chosen, _NO_ROWS, None, findings)
    what = "no picture has a label, so only the class list was changed; there is no temperature, threshold or prediction set"
    remedy = "add labels to get those; if the change was selected on the same pictures, measure it on others"
    return Repaired(
        before,
        replace(after, about=about),
        chosen,
        {},
        (),
        outcomes,
        held_out,
        tuple(prompts.templates),
        findings,
        [*notices, Notice(inputs.dataset.name, what, remedy)],
    )
