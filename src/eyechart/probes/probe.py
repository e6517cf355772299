"""What a probe is: one question to a model, the inputs it needs, and its answer."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.data.dataset import Dataset
from eyechart.data.role import Role
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.models.card import ModelCard
from eyechart.notice import Notice
from eyechart.prompts.prompt_set import PromptSet

Need = Literal[
    "images",
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
]


Hearing = Callable[[Sequence[str]], bool]  # whether the model has vectors for all of these texts
PictureView = Callable[[Sequence[int]], npt.NDArray[np.float32]]  # [n, …] for these rows of the dataset, in their order


def hears_all(texts: Sequence[str]) -> bool:
    return True


def cuts_none(texts: Sequence[str]) -> npt.NDArray[np.bool_]:
    return np.zeros(len(texts), np.bool_)


@dataclass(frozen=True)
class Asked:
    """What a probe knows before anything is encoded: enough to say which texts it will need. A model without a text tower
    `hears` nothing, a table of text vectors what is in it; a probe that can do with fewer texts asks before it names them."""

    dataset: Dataset
    prompts: tuple[PromptSet, ...]
    settings: Any
    hears: Hearing = hears_all


class TextVectors(Protocol):
    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """[n, d], unit length; only texts that the probe asked for."""


@dataclass(frozen=True)
class Given:
    """What a probe gets: usable pictures only, with their vectors in the same order, unit length.

    `patches` [n, h, w, d] (tokens of the last block), `attention` [n, heads, tokens, tokens] (its weights, CLS first),
    `block_attention` [n, blocks, heads, tokens] (from the class token, in every block) and `class_scores` [n, classes] (logits
    of a fixed classifier) are None where the model does not give them. Patches and attention are computed when they are asked
    for, and large: ask for some dozens of rows at a time. Class scores are kept like vectors. A probe that cannot do without
    declares the need, and models that lack it are skipped with a sentence.
    `windows` [n, 4] says which part of each picture the network sees, in the picture's own pixels: left, top, right, bottom;
    the patches are a grid over it."""

    model: str
    card: ModelCard
    dataset: Dataset
    images: npt.NDArray[np.float32]
    clusters: npt.NDArray[np.int64]  # rows with the same number show the same picture
    texts: TextVectors
    prompts: tuple[PromptSet, ...]
    settings: Any
    logit_scale: float | None = None
    logit_bias: float = 0.0
    earlier: Mapping[str, pa.Table] = field(default_factory=dict)  # findings of the probes it comes `after`
    among: Mapping[str, "Given"] = field(default_factory=dict)  # the plan's datasets under this model, if it `compares`
    patches: PictureView | None = None
    attention: PictureView | None = None
    block_attention: PictureView | None = None
    class_scores: PictureView | None = None
    windows: Callable[[Sequence[int]], npt.NDArray[np.float64]] | None = None
    hears: Hearing = hears_all  # as when it was `Asked`
    cut: Callable[[Sequence[str]], npt.NDArray[np.bool_]] = cuts_none  # which texts are longer than the model's context

    def beside(self, role: Role) -> list["Given"]:
        """The datasets of this role that belong to this one; none for a probe that does not `compare`."""
        return [g for g in self.among.values() if g.dataset.role == role and g.dataset.of in (None, self.dataset.name)]


@dataclass(frozen=True)
class Answer:
    findings: list[Finding]
    exhibits: list[Exhibit] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)


class NotApplicable(Exception):
    """Raised by a probe that finds, on looking, that its question makes no sense here; becomes a skip with this sentence."""


@dataclass(frozen=True)
class Probe:
    name: str
    question: str
    version: int
    needs: tuple[Need, ...]
    settings: Any  # a frozen dataclass instance: the defaults; every field is part of the protocol
    ask: Callable[[Any], Answer]  # takes a Given, or a Panel where it goes `across` models
    texts: Callable[[Asked], Sequence[str]]
    after: tuple[str, ...] = ()  # probes whose findings it reads
    compares: bool = False  # it is asked about exam datasets only, and looks at the plan's other datasets too
    headline: tuple[str, ...] = ()  # metrics that the summary shows first
    wants: tuple[Need, ...] = ()  # what it uses where the model has it, and does without where not
    prompts: bool = True  # what it says depends on the prompt sets; False where it says captions, word for word
    across: bool = False  # asked of all models together, when all else has been answered


def no_texts(asked: Asked) -> Sequence[str]:
    return ()


def probe(
    *,
    version: int,
    needs: tuple[Need, ...],
    settings: Any,
    texts: Callable[[Asked], Sequence[str]] = no_texts,
    after: tuple[str, ...] = (),
    compares: bool = False,
    headline: tuple[str, ...] = (),
    wants: tuple[Need, ...] = (),
    prompts: bool = True,
) -> Callable[[Callable[[Given], Answer]], Probe]:
    """Make a function a probe. Its name is the probe's, the first line of its docstring the question it asks."""

    def make(ask: Callable[[Given], Answer]) -> Probe:
        question = (inspect.getdoc(ask) or "").split("\n", 1)[0]
        if not question.endswith("?"):
            raise TypeError(f"{ask.__name__}: the first line of a probe's docstring is its question, ending with '?'")
        return Probe(ask.__name__, question, version, needs, settings, ask, texts, after, compares, headline, wants, prompts)

    return make
