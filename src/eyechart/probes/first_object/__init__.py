"""First word: of several names in a caption, which one does the text encoder hear best?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.metrics.scenes.object_ranks import object_ranks
from eyechart.metrics.vectors import unit
from eyechart.notice import Notice, counted
from eyechart.probes.first_object.exhibits import count_exhibit, flip_exhibit, position_exhibit
from eyechart.probes.first_object.metrics import METRICS
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.caption_recall import Heard
from eyechart.probes.tasks.name_lists import NameList, names_for, read_names
from eyechart.probes.tasks.named_in_text import real_captions
from eyechart.probes.tasks.template_captions import (
    ATTRIBUTES,
    BARE,
    LONG,
    LONGEST,
    ORDERS,
    REAL,
    STYLES,
    SUM,
    TemplateCaptions,
    made_captions,
)


@dataclass(frozen=True)
class Settings:
    """`names`: a list that comes with Eyechart (coco-80, comco-90, simco-18, imagenet-1k) or a file; without one, the dataset's
    classes. `words` are its names, read from there, or given here. `counts`: names in a caption; `focus`: the one that the
    headline is about. `captions`: how many for each count. `order`: balanced or compat. `styles`: wordings to ask with.
    `least`: real captions of a count that are worth asking. `shown`: captions in the exhibit of flips."""

    names: str = ""
    words: tuple[str, ...] = ()
    counts: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8)
    focus: int = 4
    captions: int = 480
    order: str = "balanced"
    styles: tuple[str, ...] = STYLES
    least: int = 30
    shown: int = 12
    seed: int = 0

    def __post_init__(self) -> None:
        if self.names:  # a file may change, and what was asked must be told from the protocol
            object.__setattr__(self, "words", read_names(self.names))
        if self.order not in ORDERS:
            raise ValueError(f"order is {self.order!r}; choose one of {', '.join(ORDERS)}")
        if not self.styles or not set(self.styles) <= set(STYLES):
            raise ValueError(f"styles are some of {', '.join(STYLES)}")
        if not self.counts or not all(isinstance(n, int) and 2 <= n <= 8 for n in self.counts) or self.focus not in self.counts:
            raise ValueError("counts are whole numbers from 2 to 8, and focus is one of them")
        if min(self.captions, self.least) < 1 or min(self.shown, self.seed) < 0:
            raise ValueError("captions and least are whole numbers from 1 up, shown and seed from 0 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    settings: Settings = request.settings
    try:
        names = names_for(request.dataset, settings.names, settings.words)
    except NotApplicable:
        return ()
    return [*names.names, *(text for captions in (*_made(settings, names), *_real(request, names)) for text in captions.said)]


@probe(
    version=2,
    needs=("texts",),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    compares=True,
    headline=("first_object_share", "first_object_lead"),
    prompts=False,
)
def first_object(inputs: ProbeInput[Settings]) -> Answer:
    """Which of several names in a caption does the text encoder hear best?

    Captions of two to eight names ("dog and kite and bench"), and the names alone. The name whose vector is nearest to the
    caption's is the one that is heard (text-based object retrieval, Abbasi et al., 2025). Every set of names is said in every
    turn, so that position is told apart from identity. Of several datasets with the same names the first is asked with all
    captions, and the others with the captions that they bring along.
    """
    settings: Settings = inputs.settings
    names = names_for(inputs.dataset, settings.names, settings.words)
    targets, elsewhere = inputs.texts(names.names), _asked_elsewhere(inputs, names)
    heard, left_out = [], Counter[str]()
    for captions in (*_made(settings, names), *_real(inputs, names)):
        whole = captions.without(inputs.truncated(captions.said))
        if elsewhere and captions.style != REAL:
            continue
        left_out[captions.style] += len(captions) - len(whole)
        if not len(whole):
            continue
        heard.append(Heard(whole, object_ranks(inputs.texts(whole.said), targets, whole.objects), whole.style))
        if whole.style == BARE:
            # No order at all: what is left of the positions then is chance. Summed by number, so that turns give one vector.
            summed = unit(targets[np.sort(whole.objects, axis=1)].sum(axis=1, dtype=np.float64).astype(np.float32))
            heard.append(Heard(whole, object_ranks(summed, targets, whole.objects), SUM))
    if not heard and elsewhere:
        raise NotApplicable(f"it is about words alone, and they are those of {elsewhere}")
    if not heard and not _counts(settings, names):
        fewest = min(settings.counts)
        raise NotApplicable(f"captions of {fewest} names need more names than the {len(names)} of {names.title}")
    if not heard:
        raise NotApplicable("every caption is longer than the model's context")
    focus = next((h for h in heard if h.slice == _in_focus(settings)), heard[0])
    findings = [*(() if elsewhere else _headline(focus, settings)), *(f for h in heard for f in h.findings())]
    exhibits = [
        position_exhibit(focus, names),
        *count_exhibit(heard),
        *flip_exhibit(focus, names, settings.shown),
    ]
    return Answer(findings, exhibits, [*_cut_off(inputs, left_out), *_odd(inputs, focus, len(names))])


def _counts(settings: Settings, names: NameList) -> list[int]:
    return [n for n in sorted(set(settings.counts)) if n < len(names)]


def _made(settings: Settings, names: NameList) -> Iterator[TemplateCaptions]:
    """Captions made of the names, one count and style after the other: the same for every dataset of these names."""
    for count in _counts(settings, names):
        for style in settings.styles:
            if (style == LONG and count > LONGEST) or (style == ATTRIBUTES and count != settings.focus):
                continue
            yield made_captions(names, count, style, order=settings.order, captions=settings.captions, seed=settings.seed)


def _real(request: TextRequest[Settings] | ProbeInput[Settings], names: NameList) -> Iterator[TemplateCaptions]:
    """The dataset's own captions, one count after the other, where there are enough."""
    settings: Settings = request.settings
    if request.dataset.has("captions"):
        for count in _counts(settings, names):
            real = real_captions(request.dataset, names.names, count, most=settings.captions, seed=settings.seed)
            if len(real) >= settings.least:
                yield real


