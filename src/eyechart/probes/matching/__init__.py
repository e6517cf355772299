"""Matching: two captions for a picture, one of which names a thing that is not there (ITM of Abbasi et al., 2025)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eyechart.data.caption_trials import read_caption_file
from eyechart.data.dataset import Dataset
from eyechart.errors import DataError
from eyechart.findings.finding import Finding
from eyechart.notice import Notice, counted
from eyechart.probes.matching.exhibits import flips_exhibit, kinds_exhibit, kinds_explained
from eyechart.probes.matching.metrics import METRICS
from eyechart.probes.matching.rewritten import Vocabulary, retold, retold_trials
from eyechart.probes.matching.shares import count_findings, file_findings, trial_findings, won_by_kind
from eyechart.probes.matching.trials import FileTrials, MatchTrials, file_trials, made_trials
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe

REWRITTEN = {"captions": "rewritten"}


@dataclass(frozen=True)
class Settings:
    """`pictures`: scenes that are asked about, drawn at random; 0 takes all. `absent`: things that a picture does not show, each
    a trial; 0 takes all, as the paper does. `captions`: a file to ask with as well, of right and wrong captions (columns id,
    right, wrong, scenario) or of captions in two orders (id, large_first, large_last; `eyechart rewrite` writes one), and
    `content` its hash. `least`: trials that a number of things needs to be reported by itself. `shown`: pictures on the page."""

    pictures: int = 400
    absent: int = 4
    captions: str = ""
    content: str = ""
    least: int = 40
    shown: int = 12
    seed: int = 0

    def __post_init__(self) -> None:
        if self.captions:  # a file may change, and what was asked must be told from the protocol
            try:
                read_caption_file(self.captions)
            except DataError as error:
                raise ValueError(str(error)) from None
            object.__setattr__(self, "content", hashlib.sha256(Path(self.captions).read_bytes()).hexdigest()[:16])
        if min(self.pictures, self.absent, self.shown, self.seed) < 0 or self.least < 1:
            raise ValueError("pictures, absent, shown and seed are whole numbers from 0 up, least from 1 up")


@dataclass(frozen=True)
class _Asked:
    """Trials of captions that were made of names; of a file of right and wrong captions; and of a file of captions in two orders,
    None without such a file. `lost`: rows of the file about pictures that are not there; `faults`: other rows left out."""

    made: MatchTrials
    told: list[FileTrials]
    rewritten: MatchTrials | None = None
    lost: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)

    @property
    def texts(self) -> list[str]:
        told = (text for one in self.told for text in (*one.right, *one.wrong))
        return list(dict.fromkeys([*self.made.texts, *told, *(self.rewritten.texts if self.rewritten else ())]))


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    return _asked(request.dataset, request.settings).texts


@probe(
    version=2,
    needs=("images", "texts", "objects"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("scenario_1", "scenario_2", "order_effect"),
    prompts=False,
)
def matching(inputs: ProbeInput[Settings]) -> Answer:
    """Is the right caption still told from a wrong one when the large thing is named last?

    A caption names the things of a picture; a wrong one has an absent thing in the place of one. Scenario 1 names the large thing
    first and replaces it; scenario 2 names it last, and its wrong caption has another order besides. Two more pairs of trials
    change nothing but the order.
    """
    request = _asked(inputs.dataset, inputs.settings)
    findings: list[Finding] = []
    exhibits = []
    ids, shown = inputs.dataset.ids(), inputs.settings.shown
    if len(request.made):
        right = won_by_kind(inputs, request.made)
        findings += [*trial_findings(inputs, request.made, right), *count_findings(inputs, request.made, right)]
        exhibits += [kinds_explained(request.made, ids), *flips_exhibit(request.made, right, ids, shown)]
    findings += file_findings(inputs, request.told)
    if request.rewritten:
        right = won_by_kind(inputs, request.rewritten)
        findings += trial_findings(inputs, request.rewritten, right, REWRITTEN)
        exhibits += flips_exhibit(request.rewritten, right, ids, shown, rewritten=True)
    if not findings:
        raise NotApplicable("no picture shows two differently named things and lacks another that is known")
    return Answer(findings, [kinds_exhibit(findings), *exhibits], [*_left_out(inputs, request), *_guessing(inputs, findings)])


def _asked(dataset: Dataset, settings: Settings) -> _Asked:
    made = made_trials(dataset, pictures=settings.pictures, absent=settings.absent, seed=settings.seed)
    if not settings.captions:
        return _Asked(made, [])
    trials, rewritten = read_caption_file(settings.captions)
    if not rewritten:
        told = file_trials(dataset, trials)
        return _Asked(made, told, lost=len(trials) - sum(len(one.rows) for one in told))
    vocabulary = Vocabulary(dataset)
    kept, lost, faults = retold(dataset, vocabulary, rewritten)
    return _Asked(made, [], retold_trials(vocabulary, kept, absent=settings.absent, seed=settings.seed), lost, faults)


def _left_out(inputs: ProbeInput[Settings], request: _Asked) -> list[Notice]:
    where, file = inputs.dataset.name, Path(inputs.settings.captions).name
    notices = []
    if request.lost:
        row = "caption" if request.rewritten is not None else "trial"
        what = f"{counted(request.lost, row)} of {file} left out: their pictures are not in the dataset"
        notices.append(Notice(where, what, "ids are those of the dataset, such as file names"))
    for fault, count in request.faults.items():
        what = f"{counted(count, 'caption')} of {file} left out: {fault}"
        notices.append(Notice(where, what, "names are those of the pictures' objects, and synonyms of the dataset's classes"))
    return notices


def _guessing(inputs: ProbeInput[Settings], findings: Sequence[Finding]) -> list[Notice]:
    poor = [f for f in findings if f.metric == "scenario_1" and not f.slice and (f.low or 0.0) <= 0.5]
    if not poor:
        return []
    what = (
        f"{inputs.model} does no better than guessing even where the large thing is replaced and named first: {poor[0].value:.1%}"
    )
    return [Notice(inputs.dataset.name, what, "check that the names of objects say what the pictures show")]
