"""First word, by classifiers: how well can the name in each position be read off a caption's vector?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags, Indices
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Metric
from eyechart.metrics.classification.linear_heads import split_rows
from eyechart.metrics.classification.slot_heads import slot_hits
from eyechart.metrics.intervals.shared_names import HOW, named_share
from eyechart.notice import Notice
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.caption_recall import ORDINALS, standing
from eyechart.probes.tasks.name_lists import NameList, names_for, read_names
from eyechart.probes.tasks.template_captions import BARE, TemplateCaptions, made_captions

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
    """`names`, `words`: as for first_object. `most`: names that heads tell apart; of a longer list a random part is taken. `count`:
    names in a caption. `captions`: how many, of which 75% fit the heads, 10% choose their penalty and 15% judge them."""

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
            raise ValueError("count is a whole number from 2 to 8, most is above it, and seed from 0 up")
        if self.captions < 40 * self.count:
            raise ValueError(f"captions is {self.captions}; heads of {self.count} positions need {40 * self.count} at least")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    try:
        return _captions(_names(request), request.settings).said
    except NotApplicable:
        return ()


@probe(
    version=1,
    needs=("texts",),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("first_object_accuracy", "first_object_accuracy_lead"),
    prompts=False,
)
def first_object_classifier(inputs: ProbeInput[Settings]) -> Answer:
    """How well can the name in each position be told from a caption's vector?

    One linear head per position on frozen unit vectors, cross-entropy, fitted by L-BFGS until it has converged (text-based object
    classification, Abbasi et al., 2025, who trained ten epochs of Adam). Captions of the same names stay together in the split.
    """
    names = _names(inputs)
    captions = _captions(names, inputs.settings)
    whole = captions.without(inputs.truncated(captions.said))
    if len(np.unique(whole.sets)) < 20:
        raise NotApplicable("too few captions fit into the model's context to fit a classifier on them")
    split = split_rows(len(whole), seed=inputs.settings.seed, clusters=whole.sets)
    found = slot_hits(inputs.texts(whole.said), whole.objects, split, classes=len(names))
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
    return made_captions(names, settings.count, BARE, order="balanced", captions=settings.captions, seed=settings.seed)


def _findings(right: Flags, objects: Indices, sets: Indices, names: int) -> list[Finding]:
    by_position = []
    for position, hits in enumerate(right.T, 1):
        value, (low, high) = named_share(hits, objects, clusters=sets)
        by_position.append(
            Finding(
                metric="position_accuracy",
                value=value,
                n=len(hits),
                low=low,
                high=high,
                slice={"position": position},
                interval=HOW,
            )
        )
    first = by_position[0]
    ahead = right[:, 0] - right[:, 1:].mean(axis=1)
    lead, (low, high) = named_share(ahead, objects, clusters=sets, bounds=(-1.0, 1.0))
    return [
        Finding(metric="first_object_accuracy", value=first.value, n=first.n, low=first.low, high=first.high, interval=HOW),
        Finding(metric="first_object_accuracy_lead", value=lead, n=first.n, low=low, high=high, interval=HOW),
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
    told = f"A linear classifier tells the first name in {rows[0].value:.0%} of new captions and the last in {rows[-1].value:.0%}"
    return Exhibit(
        "positions",
        "Which names can be read off the vector",
        f"{told}: {standing(rows, lead, 'kept')}. Guessing among {names} names would give {1 / names:.1%} (the line).",
        table,
        chart=charts.dots_with_intervals(
            category="position", value="accuracy", low="low", high="high", zero=True, reference=1 / names
        ),
    )


def _notices(inputs: ProbeInput[Settings], names: NameList, converged: bool) -> list[Notice]:
    notices = []
    if " of " in names.title and len(names) == inputs.settings.most:
        what = f"heads tell {names.title} apart"
        notices.append(
            Notice(inputs.dataset.name, what, "set first_object_classifier.most higher for more, and captions with it")
        )
    if not converged:
        what = "a head stopped before its loss was flat; its accuracy may be too low"
        notices.append(Notice(inputs.dataset.name, what, "ask with more captions (first_object_classifier.captions)"))
    return notices
