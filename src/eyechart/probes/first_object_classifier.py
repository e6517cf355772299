"""First object by linear classifiers: accuracy for the object at each position of a caption (TOC, Abbasi et al., 2025)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags, Indices
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Metric
from eyechart.findings.numbers import percent
from eyechart.metrics.classification.linear_heads import split_rows
from eyechart.metrics.classification.slot_heads import slot_hits
from eyechart.notice import Notice
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.caption_recall import position_summary
from eyechart.probes.tasks.name_lists import NameList, names_for, read_names
from eyechart.probes.tasks.number_words import ORDINALS
from eyechart.probes.tasks.share_findings import named_share_finding
from eyechart.probes.tasks.template_captions import BARE, TemplateCaptions, template_captions

METRICS = (
    Metric(name="chance", title="chance accuracy", higher_is_better=None),
    Metric(name="first_object_accuracy", title="first-object accuracy of a linear classifier (TOC)", chance="chance"),
    Metric(
        name="first_object_accuracy_lead",
        title="first-object accuracy minus the mean of later objects (TOC)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="position_accuracy", title="accuracy of a linear classifier for an object position (TOC)", chance="chance"),
)


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `first_object_classifier`.

    names: A packaged list of object names or a file; empty for the classes of the dataset.
    words: The names of that list, or names given directly.
    most: The largest number of names; of a longer list a random part is used.
    count: Objects in a caption.
    captions: Captions: 75% to fit, 10% to choose the penalty, 15% to test.
    seed: The seed of names, captions and split.
    """

    names: str = ""
    words: tuple[str, ...] = ()
    most: int = 100
    count: int = 4
    captions: int = 1600
    seed: int = 0

    def __post_init__(self) -> None:
        if self.names:
            object.__setattr__(self, "words", read_names(self.names))
        if not 2 <= self.count <= 8 or self.most <= self.count or self.seed < 0:
            raise ValueError("count must be from 2 to 8, most larger than count, and seed at least 0")
        if self.captions < 40 * self.count:
            raise ValueError(
                f"captions is {self.captions}; classifiers of {self.count} positions need at least {40 * self.count}"
            )


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    try:
        return _captions(_names(request), request.settings).texts
    except NotApplicable:
        return ()


@probe(
    version=1,
    needs=("texts",),
    settings=Settings(),
    metrics=METRICS,
    profiles=("objects", "paper"),
    texts=texts,
    headline=("first_object_accuracy", "first_object_accuracy_lead"),
    prompts=False,
)
def first_object_classifier(inputs: ProbeInput[Settings]) -> Answer:
    """Is the first object of a caption easier to classify from its text vector than later ones?

    One linear classifier for each position on frozen unit vectors: cross-entropy, fitted with L-BFGS to convergence (text-based
    object classification, TOC, Abbasi et al., 2025, who trained ten epochs of Adam). Captions of the same names stay together in
    the split.
    """
    names = _names(inputs)
    captions = _captions(names, inputs.settings)
    whole = captions.without(inputs.truncated(captions.texts))
    if len(np.unique(whole.sets)) < 20:
        raise NotApplicable("too few captions fit into the model's context to fit a classifier")
    split = split_rows(len(whole), seed=inputs.settings.seed, clusters=whole.sets)
    found = slot_hits(inputs.texts(whole.texts), whole.objects, split, classes=len(names))
    findings = _findings(found.hits, whole.objects[split.judge], whole.sets[split.judge], len(names))
    return Answer(findings, [_exhibit(findings, len(names))], _notices(inputs, names, found.converged))


def _names(request: TextRequest[Settings] | ProbeInput[Settings]) -> NameList:
    settings: Settings = request.settings
    names = names_for(request.dataset, settings.names, settings.words)
    if len(names) <= settings.count:
        raise NotApplicable(f"captions of {settings.count} names need more names than the {len(names)} of {names.title}")
    if len(names) <= settings.most:
        return names
    kept = np.sort(np.random.default_rng(settings.seed).permutation(len(names))[: settings.most])
    return NameList(f"{settings.most} of {len(names)} of {names.title}", tuple(names.names[i] for i in kept))


def _captions(names: NameList, settings: Settings) -> TemplateCaptions:
    return template_captions(names, settings.count, BARE, order="balanced", captions=settings.captions, seed=settings.seed)


def _findings(correct: Flags, objects: Indices, sets: Indices, names: int) -> list[Finding]:
    by_position = [
        named_share_finding("position_accuracy", hits, objects, {"position": position}, clusters=sets)
        for position, hits in enumerate(correct.T, 1)
    ]
    first = by_position[0]
    ahead = correct[:, 0] - correct[:, 1:].mean(axis=1)
    return [
        replace(first, metric="first_object_accuracy", slice={}),
        named_share_finding("first_object_accuracy_lead", ahead, objects, clusters=sets, bounds=(-1.0, 1.0)),
        *by_position,
        Finding(metric="chance", value=1 / names, n=first.n),
    ]


def _exhibit(findings: Sequence[Finding], names: int) -> Exhibit:
    rows = [f for f in findings if f.metric == "position_accuracy"]
    lead = next(f for f in findings if f.metric == "first_object_accuracy_lead")
    table = pa.table(
        {
            "position": [ORDINALS[k] for k in range(len(rows))],
            "accuracy": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
            "captions": [f.n for f in rows],
        }
    )
    accuracies = (
        f"A linear classifier predicts the first object of {percent(rows[0].value)} of held-out captions and the last of "
        f"{percent(rows[-1].value)}"
    )
    return Exhibit(
        "positions",
        "Accuracy of linear classifiers by position",
        f"{accuracies}: {position_summary(rows, lead, 'classified')}. Chance among {names} names is "
        f"{percent(1 / names)} (the line).",
        table,
        chart=charts.dots_with_intervals(
            category="position", value="accuracy", low="low", high="high", zero=True, reference=1 / names
        ),
    )


def _notices(inputs: ProbeInput[Settings], names: NameList, converged: bool) -> list[Notice]:
    notices = []
    if len(names_for(inputs.dataset, inputs.settings.names, inputs.settings.words)) > len(names):
        what = f"the classifiers use {names.title}"
        notices.append(Notice(inputs.dataset.name, what, "raise first_object_classifier.most for more, and captions with it"))
    if not converged:
        what = "a linear classifier did not converge, so its accuracy may be too low"
        notices.append(Notice(inputs.dataset.name, what, "use more captions (first_object_classifier.captions)"))
    return notices
