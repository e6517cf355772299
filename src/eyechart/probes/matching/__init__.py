"""Matching: a true caption against a false one that names an absent object (image–text matching, ITM, Abbasi et al., 2025)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eyechart.data.caption_trials import read_caption_file
from eyechart.data.dataset import Dataset
from eyechart.errors import DataError
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.notice import Notice, counted
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.matching.exhibits import flips_exhibit, kinds_exhibit, kinds_explained, missed_exhibits
from eyechart.probes.matching.metrics import METRICS
from eyechart.probes.matching.shares import correct_by_kind, count_findings, file_findings, trial_findings
from eyechart.probes.matching.trials import ORDERS, RANDOM, FileTrials, MatchTrials, file_trials, made_trials
from eyechart.probes.matching.two_orders import Vocabulary, two_order_captions, two_order_trials

REWRITTEN = {"captions": "rewritten"}


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `matching`.

    pictures: Scenes, drawn at random; 0 takes all.
    absent: Absent objects for each picture, one trial each; 0 takes all, as in the paper.
    order: The order of small objects in a caption: "random", or "swap" for the paper's code, see `made_trials`.
    captions: A file with more trials: true and false captions (columns id, right, wrong, scenario), or captions in two orders
        (columns id, large_first, large_last; written by `eyechart rewrite`).
    content: The hash of that file.
    least: Trials that a number of objects needs to be reported.
    shown: Pictures on the page.
    seed: The seed of the trials.
    """

    pictures: int = 400
    absent: int = 4
    order: str = RANDOM
    captions: str = ""
    content: str = ""
    least: int = 40
    shown: int = 12
    seed: int = 0

    def __post_init__(self) -> None:
        if self.captions:  # a file may change, so the protocol holds its hash
            try:
                read_caption_file(self.captions)
            except DataError as error:
                raise ValueError(str(error)) from None
            object.__setattr__(self, "content", hashlib.sha256(Path(self.captions).read_bytes()).hexdigest()[:16])
        if self.order not in ORDERS:
            raise ValueError(f"order is {self.order!r}; choose one of {', '.join(ORDERS)}")
        if min(self.pictures, self.absent, self.shown, self.seed) < 0 or self.least < 1:
            raise ValueError("pictures, absent, shown and seed must be at least 0, and least at least 1")


@dataclass(frozen=True)
class _Trials:
    """All trials of a run.

    template: Trials with template captions.
    from_file: Trials of a file of true and false captions, by scenario.
    rewritten: Trials of a file of captions in two orders; None without such a file.
    lost: Rows of the file whose picture is not in the dataset.
    faults: Other rows that were left out, counted by reason.
    """

    template: MatchTrials
    from_file: list[FileTrials]
    rewritten: MatchTrials | None = None
    lost: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)

    @property
    def texts(self) -> list[str]:
        from_file = (text for one in self.from_file for text in (*one.right, *one.wrong))
        return list(dict.fromkeys([*self.template.texts, *from_file, *(self.rewritten.texts if self.rewritten else ())]))


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    return _trials(request.dataset, request.settings).texts


@probe(
    version=3,
    needs=("images", "texts", "objects"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("objects", "paper"),
    texts=texts,
    headline=("scenario_1", "scenario_2", "order_effect"),
    prompts=False,
)
def matching(inputs: ProbeInput[Settings]) -> Answer:
    """Does the order of objects in a caption decide whether the model prefers the true caption?

    A true caption names the objects of a picture; a false one has an absent object instead of one of them. Scenario 1 names the
    large object first and replaces it. Scenario 2 names it last, and its false caption also has another order. Two more pairs of
    trials change only the order.
    """
    trials = _trials(inputs.dataset, inputs.settings)
    findings: list[Finding] = []
    exhibits = []
    ids, shown = inputs.dataset.ids(), inputs.settings.shown
    if len(trials.template):
        correct = correct_by_kind(inputs, trials.template)
        findings += [*trial_findings(inputs, trials.template, correct), *count_findings(inputs, trials.template, correct)]
        exhibits += [kinds_explained(trials.template, ids), *flips_exhibit(trials.template, correct, ids, shown)]
        exhibits += missed_exhibits(inputs, trials.template, correct)
    findings += file_findings(inputs, trials.from_file)
    if trials.rewritten:
        correct = correct_by_kind(inputs, trials.rewritten)
        findings += trial_findings(inputs, trials.rewritten, correct, REWRITTEN)
        exhibits += flips_exhibit(trials.rewritten, correct, ids, shown, rewritten=True)
    if not findings:
        raise NotApplicable("it needs pictures with two distinct objects, and a third object name that is absent")
    return Answer(findings, [kinds_exhibit(findings), *exhibits], [*_left_out(inputs, trials), *_near_chance(inputs, findings)])


def _trials(dataset: Dataset, settings: Settings) -> _Trials:
    template = made_trials(dataset, pictures=settings.pictures, absent=settings.absent, seed=settings.seed, order=settings.order)
    if not settings.captions:
        return _Trials(template, [])
    rows, rewritten = read_caption_file(settings.captions)
    if not rewritten:
        from_file = file_trials(dataset, rows)
        return _Trials(template, from_file, lost=len(rows) - sum(len(one.rows) for one in from_file))
    vocabulary = Vocabulary(dataset)
    kept, lost, faults = two_order_captions(dataset, vocabulary, rewritten)
    return _Trials(template, [], two_order_trials(vocabulary, kept, absent=settings.absent, seed=settings.seed), lost, faults)


def _left_out(inputs: ProbeInput[Settings], trials: _Trials) -> list[Notice]:
    where, file = inputs.dataset.name, Path(inputs.settings.captions).name
    notices = []
    if trials.lost:
        row = "caption" if trials.rewritten is not None else "trial"
        what = f"{counted(trials.lost, row)} of {file} left out: their pictures are not in the dataset"
        notices.append(Notice(where, what, "use the ids of the dataset, such as file names"))
    for fault, count in trials.faults.items():
        what = f"{counted(count, 'caption')} of {file} left out: {fault}"
        notices.append(Notice(where, what, "use the names of the pictures' objects, or synonyms of the dataset's classes"))
    return notices


def _near_chance(inputs: ProbeInput[Settings], findings: Sequence[Finding]) -> list[Notice]:
    poor = [f for f in findings if f.metric == "scenario_1" and not f.slice and (f.low or 0.0) <= 0.5]
    if not poor:
        return []
    what = f"{inputs.model} is not above chance even in scenario 1 (large object first and replaced): {percent(poor[0].value)}"
    return [Notice(inputs.dataset.name, what, "check that the object names describe what the pictures show")]
