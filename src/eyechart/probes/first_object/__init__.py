"""First object: whether the text encoder favors the first object of a caption (TOR, Abbasi et al., 2025)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.metrics.ranking.retrieval import clear_of_chance
from eyechart.metrics.scenes.object_ranks import object_ranks
from eyechart.metrics.vectors import unit
from eyechart.notice import Notice, counted
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.first_object.exhibits import count_exhibit, flip_exhibit, position_exhibit
from eyechart.probes.first_object.metrics import METRICS
from eyechart.probes.tasks.caption_recall import CaptionRetrieval
from eyechart.probes.tasks.name_lists import NameList, names_for, read_names
from eyechart.probes.tasks.real_captions import real_captions
from eyechart.probes.tasks.template_captions import (
    ATTRIBUTES,
    BARE,
    DEFAULT_STYLES,
    LONG,
    LONGEST_COUNT,
    ORDERS,
    REAL,
    SENTENCE,
    STYLES,
    SUM,
    TemplateCaptions,
    template_captions,
)


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `first_object`.

    names: A packaged list (coco-80, comco-90, simco-18, imagenet-1k) or a file; empty for the classes of the dataset.
    words: The names of that list, or names given directly.
    counts: Numbers of objects in a caption.
    focus: The number of objects of the headline.
    captions: Captions for each number of objects.
    order: "balanced" or "compat", see `template_captions`.
    styles: The wordings: bare, long, attributes; sentence, which is shorter than long, for models with a small context.
    least: Real captions that a number of objects needs to be reported.
    shown: Captions in the table of changed rankings.
    seed: The seed of the captions.
    """

    names: str = ""
    words: tuple[str, ...] = ()
    counts: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8)
    focus: int = 4
    captions: int = 480
    order: str = "balanced"
    styles: tuple[str, ...] = DEFAULT_STYLES
    least: int = 30
    shown: int = 12
    seed: int = 0

    def __post_init__(self) -> None:
        if self.names:  # a file may change, so the protocol holds the names themselves
            object.__setattr__(self, "words", read_names(self.names))
        if self.order not in ORDERS:
            raise ValueError(f"order is {self.order!r}; choose one of {', '.join(ORDERS)}")
        if not self.styles or not set(self.styles) <= set(STYLES):
            raise ValueError(f"styles is {self.styles!r}; choose one or more of {', '.join(STYLES)}")
        if not self.counts or not all(isinstance(n, int) and 2 <= n <= 8 for n in self.counts) or self.focus not in self.counts:
            raise ValueError("counts must be whole numbers from 2 to 8, and focus one of them")
        if min(self.captions, self.least) < 1 or min(self.shown, self.seed) < 0:
            raise ValueError("captions and least must be at least 1, shown and seed at least 0")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    settings: Settings = request.settings
    try:
        names = names_for(request.dataset, settings.names, settings.words)
    except NotApplicable:
        return ()
    return [
        *names.names,
        *(text for captions in (*_templates(settings, names), *_real(request, names)) for text in captions.texts),
    ]


@probe(
    version=4,
    needs=("texts",),
    settings=Settings(),
    metrics=METRICS,
    profiles=("objects", "paper"),
    texts=texts,
    compares=True,
    headline=("first_object_share", "first_object_lead"),
    prompts=False,
)
def first_object(inputs: ProbeInput[Settings]) -> Answer:
    """Does the text encoder favor the first object of a caption?

    Captions of two to eight object names ("dog and kite and bench") are compared with the names alone. The name whose vector is
    nearest to the caption is retrieved (text-based object retrieval, TOR, Abbasi et al., 2025). Every set of names is used in
    every rotation, so that position and object are separated. Where several datasets have the same names, template captions are
    used for the first dataset only, and real captions for all.
    """
    settings: Settings = inputs.settings
    names = names_for(inputs.dataset, settings.names, settings.words)
    targets, elsewhere = inputs.texts(names.names), _measured_elsewhere(inputs, names)
    retrieved, left_out = [], Counter[str]()
    for captions in (*_templates(settings, names), *_real(inputs, names)):
        whole = captions.without(inputs.truncated(captions.texts))
        if elsewhere and captions.style != REAL:
            continue
        left_out[captions.style] += len(captions) - len(whole)
        if not len(whole):
            continue
        retrieved.append(CaptionRetrieval(whole, object_ranks(inputs.texts(whole.texts), targets, whole.objects), whole.style))
        if whole.style == BARE:
            # A control without order: any difference between positions is chance. Sorted, so that rotations give one vector.
            summed = unit(targets[np.sort(whole.objects, axis=1)].sum(axis=1, dtype=np.float64).astype(np.float32))
            retrieved.append(CaptionRetrieval(whole, object_ranks(summed, targets, whole.objects), SUM))
    if not retrieved and elsewhere:
        raise NotApplicable(f"the result depends on the object names only, which are those of {elsewhere}; see the result there")
    if not retrieved and not _counts(settings, names):
        fewest = min(settings.counts)
        raise NotApplicable(f"captions of {fewest} names need more names than the {len(names)} of {names.title}")
    if not retrieved:
        raise NotApplicable("every caption is longer than the model's context")
    focus = next((r for r in retrieved if r.slice == _in_focus(settings)), retrieved[0])
    findings = [*(() if elsewhere else _headline(focus, settings, len(names))), *(f for r in retrieved for f in r.findings())]
    exhibits = [
        position_exhibit(focus, names),
        *count_exhibit(retrieved),
        *flip_exhibit(focus, names, settings.shown),
    ]
    return Answer(findings, exhibits, [*_truncated(inputs, left_out), *_near_chance(inputs, focus, len(names))])


