"""Generation: does a text-to-image model favour what its prompt names first? The examined model says what a picture shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from eyechart.findings.finding import Finding
from eyechart.notice import Notice, counted
from eyechart.probes.generation.exhibits import control_exhibit, missed_exhibit, present_exhibit, prominent_exhibit
from eyechart.probes.generation.metrics import METRICS
from eyechart.probes.generation.presence import OBJECTS, Presence, by_model, by_objects
from eyechart.probes.generation.prompted_pictures import all_prompted, named_things
from eyechart.probes.generation.shares import LATER, control_findings, share_findings
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe

_HEADLINE = {"present_change": "first_object_present_effect", "prominent_change": "first_object_prominent_effect"}


@dataclass(frozen=True)
class Settings:
    """`template`: the words that a name is put in. `alarm`: a thing counts as present where the picture is nearer to it than all
    but this share of the pictures whose prompts do not name it. `least`: sets of things that a number needs to be reported.
    `shown`: pictures on the page."""

    template: str = "a photo of a {}"
    alarm: float = 0.05
    least: int = 10
    shown: int = 12

    def __post_init__(self) -> None:
        if self.template.count("{}") != 1:
            raise ValueError(f"template is {self.template!r}; it holds {{}} once, for the name")
        if not 0.001 <= self.alarm <= 0.5:
            raise ValueError(f"alarm is {self.alarm}; choose a share from 0.001 to 0.5")
        if self.shown < 0 or self.least < 3:
            raise ValueError("shown is a whole number from 0 up, least from 3 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    names = sorted({name for named in named_things(request.dataset) for name in named})
    return _texts(names, request.settings)


def _texts(names: Sequence[str], settings: Settings) -> list[str]:
    return [settings.template.replace("{}", name) for name in names]


@probe(
    version=2,
    needs=("images", "texts"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("first_object_prominent", "first_object_prominent_effect", "first_object_present_effect"),
    prompts=False,
)
def generation(inputs: ProbeInput[Settings]) -> Answer:
    """Does a text-to-image model favour what its prompt names first?

    A question about the generator that drew the pictures; the examined model is the one who looks. By turn of mention: how often
    the thing named is there, and how often it stands out most. And the same thing among the same others, named in another turn.
    """
    settings: Settings = inputs.settings
    told = all_prompted(inputs.dataset, inputs.clusters)
    if not told.groups:
        raise NotApplicable("no picture says which things its prompt named, in their order (see generated: in docs/data.md)")
    read, unread = by_model(inputs, told, _texts(told.names, settings), settings.alarm)
    readings = [r for r in (*read, *by_objects(inputs, told)) if len(set(r.prompted.units.tolist())) >= settings.least]
    mine = [r for r in readings if r in read]
    if not mine:
        raise NotApplicable(
            f"it takes {settings.least} different sets of things named in prompts, and for every thing "
            f"{round(1 / settings.alarm)} pictures whose prompts do not name it"
        )
    findings = [f for reading in readings for f in share_findings(reading, settings.least)]
    leading = _leading(mine)
    control = [f for model, truth in _both(mine, readings) for f in control_findings(model, truth)]
    findings += control
    exhibits = [
        prominent_exhibit(findings, leading),
        present_exhibit(findings, leading),
        *control_exhibit(control, leading),
        *missed_exhibit(leading, told.names, inputs.dataset, settings.shown),
    ]
    return Answer([*_headline(findings, leading), *findings], exhibits, _notices(inputs, findings, leading, unread))


def _leading(readings: Sequence[Presence]) -> Presence:
    """What the headline speaks of: the dataset's first generator, prompts of the number of things that most of its have."""
    first = [r for r in readings if r.prompted.generator == readings[0].prompted.generator]
    return max(first, key=lambda reading: len(reading.prompted.rows))


def _both(mine: Sequence[Presence], readings: Sequence[Presence]) -> list[tuple[Presence, Presence]]:
    """The model's readings beside those of objects, group by group."""
    truths = {(r.prompted.generator, r.prompted.count): r for r in readings if r not in mine}
    pairs = ((model, truths.get((model.prompted.generator, model.prompted.count))) for model in mine)
    return [(model, truth) for model, truth in pairs if truth is not None]


def _headline(findings: Sequence[Finding], leading: Presence) -> list[Finding]:
    where, against = leading.prompted.slice, LATER if leading.prompted.count > 2 else 2
    first = {**leading.slice, "position": 1}
    found = [
        replace(f, metric="first_object_prominent", slice=where) for f in findings if f.metric == "prominent" and f.slice == first
    ]
    for f in findings:
        if f.metric in _HEADLINE and f.slice == {**first, "against": against}:
            found.append(replace(f, metric=_HEADLINE[f.metric], slice=where))
    return found


def _notices(inputs: ProbeInput[Settings], findings: Sequence[Finding], leading: Presence, unread: Sequence[str]) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    if unread:
        what = f"prompts that name {', '.join(unread[:5])} left out: too few pictures have a prompt without that name"
        notices.append(Notice(where, what, "add pictures of prompts that name other things"))
    if not any(f.metric == "prominent_change" for f in findings):
        what = "hardly any set of things is named in two orders, so what is named first cannot be told from what a thing is"
        notices.append(Notice(where, what, "give the generator the same things in other orders too"))
    if not any(f.slice.get("by") == OBJECTS for f in findings):
        what = f"what the pictures show is known from {inputs.model} alone, which may see large things best"
        notices.append(Notice(where, what, "look at the same numbers on world-prompts, or add a detector's objects"))
    several = {f.slice.get("generator") for f in findings}
    if len(several) > 1:
        what = f"{counted(len(several), 'generator')}; the headline speaks of {leading.prompted.generator}"
        notices.append(Notice(where, what, "all are in the tables and charts"))
    return notices
