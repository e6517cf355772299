"""What an examination will encode and ask, and about how long encoding takes. Computed before anything is encoded."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from eyechart.data.picture import Decoding
from eyechart.errors import EyechartError
from eyechart.findings.skip import Skip
from eyechart.models.abilities import has_members, lacks
from eyechart.notice import counted
from eyechart.session.keyed_dataset import KeyedDataset
from eyechart.session.probe_tasks import ProbeTask
from eyechart.session.rehearsal import rehearse
from eyechart.session.session import Session


@dataclass(frozen=True)
class Cost:
    """What one model needs for some datasets and texts.

    pictures: Distinct pictures that are needed.
    new_pictures: How many of them are not stored yet.
    texts: Distinct texts that are needed.
    new_texts: How many of them are not stored yet.
    seconds: About how long encoding takes, at the rates of earlier runs; None where a rate is not known.
    questions: Different questions about pictures.
    new_questions: How many of them are to be asked; the others have a reply in the store.
    open_questions: Whether some of them are known only after others are answered, so that their number is an upper bound.
    new_scorings: Pictures with a question for which a model that gives log-likelihoods scores given answers, and whose scores are
        not stored: one run of its network over picture and question each. None where they were not counted.
    new_options: The answers that it scores in these runs, all names of a class among them.
    """

    pictures: int
    new_pictures: int
    texts: int
    new_texts: int
    seconds: float | None
    questions: int = 0
    new_questions: int = 0
    open_questions: bool = False
    new_scorings: int | None = 0
    new_options: int = 0

    def sentence(self, device: str) -> str:
        """'340 pictures and 410 texts to encode (32 pictures are stored): about 4 minutes on cpu'; or how many questions."""
        if self.new_scorings is None:
            return "questions to ask and log-likelihoods to compute (--dry-run counts them)"
        if not self.new_scorings:
            return self._counted(device)
        of = counted(self.new_options, "log-likelihood")
        runs = f"{counted(self.new_scorings, 'picture and question', 'pictures with a question')}"
        return f"{self._counted(device)}; {of} of given answers to compute, for {runs}"

    def _counted(self, device: str) -> str:
        if self.questions:
            kept = f"{self.questions - self.new_questions:,} are answered in the store"
            most = "up to " if self.open_questions else ""
            return f"{most}{counted(self.new_questions, 'question')} to ask, one request each ({kept})"
        if not self.pictures and not self.texts:
            return "nothing to encode"
        if not self.new_pictures and not self.new_texts:
            return f"nothing to encode: {_both(self.pictures, self.texts)} are stored"
        stored = _both(self.pictures - self.new_pictures, self.texts - self.new_texts)
        known = f" ({stored} are stored)" if stored else ""
        if self.seconds is None:
            how_long = f"how long is not known, since no earlier run has measured this model on {device}"
        else:
            how_long = f"{about(self.seconds)} on {device}, at the rate of earlier runs"
        return f"{_both(self.new_pictures, self.new_texts)} to encode{known}: {how_long}"


@dataclass(frozen=True)
class DatasetCost:
    """What one model needs on one dataset.

    model: The model.
    dataset: The dataset.
    role: The dataset's role.
    cost: Its pictures, and the texts of the probes that are open.
    probes: The probes that are to be run.
    known: The probes with an answer from an earlier run into the same folder.
    """

    model: str
    dataset: str
    role: str
    cost: Cost
    probes: tuple[str, ...]
    known: tuple[str, ...]


@dataclass(frozen=True)
class DryRun:
    """What an examination would do.

    choice: Which probes are run, in one sentence.
    datasets: The cost of every model on every dataset.
    totals: One sentence for every model: what it encodes, and about how long.
    skips: Probes that cannot be run, and why. Others find out only when they are run.
    failures: Models that cannot be opened.
    """

    choice: str
    datasets: tuple[DatasetCost, ...]
    totals: tuple[str, ...]
    skips: tuple[Skip, ...]
    failures: Mapping[str, EyechartError]


def cost_of(
    session: Session,
    datasets: Sequence[KeyedDataset],
    texts: Iterable[str],
    tasks: Sequence[ProbeTask] = (),
    *,
    decoding: Decoding | None = None,
) -> Cost:
    """The cost of these datasets, of texts, and of the questions of these tasks. Attention and patch tokens, which some probes
    compute themselves, come on top, and so do the vectors of other models.

    Args:
        session: The model.
        datasets: The datasets.
        texts: The texts.
        tasks: The probes.
        decoding: How pictures are decoded. With it the probes are rehearsed, which counts questions and log-likelihoods; without
            it they are not counted.
    """
    pictures, new_pictures = session.count_images(datasets)
    wanted, new_texts = session.count_texts(texts)
    parts = [_seconds(new_pictures, session.rate("pictures")), _seconds(new_texts, session.rate("texts"))]
    known = [part for part in parts if part is not None]
    seconds = sum(known) if len(known) == len(parts) else None
    cost = Cost(pictures, new_pictures, wanted, new_texts, seconds)
    if not tasks or lacks(session.model, "answers"):
        return cost
    if decoding is None:
        return replace(cost, new_scorings=None)
    found = rehearse(session, tasks, decoding)
    return replace(
        cost,
        questions=len(found.asked) + found.unknown,
        new_questions=len(found.new) + found.unknown,
        open_questions=found.unknown > 0,
        new_scorings=len(found.new_scored),
        new_options=sum(options for _, options in found.new_scored.values()),
    )


def encodes(session: Session) -> bool:
    """Whether the model has a network; precomputed vectors cost nothing."""
    return any(has_members(session.model, name) for name in ("encode_images", "encode_texts", "answer"))


def about(seconds: float) -> str:
    """A duration in words, rounded: 'a few seconds', 'about 40 seconds', 'about 14 minutes', 'about 2.5 hours'."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 95:
        return f"about {round(seconds / 10) * 10} seconds"
    if seconds < 95 * 60:
        return f"about {round(seconds / 60)} minutes"
    return f"about {seconds / 3600:.1f} hours"


def _seconds(n: int, rate: float | None) -> float | None:
    return 0.0 if n == 0 else None if rate is None else n / rate


def _both(pictures: int, texts: int) -> str:
    parts = [counted(n, word) for n, word in ((pictures, "picture"), (texts, "text")) if n]
    return " and ".join(parts)