def _asked_elsewhere(inputs: ProbeInput[Settings], names: NameList) -> str | None:
    """An earlier dataset of the plan that lends the same names: what is made of them alone has been asked there."""
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


def _headline(focus: Heard, settings: Settings) -> list[Finding]:
    """The numbers of the count in focus, without a slice; where there are no bare captions of so many names, those of others,
    which say what they are."""
    renamed = {"first_object_share": focus.shares[0], "first_object_share_conditional": focus.shares_kept[0]}
    if focus.slice != _in_focus(settings):
        return [replace(finding, metric=metric, slice=focus.slice) for metric, finding in renamed.items()]
    return [replace(f, metric=metric, slice={}) for metric, f in {**renamed, "first_object_lead": focus.lead}.items()]


def _cut_off(inputs: ProbeInput[Settings], left_out: Counter[str]) -> list[Notice]:
    lost = [counted(n, f"{style} caption") for style, n in left_out.items() if n]
    if not lost:
        return []
    what = f"{' and '.join(lost)} left out: they, or others of the same names, are longer than {inputs.model}'s context"
    return [
        Notice(inputs.dataset.name, what, "ask with fewer names (first_object.counts) or in fewer words (first_object.styles)")
    ]


def _odd(inputs: ProbeInput[Settings], focus: Heard, names: int) -> list[Notice]:
    """A warning where the model does not know the names: positions then say little."""
    kept = float(focus.ranks.recall.mean())
    by_chance = focus.captions.count / names
    if kept > min(2 * by_chance, (1 + by_chance) / 2):  # of few names guessing hears many
        return []
    what = f"{inputs.model} hears {kept:.0%} of the names of a caption, where guessing would hear {by_chance:.0%}"
    return [Notice(inputs.dataset.name, what, "choose names that the model knows (first_object.names)")]
