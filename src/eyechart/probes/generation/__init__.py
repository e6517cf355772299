"""Generation: whether a text-to-image model favors the first object of its prompt, as scored by the examined model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from eyechart.findings.finding import Finding
from eyechart.notice import Notice, counted
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.generation.exhibits import control_exhibit, missed_exhibit, present_exhibit, prominent_exhibit
from eyechart.probes.generation.metrics import METRICS
from eyechart.probes.generation.presence import OBJECTS, Presence, by_model, by_objects
from eyechart.probes.generation.prompted_pictures import named_objects, prompted_pictures
from eyechart.probes.generation.shares import LATER, control_findings, share_findings

_HEADLINE = {"present_change": "first_object_present_effect", "prominent_change": "first_object_prominent_effect"}


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `generation`.

    template: The prompt template for an object name.
    alarm: The false positive rate of detection: an object counts as present where its score is above that of all but this share
        of the pictures whose prompts do not name it.
    least: Sets of objects that a number needs to be reported.
    shown: Pictures on the page.
    """

    template: str = "a photo of a {}"
    alarm: float = 0.05
    least: int = 10
    shown: int = 12

    def __post_init__(self) -> None:
        if self.template.count("{}") != 1:
            raise ValueError(f"template is {self.template!r}; it must contain {{}} once, for the name")
        if not 0.001 <= self.alarm <= 0.5:
            raise ValueError(f"alarm is {self.alarm}; choose a share from 0.001 to 0.5")
        if self.shown < 0 or self.least < 3:
            raise ValueError("shown must be at least 0, and least at least 3")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    names = sorted({name for named in named_objects(request.dataset) for name in named})
    return _texts(names, request.settings)


def _texts(names: Sequence[str], settings: Settings) -> list[str]:
    return [settings.template.replace("{}", name) for name in names]


@probe(
    version=2,
    needs=("images", "texts"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("objects", "paper"),
    texts=texts,
    headline=("first_object_prominent", "first_object_prominent_effect", "first_object_present_effect"),
    prompts=False,
)
def generation(inputs: ProbeInput[Settings]) -> Answer:
    """Does a text-to-image model favor the object that its prompt names first?

    This is about the generator of the pictures; the examined model scores them. For each position in the prompt: how often the
    object is present, and how often it is the most prominent. The effect of position compares the same object in other orders of
    the same prompt.
    """
    settings: Settings = inputs.settings
    pictures = prompted_pictures(inputs.dataset, inputs.clusters)
    if not pictures.groups:
        raise NotApplicable("the dataset does not list the objects of each prompt in order (see generated: in docs/data.md)")
    scored, unscored = by_model(inputs, pictures, _texts(pictures.names, settings), settings.alarm)
    presences = [r for r in (*scored, *by_objects(inputs, pictures)) if len(set(r.prompted.units.tolist())) >= settings.least]
    mine = [r for r in presences if r in scored]
    if not mine:
        raise NotApplicable(
            f"the probe needs {settings.least} different sets of objects in prompts, and for every object "
            f"{round(1 / settings.alarm)} pictures whose prompts do not name it"
        )
    findings = [f for presence in presences for f in share_findings(presence, settings.least)]
    leading = _leading(mine)
    control = [f for model, truth in _with_truth(mine, presences) for f in control_findings(model, truth)]
    findings += control
    exhibits = [
        prominent_exhibit(findings, leading),
        present_exhibit(findings, leading),
        *control_exhibit(control, leading),
        *missed_exhibit(leading, pictures.names, inputs.dataset, settings.shown),
    ]
    return Answer([*_headline(findings, leading), *findings], exhibits, _notices(inputs, findings, leading, unscored))


def _leading(presences: Sequence[Presence]) -> Presence:
    """The group of the headline: the first generator, and its most frequent number of objects."""
    first = [r for r in presences if r.prompted.generator == presences[0].prompted.generator]
    return max(first, key=lambda presence: len(presence.prompted.rows))


def _with_truth(mine: Sequence[Presence], presences: Sequence[Presence]) -> list[tuple[Presence, Presence]]:
    """The model's scores paired with the annotated objects of the same group."""
    truths = {(r.prompted.generator, r.prompted.count): r for r in presences if r not in mine}
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


def _notices(
    inputs: ProbeInput[Settings], findings: Sequence[Finding], leading: Presence, unscored: Sequence[str]
) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    if unscored:
        what = f"prompts with {', '.join(unscored[:5])} left out because too few prompts do without that name"
        notices.append(Notice(where, what, "add pictures of prompts that name other objects"))
    if not any(f.metric == "prominent_change" for f in findings):
        what = "too few sets of objects are named in two orders, so position and object cannot be separated"
        notices.append(Notice(where, what, "generate pictures for the same objects in other orders"))
    if not any(f.slice.get("by") == OBJECTS for f in findings):
        what = f"only {inputs.model} scores what the pictures show, and it may favor large objects"
        notices.append(Notice(where, what, "run the probe on world-prompts too, or add the objects of a detector"))
    several = {f.slice.get("generator") for f in findings}
    if len(several) > 1:
        what = f"{counted(len(several), 'generator')}; the headline is about {leading.prompted.generator}"
        notices.append(Notice(where, what, "the tables and charts have all of them"))
    return notices
