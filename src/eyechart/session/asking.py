"""Questions to a model about the pictures of a dataset. Each is asked once ever; what is kept is not asked again."""

import io
import json
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from PIL import Image

from eyechart.arrays import Doubles, Floats
from eyechart.data.classes import ClassList
from eyechart.data.picture import BrokenPicture, Decoding
from eyechart.encode.activations import PictureLost
from eyechart.encode.engine import PictureWork
from eyechart.files.hashing import hash_bytes
from eyechart.models.answering import CLASS_QUESTION, AnswersQuestions, GivesLikelihoods, PictureQuestion, Reply
from eyechart.models.class_likelihoods import NamedClasses
from eyechart.notice import counted
from eyechart.progress import Progress
from eyechart.store.answers import KeptAnswers, answer_key

BLANK_SIDE = 224  # pixels of the gray picture that stands for none


@dataclass(frozen=True)
class Job:
    """One question that is not kept.

    key: Its key.
    picture: The picture's key.
    question: Its text.
    work: What is read to make the picture; None for a blank one.
    ask: Asks it.
    options: The options that are scored; None where the model replies in words.
    """

    key: bytes
    picture: bytes
    question: str
    work: PictureWork | None
    ask: Callable[[Image.Image], Any]
    options: tuple[str, ...] | None = None


