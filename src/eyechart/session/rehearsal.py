"""What probes will ask a model that answers questions, found out before anything is asked.

The probes run on made-up answers, which are never kept, and every question is recorded. Questions and options follow from the
pictures and the settings alone, so the record is exact. Two kinds are not known before: questions that depend on an answer, and
options that depend on another model. A probe declares these in `questions`, with an empty text.
"""

import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

import numpy as np

from eyechart.data.picture import Decoding
from eyechart.encode.engine import PictureWork
from eyechart.errors import EyechartError
from eyechart.metrics.classification.shared_scores import SharedScores
from eyechart.metrics.vectors import unit
from eyechart.models.abilities import has_members
from eyechart.models.answering import AnswersQuestions, Reply
from eyechart.probes.contract import NotApplicable, ProbeInput, TextRequest
from eyechart.progress import SilentProgress
from eyechart.session.asking import Asking, Job
from eyechart.session.keyed_dataset import KeyedDataset
from eyechart.session.pending import datasets_of
from eyechart.session.probe_inputs import input_without_others
from eyechart.session.probe_tasks import ProbeTask
from eyechart.session.readable_pictures import lost_pictures
from eyechart.session.session import Session
from eyechart.store.answers import KeptAnswers

_WIDTH = 8  # of the made-up vectors of other models


@dataclass
class Rehearsed:
    """What was recorded.

    asked: Keys of the questions in words.
    new: Those of them that have no kept reply, with their pictures.
    scored: Keys of the questions whose options are scored.
    new_scored: Those of them whose log-likelihoods are not kept: picture and number of options.
    unknown: Questions that are known only after answers, at most.
    """

    asked: set[bytes] = field(default_factory=set)
    new: dict[bytes, PictureWork | None] = field(default_factory=dict)
    scored: set[bytes] = field(default_factory=set)
    new_scored: dict[bytes, tuple[PictureWork | None, int]] = field(default_factory=dict)
    unknown: int = 0

    def add(self, other: "Rehearsed") -> None:
        """Add what another probe asks; a question of both is asked once."""
        self.asked |= other.asked
        self.new |= other.new
        self.scored |= other.scored
        self.new_scored |= other.new_scored
        self.unknown += other.unknown

    def works(self) -> list[PictureWork]:
        """The pictures that would be shown to the model."""
        of_scored = [work for work, _ in self.new_scored.values()]
        return [work for work in (*self.new.values(), *of_scored) if work is not None]


class RecordedAsking(Asking):
    """Answers from the store; where there is none, a made-up one, and the question is recorded."""

    def __init__(
        self,
        record: Rehearsed,
        model: AnswersQuestions,
        kept: KeptAnswers,
        pictures: Sequence[PictureWork],
        decoding: Decoding,
    ) -> None:
        super().__init__(model, kept, pictures, decoding, SilentProgress())
        self._record = record

    def _note(self, keys: Sequence[bytes], *, scored: bool) -> None:
        (self._record.scored if scored else self._record.asked).update(keys)

    def _run(self, jobs: Sequence[Job], to_json: Callable[[Any], Any]) -> dict[bytes, Any]:
        found: dict[bytes, Any] = {}
        for job in jobs:
            if job.options is None:
                self._record.new[job.key] = job.work
                found[job.key] = Reply("", "empty")
            else:
                self._record.new_scored[job.key] = (job.work, len(job.options))
                scores = np.random.default_rng(int.from_bytes(job.key[:8], "big")).normal(-5.0, 1.0, len(job.options))
                found[job.key] = np.column_stack([scores, np.ones(len(scores))])
        return found


def rehearse(session: Session, tasks: Sequence[ProbeTask], decoding: Decoding) -> Rehearsed:
    """What these tasks ask. Pictures that would be shown are decoded, because other ones are shown in place of broken ones."""
    asking = [t for t in tasks if "answers" in t.probe.needs or not has_members(session.model, "encode_images")]
    checked: set[bytes] = set()
    while True:
        record = Rehearsed()
        for task in asking:
            record.add(_rehearse_task(session, task))
        shown = [work for work in record.works() if work.key not in checked]
        checked |= {work.key for work in shown}
        lost = lost_pictures(shown, decoding)
        if not lost:
            return record
        session.set_aside(lost, and_before=True)


def _rehearse_task(session: Session, task: ProbeTask) -> Rehearsed:
    record = Rehearsed()
    encoded = {d.dataset.name: session.encoded(d, vectors_needed=False) for d in datasets_of([task])}
    if not encoded[task.keyed.dataset.name].rows:
        return record

    def asking(keyed: KeyedDataset, rows: Sequence[int]) -> Asking | None:
        return session.asking(keyed, rows, partial(RecordedAsking, record))

    inputs = input_without_others(task, session, encoded, {}, set(), SharedScores(), asking)
    others = {name: _made_up(inputs, name) for name in task.other_models}
    with suppress(NotApplicable, EyechartError):  # raised again, in its place, when the probe is run
        task.probe.ask(replace(inputs, other_models=others))
    declared = task.probe.questions(TextRequest(inputs.dataset, task.prompts, task.settings, task.can_encode))
    unknown = sum(not question.text for question in declared)
    if record.new:  # else all that they depend on is kept, and they are recorded themselves
        stated = len({(q.row, q.text) for q in declared if q.text})
        record.unknown = max(0, unknown - max(0, len(record.asked) - stated))
    return record


def _made_up(inputs: ProbeInput[Any], name: str) -> ProbeInput[Any]:
    """Another model with random vectors in place of its own."""

    def vectors(texts: Sequence[str]) -> Any:
        drawn = [np.random.default_rng(zlib.crc32(f"{name}/{text}".encode())).normal(size=_WIDTH) for text in texts]
        return unit(np.asarray(drawn, np.float32))

    return replace(inputs, images=vectors(inputs.dataset.ids()), texts=cast(Any, vectors))
