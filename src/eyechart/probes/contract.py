"""What a probe is: one question to a model, the inputs it needs, the metrics it reports, and its answer."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import cached_property, wraps
from typing import Any, Generic, Literal, Protocol, TypeVar, get_args

import numpy as np
import pyarrow as pa

from eyechart.arrays import Doubles, Flags, Floats, Indices
from eyechart.data.dataset import Dataset
from eyechart.data.independent_units import independent_units
from eyechart.data.role import Role
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Metric, find_metric
from eyechart.findings.predictions import Predictions
from eyechart.metrics.classification.shared_scores import SharedScores
from eyechart.models.answering import AsksAboutPictures, PictureQuestion, ScoresOptions
from eyechart.models.card import ModelCard
from eyechart.models.encoder import PicturePrediction
from eyechart.notice import Notice
from eyechart.profiles import PROFILES, Profile
from eyechart.prompts.prompt_set import PromptSet

Settings = TypeVar("Settings")

Need = Literal[
    "images",
    "pictures",  # vectors of pictures, or class scores by the log-likelihoods of class names
    "texts",
    "labels",
    "classes",
    "captions",
    "foils",
    "factors",
    "objects",
    "pairs",
    "logit_scale",
    "patches",
    "attention",
    "class_scores",
    "answers",
    "likelihoods",
]

DefaultCompanion = Literal["corruptions", "ood"]  # datasets that an examination can make itself

CanEncode = Callable[[Sequence[str]], bool]  # whether the model has vectors for all of these texts
AsksLanguageModel = Callable[[str, Sequence[str]], list[str]]  # instruction, texts → a reply to every text
OfPredictions = Callable[[Sequence[int]], Sequence[PicturePrediction]]  # what was predicted for these rows of the dataset
OfRows = Callable[[Sequence[int]], Floats]  # [n, …] for these rows of the dataset, in their order


@dataclass(frozen=True)
class OtherModel:
    """Another model that a probe compares with. The session opens it.

    spec: The model, as `eyechart models` lists them; empty for none.
    needs: What it must offer.
    """

    spec: str
    needs: tuple[Need, ...] = ("images", "texts")


def encodes_all(texts: Sequence[str]) -> bool:
    return True


def truncates_none(texts: Sequence[str]) -> Flags:
    return np.zeros(len(texts), np.bool_)


@dataclass(frozen=True)
class LanguageModelRequest:
    """A language model that a probe wants to ask. The session opens it; a probe never talks to a server itself.

    base: An OpenAI-compatible address, or gguf:PATH.
    model: The model's name at that address.
    replies: The folder in which replies are kept; the user's cache folder where it is empty.
    offline: Use kept replies alone.
    """

    base: str
    model: str
    replies: str = ""
    offline: bool = False


@dataclass(frozen=True)
class TextRequest(Generic[Settings]):
    """What a probe knows before anything is encoded: enough to name the texts that it needs.

    dataset: The dataset that it is run on.
    prompts: The prompt sets of the plan.
    settings: Its settings.
    can_encode: Whether the model has vectors for these texts. A probe that can do with fewer texts asks before it names them.
    """

    dataset: Dataset
    prompts: tuple[PromptSet, ...]
    settings: Settings
    can_encode: CanEncode = encodes_all


class TextVectors(Protocol):
    def __call__(self, texts: Sequence[str]) -> Floats:
        """[n, d], unit length; only texts that the probe asked for."""


@dataclass(frozen=True)
class ProbeInput(Generic[Settings]):
    """What a probe gets: the usable pictures of a dataset and their vectors.

    Patches and attention are computed when they are called, and are large: ask for some dozens of rows at a time. Class scores
    are stored like vectors. Abilities that the model lacks are None; a probe that cannot do without one declares the need.

    model: The model's name.
    card: What is known of the model.
    dataset: The usable pictures.
    images: Unit vectors [n, d], in the order of the dataset.
    clusters: Equal numbers mark rows that show the same picture.
    texts: Unit vectors of texts that the probe requested.
    prompts: The prompt sets of the plan.
    settings: The probe's settings.
    logit_scale: What cosines are multiplied by before the softmax or sigmoid.
    logit_bias: What is added then.
    upstream: Findings of the probes that it comes `after`.
    companions: The plan's datasets under this model, for a probe that `compares`.
    patches: Patch tokens of the last block [n, h, w, d].
    attention: Attention weights of the last block [n, heads, tokens, tokens], class token first.
    block_attention: Attention from the class token in every block [n, blocks, heads, tokens].
    class_scores: Logits of a fixed classifier [n, classes].
    scored_classes: The labels that `class_scores` are of, where a model scores any classes by their names; None for those of a
        fixed classifier.
    windows: The part of each picture that the network sees [n, 4]: left, top, right, bottom in the picture's own pixels. Patches
        are a grid over it.
    can_encode: Whether the model has vectors for these texts.
    truncated: Which texts are longer than the model's context.
    ask_language_model: Replies to texts under one instruction; None where the probe requested no language model.
    ask: Replies to questions about pictures; None where the model does not answer questions.
    log_likelihoods: Log-likelihoods of given answers; None where the model does not give them.
    other_models: The same pictures under the other models that the probe requested, by what it calls them.
    predictions: What was predicted for rows, where the model is a file of predictions. There are no vectors then, and no
        prompt sets.
    shared: Class vectors and scores that other probes of the same model and dataset have computed.
    """

    model: str
    card: ModelCard
    dataset: Dataset
    images: Floats
    clusters: Indices
    texts: TextVectors
    prompts: tuple[PromptSet, ...]
    settings: Settings
    logit_scale: float | None = None
    logit_bias: float = 0.0
    upstream: Mapping[str, pa.Table] = field(default_factory=dict)
    companions: Mapping[str, "ProbeInput[Settings]"] = field(default_factory=dict)
    patches: OfRows | None = None
    attention: OfRows | None = None
    block_attention: OfRows | None = None
    class_scores: OfRows | None = None
    scored_classes: tuple[str, ...] | None = None
    windows: Callable[[Sequence[int]], Doubles] | None = None
    can_encode: CanEncode = encodes_all
    truncated: Callable[[Sequence[str]], Flags] = truncates_none
    ask_language_model: AsksLanguageModel | None = None
    ask: AsksAboutPictures | None = None
    log_likelihoods: ScoresOptions | None = None
    other_models: Mapping[str, "ProbeInput[Settings]"] = field(default_factory=dict)
    predictions: OfPredictions | None = None
    shared: SharedScores = field(default_factory=SharedScores, compare=False)

    @cached_property
    def units(self) -> Indices:
        """Equal numbers mark rows that are not independent: copies of a picture, and versions of one (`attr.source_id`).

        Intervals and splits keep them together; whether two rows are the same picture is a question to `clusters`.
        """
        return independent_units(self.dataset, self.clusters)

    def companions_of(self, role: Role) -> list["ProbeInput[Settings]"]:
        """The companion datasets of this role that belong to this one.

        Args:
            role: "shift", "ood" or "targets".
        """
        return [g for g in self.companions.values() if g.dataset.role == role and g.dataset.of in (None, self.dataset.name)]


@dataclass(frozen=True)
class Answer:
    """What a probe returns.

    findings: Numbers.
    exhibits: Charts, tables and pictures behind them.
    notices: Warnings, each with a remedy.
    predictions: What was predicted for each picture, where the probe classifies: one record per prompt set and dataset.
    """

    findings: list[Finding]
    exhibits: list[Exhibit] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    predictions: list[Predictions] = field(default_factory=list)


class NotApplicable(Exception):
    """Raised by a probe whose question makes no sense for these inputs; becomes a skip with this sentence as the reason."""


def no_language_model(settings: Any) -> None:
    return None


def no_questions(request: TextRequest[Any]) -> Sequence[PictureQuestion]:
    return ()


def no_other_models(settings: Any) -> Mapping[str, OtherModel]:
    return {}


@dataclass(frozen=True)
class Probe:
    """One question to a model.

    name: Its id.
    question: The question, as a sentence that ends with "?".
    version: Raised whenever a number could come out differently.
    needs: What the model and the dataset must offer.
    settings: A frozen dataclass: the defaults. Every field is part of the protocol.
    ask: Takes a `ProbeInput`, or a `CrossModelInput` where it goes `across` models.
    texts: Names the texts that it needs.
    metrics: The records of the numbers that it reports.
    after: Probes whose findings it reads.
    compares: It is run on exam datasets only, and reads the plan's other datasets as companions.
    headline: The metrics that a summary shows first.
    wants: What it uses where the model has it, and does without otherwise.
    prompts: Whether its answer depends on the prompt sets.
    language_model: The language model that it asks under these settings, if any.
    across: It is run once for all models together, after all other probes.
    profiles: The profiles that it belongs to, besides `all`.
    default_companions: The datasets that are made for it where the plan gives none.
    questions: Names the questions that it asks about pictures.
    other_models: The other models that it uses under these settings, by what it calls them.
    from_predictions: Whether answers alone are enough: it then runs on a file of predictions, without vectors.
    among: Which classes are chosen among, for a probe that compares accuracies; part of the protocol.
    """

    name: str
    question: str
    version: int
    needs: tuple[Need, ...]
    settings: Any
    ask: Callable[[Any], Answer]
    texts: Callable[[TextRequest[Any]], Sequence[str]]
    metrics: tuple[Metric, ...] = ()
    after: tuple[str, ...] = ()
    compares: bool = False
    headline: tuple[str, ...] = ()
    wants: tuple[Need, ...] = ()
    prompts: bool = True
    language_model: Callable[[Any], LanguageModelRequest | None] = no_language_model
    across: bool = False
    profiles: tuple[Profile, ...] = ()
    default_companions: tuple[DefaultCompanion, ...] = ()
    questions: Callable[[TextRequest[Any]], Sequence[PictureQuestion]] = no_questions
    other_models: Callable[[Any], Mapping[str, OtherModel]] = no_other_models
    from_predictions: bool = False
    among: str = ""

    def __post_init__(self) -> None:
        for field_name in ("needs", "wants", "headline", "after", "metrics", "profiles"):
            if not isinstance(getattr(self, field_name), tuple):
                raise TypeError(f"probe {self.name!r}: {field_name} is a tuple")
        for need in (*self.needs, *self.wants):
            if need not in get_args(Need):
                raise TypeError(f"probe {self.name!r}: unknown need {need!r}; choose among {', '.join(get_args(Need))}")
        for profile in self.profiles:
            if profile not in PROFILES:
                raise TypeError(f"probe {self.name!r}: unknown profile {profile!r}; choose among {', '.join(PROFILES)}")
        for companion in self.default_companions:
            if companion not in get_args(DefaultCompanion) or not self.compares:
                known = ", ".join(get_args(DefaultCompanion))
                raise TypeError(f"probe {self.name!r}: default_companions is a tuple of {known}, of a probe that compares")
        if not is_dataclass(self.settings) or isinstance(self.settings, type):
            raise TypeError(f"probe {self.name!r}: settings is an instance of a frozen dataclass")
        names = [metric.name for metric in self.metrics]
        if twice := {name for name in names if names.count(name) > 1}:
            raise TypeError(f"probe {self.name!r} declares {', '.join(sorted(twice))} twice")
        named = [name for m in self.metrics for name in (m.chance, m.baseline, m.limits and m.limits.values) if name]
        for metric in [*self.headline, *named]:
            if metric not in names and find_metric(self.metrics, metric) is None:
                raise TypeError(f"probe {self.name!r} names the metric {metric!r}, but does not declare it in `metrics`")


def no_texts(request: TextRequest[Any]) -> Sequence[str]:
    return ()


def probe(
    *,
    version: int,
    needs: tuple[Need, ...],
    settings: Settings,
    metrics: tuple[Metric, ...],
    texts: Callable[[TextRequest[Settings]], Sequence[str]] = no_texts,
    after: tuple[str, ...] = (),
    compares: bool = False,
    headline: tuple[str, ...] = (),
    wants: tuple[Need, ...] = (),
    prompts: bool = True,
    language_model: Callable[[Settings], LanguageModelRequest | None] = no_language_model,
    profiles: tuple[Profile, ...] = (),
    default_companions: tuple[DefaultCompanion, ...] = (),
    questions: Callable[[TextRequest[Settings]], Sequence[PictureQuestion]] = no_questions,
    other_models: Callable[[Settings], Mapping[str, OtherModel]] = no_other_models,
    from_predictions: bool = False,
    among: str = "",
) -> Callable[[Callable[[ProbeInput[Settings]], Answer]], Probe]:
    """Make a function a probe. The function's name is the probe's, the first line of its docstring the question.

    Args:
        version: Raised whenever a number could come out differently.
        needs: What the model and the dataset must offer.
        settings: A frozen dataclass instance: the defaults.
        metrics: The records of the numbers that it reports.
        texts: Names the texts that it needs, before anything is encoded.
        after: Probes whose findings it reads.
        compares: It reads the plan's other datasets as companions.
        headline: The metrics that a summary shows first.
        wants: What it uses where the model has it.
        prompts: Whether its answer depends on the prompt sets.
        language_model: The language model that it asks under its settings, if any.
        profiles: The profiles that it belongs to, besides `all`; `eyechart probes` lists them.
        default_companions: Datasets that are made for it where the plan gives none: "corruptions" are corrupted copies of the
            pictures, "ood" generated pictures of none of the classes.
        questions: Names the questions about pictures that it asks, so that a dry run can count them.
        other_models: The other models that it uses under its settings, by what it calls them.
        from_predictions: Whether answers alone are enough, so that it runs on a file of predictions.
        among: Which classes are chosen among on both sides of a comparison; part of the protocol.

    Returns:
        A decorator that turns a function of a `ProbeInput` into a `Probe`.

    Example:
        >>> from dataclasses import dataclass
        >>> from eyechart.probes import Answer, Finding, Metric, ProbeInput, probe
        >>> @dataclass(frozen=True)
        ... class Settings:
        ...     seed: int = 0
        >>> MEAN = Metric(name="mean_norm", title="mean length of the picture vectors", unit="number")
        >>> @probe(version=1, needs=("images",), settings=Settings(), metrics=(MEAN,), headline=("mean_norm",))
        ... def norms(inputs: ProbeInput[Settings]) -> Answer:
        ...     "How long are the picture vectors?"
        ...     lengths = (inputs.images**2).sum(axis=1) ** 0.5
        ...     return Answer([Finding(metric="mean_norm", value=float(lengths.mean()), n=len(lengths))])
        >>> norms.question
        'How long are the picture vectors?'
    """

    def make(ask: Callable[[ProbeInput[Settings]], Answer]) -> Probe:
        return Probe(
            name=ask.__name__,
            question=question_of(ask),
            version=version,
            needs=needs,
            settings=settings,
            ask=checked(ask, metrics),
            texts=texts,
            metrics=metrics,
            after=after,
            compares=compares,
            headline=headline,
            wants=wants,
            prompts=prompts,
            language_model=language_model,
            profiles=profiles,
            default_companions=default_companions,
            questions=questions,
            other_models=other_models,
            from_predictions=from_predictions,
            among=among,
        )

    return make


def checked(ask: Callable[..., Answer], metrics: Sequence[Metric]) -> Callable[..., Answer]:
    """The same function, which fails where its answer is not an `Answer`, reports an undeclared metric or predicts twice."""

    @wraps(ask)
    def run(inputs: Any) -> Answer:
        answer = ask(inputs)
        if not isinstance(answer, Answer):
            raise TypeError(f"probe {ask.__name__!r} returned a {type(answer).__name__}; return Answer([finding, …])")
        for name in {finding.metric for finding in answer.findings}:
            if find_metric(metrics, name) is None:
                raise TypeError(f"probe {ask.__name__!r} reports the metric {name!r}, but does not declare it in `metrics`")
        groups = [(predictions.dataset, predictions.prompts) for predictions in answer.predictions]
        if len(set(groups)) < len(groups):
            raise TypeError(f"probe {ask.__name__!r} returns two records of predictions for one dataset and prompt set")
        return answer

    return run


def question_of(ask: Callable[..., Answer]) -> str:
    """The first line of a probe's docstring; TypeError where it is not a question."""
    question = (inspect.getdoc(ask) or "").split("\n", 1)[0]
    if not question.endswith("?"):
        raise TypeError(f"{ask.__name__}: the first line of a probe's docstring is its question, ending with '?'")
    return question