def _counts(settings: Settings, names: NameList) -> list[int]:
    return [n for n in sorted(set(settings.counts)) if n < len(names)]


def _templates(settings: Settings, names: NameList) -> Iterator[TemplateCaptions]:
    """Template captions by count and style: the same for every dataset with these names."""
    for count in _counts(settings, names):
        for style in settings.styles:
            if (style in (LONG, SENTENCE) and count > LONGEST_COUNT) or (style == ATTRIBUTES and count != settings.focus):
                continue
            yield template_captions(names, count, style, order=settings.order, captions=settings.captions, seed=settings.seed)


def _real(request: TextRequest[Settings] | ProbeInput[Settings], names: NameList) -> Iterator[TemplateCaptions]:
    """The captions of the dataset by count, where there are enough."""
    settings: Settings = request.settings
    if request.dataset.has("captions"):
        for count in _counts(settings, names):
            real = real_captions(request.dataset, names.names, count, most=settings.captions, seed=settings.seed)
            if len(real) >= settings.least:
                yield real


def _measured_elsewhere(inputs: ProbeInput[Settings], names: NameList) -> str | None:
    """An earlier dataset of the plan with the same names, for which the template captions are measured."""
    settings: Settings = inputs.settings
    for other in inputs.companions.values():
        if other.dataset.name == inputs.dataset.name:
            return None
        try:
            same = names_for(other.dataset, settings.names, settings.words).names == names.names
        except NotApplicable:
            same = False
        if same and other.dataset.role == "exam":
            return other.dataset.name
    return None


def _in_focus(settings: Settings) -> dict[str, object]:
    return {"captions": BARE, "count": settings.focus}


def _headline(focus: CaptionRetrieval, settings: Settings, names: int) -> list[Finding]:
    """The numbers of the count in focus, without a slice; with their slice where other captions have to stand in."""
    renamed = {"first_object_share": focus.shares[0], "first_object_share_conditional": focus.shares_conditional[0]}
    if focus.slice != _in_focus(settings):
        return [replace(finding, metric=metric, slice=focus.slice) for metric, finding in renamed.items()]
    renamed |= {"first_object_lead": focus.lead, "top_n_recall": focus.recall}
    chance = Finding(metric="top_n_recall_chance", value=_chance(focus, names), n=focus.recall.n)
    return [*(replace(f, metric=metric, slice={}) for metric, f in renamed.items()), chance]


def _chance(focus: CaptionRetrieval, names: int) -> float:
    """The share of a caption's n names that n names drawn at random contain."""
    return focus.captions.count / names


def _truncated(inputs: ProbeInput[Settings], left_out: Counter[str]) -> list[Notice]:
    lost = [counted(n, f"{style} caption") for style, n in left_out.items() if n]
    if not lost:
        return []
    what = f"{' and '.join(lost)} skipped: the caption, or a reordering of it, exceeds the context length of {inputs.model}"
    shorter = "use the style sentence instead of long" if left_out[LONG] else "choose shorter first_object.styles"
    return [Notice(inputs.dataset.name, what, f"lower first_object.counts, or {shorter} (first_object.styles)")]


def _near_chance(inputs: ProbeInput[Settings], focus: CaptionRetrieval, names: int) -> list[Notice]:
    """A warning where the model does not know the names, so that positions mean little."""
    recall = float(focus.ranks.recall.mean())
    by_chance = _chance(focus, names)
    if clear_of_chance(recall, by_chance):
        return []
    what = (
        f"{inputs.model} finds only {percent(recall)} of the names in a caption (chance: {percent(by_chance)}), so "
        "positions say little"
    )
    return [Notice(inputs.dataset.name, what, "choose names that the model knows (first_object.names)")]