class Asking:
    """Asks one model about the usable pictures of one dataset.

    Args:
        model: The model.
        kept: The replies that the store has.
        pictures: The usable pictures, in the order of rows.
        decoding: How picture files are decoded.
        progress: Where progress is shown.
    """

    def __init__(
        self,
        model: AnswersQuestions,
        kept: KeptAnswers,
        pictures: Sequence[PictureWork],
        decoding: Decoding,
        progress: Progress,
    ) -> None:
        self._model, self._kept, self._pictures = model, kept, pictures
        self._decoding, self._progress = decoding, progress
        self._choices = json.dumps(decoding.describe(), sort_keys=True)

    def ask(self, questions: Sequence[PictureQuestion]) -> list[Reply]:
        """The reply to every question, in order."""
        keys = [self._key(q) for q in questions]
        self._note(keys, scored=False)
        found = self._kept_replies(keys)
        jobs = {
            key: Job(key, self._picture_key(q), q.text, self._work(q), partial(self._model.answer, question=q.text))
            for key, q in zip(keys, questions, strict=True)
            if key not in found
        }
        # A reply that cannot be read is the server's fault at this moment; the next run asks again.
        new: dict[bytes, Reply] = self._run(list(jobs.values()), lambda r: None if r.kind == "unreadable" else r.to_dict())
        self._report(list(new.values()), len(set(keys)) - len(new))
        found |= new
        return [found[key] for key in keys]

    def _kept_replies(self, keys: Sequence[bytes]) -> dict[bytes, Reply]:
        """The kept replies that can be read. Earlier versions kept unreadable ones too."""
        replies = {key: Reply.from_dict(content) for key, content in self._kept.find(keys).items()}
        usable = {key: reply for key, reply in replies.items() if reply is not None and reply.kind != "unreadable"}
        at_prices = getattr(self._model, "with_cost", None)  # prices may have changed since
        return usable if at_prices is None else {key: at_prices(reply) for key, reply in usable.items()}

    def log_likelihoods(self, questions: Sequence[PictureQuestion], options: Sequence[Sequence[str]]) -> list[Doubles]:
        """[options, 2] for every question: the log-likelihood of each of its options, and the option's number of tokens."""
        model = self._model
        assert isinstance(model, GivesLikelihoods)
        keys = [self._key(q, *given) for q, given in zip(questions, options, strict=True)]
        self._note(keys, scored=True)
        kept = self._kept.find(keys)
        found = {k: np.array(kept[k], np.float64) for k, given in zip(keys, options, strict=True) if _fits(kept.get(k), given)}
        jobs = {
            key: Job(
                key,
                self._picture_key(q),
                q.text,
                self._work(q),
                partial(model.log_likelihoods, question=q.text, options=list(given)),
                tuple(given),
            )
            for key, q, given in zip(keys, questions, options, strict=True)
            if key not in found
        }
        found |= self._run(list(jobs.values()), lambda scores: scores.tolist())
        return [found[key] for key in keys]

    def count_unscored(self, questions: Sequence[PictureQuestion], options: Sequence[str]) -> int:
        """For how many different questions the log-likelihoods of these options are not kept."""
        keys = {self._key(q, *options) for q in questions}
        kept = self._kept.find(sorted(keys))
        return sum(not _fits(kept.get(key), options) for key in keys)

    def class_scores(self, classes: ClassList) -> Callable[[Sequence[int]], Floats]:
        """[n, classes] log-likelihoods that the reply is a name of a class, for rows of the dataset."""
        names = NamedClasses.of([c.names for c in classes])

        def scores(rows: Sequence[int]) -> Floats:
            asked = [PictureQuestion(int(row), CLASS_QUESTION) for row in rows]
            return names.scores(self.log_likelihoods(asked, [names.options] * len(asked))).astype(np.float32)

        return scores

    def _note(self, keys: Sequence[bytes], *, scored: bool) -> None:
        """What is asked; a rehearsal records it."""

    def _key(self, question: PictureQuestion, *options: str) -> bytes:
        how = ["likelihoods", *options] if options else ["reply", self._model.answer_decoding]
        return answer_key(self._picture_key(question), self._choices, question.text, *how)

    def _picture_key(self, question: PictureQuestion) -> bytes:
        return hash_bytes(blank_picture_bytes()) if question.row is None else self._pictures[question.row].key

    def _work(self, question: PictureQuestion) -> PictureWork | None:
        return None if question.row is None else self._pictures[question.row]

    def _run(self, jobs: Sequence[Job], to_json: Callable[[Any], Any]) -> dict[bytes, Any]:
        """Do these jobs on `at_once` threads. Every reply is kept as soon as it is there, so that a kill loses none.

        Args:
            jobs: What is asked.
            to_json: What is kept of an answer; None for nothing.
        """
        if not jobs:
            return {}
        waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
        done: queue.SimpleQueue[tuple[Job, Any]] = queue.SimpleQueue()
        stop = threading.Event()
        for job in jobs:
            waiting.put(job)

        def work() -> None:
            while not stop.is_set():
                try:
                    job = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    answer = job.ask(self._read(job.work))
                    if (content := to_json(answer)) is not None:
                        self._kept.keep(job.key, job.picture, job.question, content)
                    done.put((job, answer))
                except BaseException as error:  # noqa: BLE001 - raised again by the caller
                    stop.set()  # before the caller knows, so that no further question is sent
                    done.put((job, error))

        found: dict[bytes, Any] = {}
        # Daemon threads: after Ctrl-C nobody waits for a slow server.
        for _ in range(min(self._model.at_once, len(jobs))):
            threading.Thread(target=work, name="eyechart-ask", daemon=True).start()
        try:
            with self._progress.task(f"{self._model.spec}: asking", len(jobs), "questions") as task:
                for _ in jobs:
                    job, answer = done.get()
                    if isinstance(answer, BaseException):
                        raise answer
                    found[job.key] = answer
                    task.advance()
        finally:
            stop.set()
        return found

    def _read(self, work: PictureWork | None) -> Image.Image:
        if work is None:
            return self._decoding.decode(blank_picture_bytes())
        try:
            data = work.read()
            if hash_bytes(data) != work.key:
                raise PictureLost(f"{work.place()}: its content has changed since it was hashed; run again with --rehash")
            return self._decoding.decode(data)
        except (OSError, BrokenPicture) as error:
            raise PictureLost(f"{work.place()}: {error}") from error

    def _report(self, new: Sequence[Reply], kept: int) -> None:
        """One line: requests, kept replies, tokens and cost."""
        if not new:
            return
        parts = [f"{counted(len(new), 'question')} asked", f"{kept:,} answered from the store"]
        if unreadable := sum(reply.kind == "unreadable" and not reply.rejected for reply in new):
            parts.append(f"{counted(unreadable, 'unreadable reply', 'unreadable replies')}")
        if rejected := [reply.rejected for reply in new if reply.rejected]:
            parts.append(f"{len(rejected):,} rejected by the server, the first with {rejected[0]}")
        for title, field in (("prompt", "prompt_tokens"), ("reply", "reply_tokens")):
            numbers = [getattr(reply, field) for reply in new if getattr(reply, field) is not None]
            if numbers:
                parts.append(f"{sum(numbers):,} {title} tokens")
        costs = [reply.cost for reply in new if reply.cost is not None]
        if costs:
            parts.append(f"cost {sum(costs):.4f}")
        self._progress.line(f"{self._model.spec}: {', '.join(parts)}")


@lru_cache(maxsize=1)
def blank_picture_bytes() -> bytes:
    """A uniformly gray picture: what a model is shown where it is asked without a picture."""
    out = io.BytesIO()
    Image.new("RGB", (BLANK_SIDE, BLANK_SIDE), (128, 128, 128)).save(out, "PNG")
    return out.getvalue()


def _fits(content: Any, options: Sequence[str]) -> bool:
    """Whether kept likelihoods have the right shape: a damaged row is computed again."""
    return isinstance(content, list) and list(np.shape(content)) == [len(options), 2]
