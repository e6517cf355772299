"""Matching: two captions for a picture, one of which names a thing that is not there (ITM of Abbasi et al., 2025)."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from eyechart.data.caption_trials import read_caption_trials
from eyechart.data.dataset import Dataset
from eyechart.errors import DataError
from eyechart.findings.finding import Finding
from eyechart.metrics.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share, share_difference
from eyechart.notice import Notice, counted
from eyechart.probes._match_trials import CONTROLLED, FIRST, KINDS, SECOND, FileTrials, Trials, file_trials, made_trials
from eyechart.probes._matching_exhibits import flips_exhibit, kinds_exhibit
from eyechart.probes.probe import Answer, Asked, Given, NotApplicable, probe

Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]

_BLOCK = 4096  # trials whose vectors are held at once


@dataclass(frozen=True)
class Settings:
    """`pictures`: scenes that are asked about, drawn at random; 0 takes all. `absent`: things that a picture does not show, each
    a trial; 0 takes all, as the paper does. `captions`: a file of right and wrong captions (columns id, right, wrong, scenario)
    to ask with as well, and `content` its hash. `least`: trials that a number of things needs to be reported by itself. `shown`:
    pictures on the page."""

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
                read_caption_trials(self.captions)
            except DataError as error:
                raise ValueError(str(error)) from None
            object.__setattr__(self, "content", hashlib.sha256(Path(self.captions).read_bytes()).hexdigest()[:16])
        if min(self.pictures, self.absent, self.shown, self.seed) < 0 or self.least < 1:
            raise ValueError("pictures, absent, shown and seed are whole numbers from 0 up, least from 1 up")


def texts(asked: Asked) -> Sequence[str]:
    made, told = _asked(asked.dataset, asked.settings)
    return list(dict.fromkeys([*made.texts, *(text for one in told for text in (*one.right, *one.wrong))]))


@probe(
    version=1,
    needs=("images", "texts", "objects"),
    settings=Settings(),
    texts=texts,
    headline=("scenario_1", "scenario_2", "order_effect"),
    prompts=False,
)
def matching(given: Given) -> Answer:
    """Is the right caption still told from a wrong one when the large thing is named last?

    A caption names the things of a picture; a wrong one has an absent thing in the place of one. Scenario 1 names the large thing
    first and replaces it; scenario 2 names it last, and its wrong caption has another order besides. Two more pairs of trials
    change nothing but the order.
    """
    made, told = _asked(given.dataset, given.settings)
    if not len(made) and not told:
        raise NotApplicable("no picture shows two differently named things and lacks another that is known")
    findings: list[Finding] = []
    exhibits = []
    if len(made):
        right = {kind: _right(given, made.rows, made.right[kind], made.wrong[kind]) for kind in KINDS}
        findings += [*_made(given, made, right), *_by_count(given, made, right)]
        exhibits += flips_exhibit(made, right, given.dataset.ids(), given.settings.shown)
    findings += _of_file(given, told)
    return Answer(findings, [kinds_exhibit(findings), *exhibits], [*_unknown(given, told), *_guessing(given, findings)])


def _asked(dataset: Dataset, settings: Settings) -> tuple[Trials, list[FileTrials]]:
    made = made_trials(dataset, pictures=settings.pictures, absent=settings.absent, seed=settings.seed)
    return made, file_trials(dataset, read_caption_trials(settings.captions)) if settings.captions else []


def _right(given: Given, rows: Indices, right: Sequence[str], wrong: Sequence[str]) -> Flags:
    """Whether the right caption is nearer, strictly."""
    won = np.empty(len(rows), np.bool_)
    for start in range(0, len(rows), _BLOCK):
        some = slice(start, start + _BLOCK)
        pictures = given.images[rows[some]]
        scores = [np.einsum("td,td->t", pictures, given.texts(said[some])) for said in (right, wrong)]
        won[some] = scores[0] > scores[1]
    return won


def _share(given: Given, rows: Indices, hits: Flags) -> ClusteredShare:
    """Trials about one picture vary together, whatever their kind: units are numbered alike for all."""
    return clustered_share(hits, given.clusters[rows])


def _finding(metric: str, share: ClusteredShare, slice: Mapping[str, object]) -> Finding:
    return Finding(metric, share.value, share.n, share.estimate.low, share.estimate.high, slice, interval=HOW)


def _difference(metric: str, a: ClusteredShare, b: ClusteredShare, slice: Mapping[str, object], baseline: str) -> Finding:
    low, high = share_difference(a, b)
    return Finding(metric, a.value - b.value, min(a.n, b.n), low, high, slice, "fraction", None, HOW_TWO, baseline)


def _made(given: Given, made: Trials, right: dict[str, Flags]) -> Iterator[Finding]:
    shares = {kind: _share(given, made.rows, hits) for kind, hits in right.items()}
    yield _finding("scenario_1", shares[FIRST], {})
    yield _finding("scenario_2", shares[SECOND], {})
    yield _difference("scenario_drop", shares[FIRST], shares[SECOND], {}, SECOND)
    first, last = (
        _share(given, np.tile(made.rows, 2), np.concatenate([right[of[end]] for of in CONTROLLED.values()])) for end in (0, 1)
    )
    yield _difference("order_effect", first, last, {}, "large named last")
    for replaced, (large_first, large_last) in CONTROLLED.items():
        where = {"replaced": replaced}
        yield _difference("order_effect", shares[large_first], shares[large_last], where, "large named last")
    for kind, share in shares.items():
        yield _finding("right", share, {"trial": kind})
    nearer = _right(given, made.rows, made.right[FIRST], made.right[SECOND])
    yield replace(_finding("large_first_nearer", _share(given, made.rows, nearer), {}), higher_is_better=None)


def _by_count(given: Given, made: Trials, right: dict[str, Flags]) -> Iterator[Finding]:
    counts = np.unique(made.counts)
    for count in counts if len(counts) > 1 else ():
        some = made.counts == count
        if some.sum() < given.settings.least:
            continue
        where, rows = {"objects": int(count)}, made.rows[some]
        shares = {kind: _share(given, rows, hits[some]) for kind, hits in right.items()}
        yield _finding("scenario_1", shares[FIRST], where)
        yield _finding("scenario_2", shares[SECOND], where)
        for replaced, (large_first, large_last) in CONTROLLED.items():
            key = {**where, "replaced": replaced}
            yield _difference("order_effect", shares[large_first], shares[large_last], key, "large named last")


def _of_file(given: Given, told: Sequence[FileTrials]) -> Iterator[Finding]:
    """Every scenario of the file; and what the first has over each other one, pictures that both have paired."""
    shares = [_share(given, one.rows, _right(given, one.rows, one.right, one.wrong)) for one in told]
    for one, share in zip(told, shares, strict=True):
        yield _finding("right", share, {"scenario": one.scenario})
    for one, share in zip(told[1:], shares[1:], strict=True):
        yield _difference("file_drop", shares[0], share, {"scenario": one.scenario}, one.scenario)


def _unknown(given: Given, told: Sequence[FileTrials]) -> list[Notice]:
    if not given.settings.captions:
        return []
    lost = len(read_caption_trials(given.settings.captions)) - sum(len(one.rows) for one in told)
    what = f"{counted(lost, 'trial')} of {Path(given.settings.captions).name} left out: their pictures are not in the dataset"
    return [Notice(given.dataset.name, what, "ids are those of the dataset, such as file names")] if lost else []


def _guessing(given: Given, findings: Sequence[Finding]) -> list[Notice]:
    poor = [f for f in findings if f.metric == "scenario_1" and not f.slice and (f.low or 0.0) <= 0.5]
    if not poor:
        return []
    what = (
        f"{given.model} does no better than guessing even where the large thing is replaced and named first: {poor[0].value:.1%}"
    )
    return [Notice(given.dataset.name, what, "check that the names of objects say what the pictures show")]
