"""Model sources: the kinds of model that `PREFIX:NAME` can name.

This module loads no network library. The sources of this package are listed here; packages to the right of `models` add theirs
with `add_source`, and installed packages add theirs through the entry-point group `eyechart.models`: a `ModelSource`, or the
function that opens a model.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from eyechart.errors import PluginError
from eyechart.registry import Registry

if TYPE_CHECKING:
    from eyechart.files.hashing import HashMemory
    from eyechart.models.encoder import Model

    # name, hashes, device, precision, threads → model
    OpensModel = Callable[[str, HashMemory, str, str, int | None], Model]

GROUP = "eyechart.models"


@dataclass(frozen=True)
class ModelSource:
    """A kind of model, as `eyechart models` lists it.

    prefix: What precedes the colon in `PREFIX:NAME`.
    target: The function that opens a model, as `module:function`. It takes name, hashes, device, precision and threads.
    example: What a user would write.
    gives: The abilities of its models, by the names that probes use.
    description: What it is, in one sentence.
    extra: The optional dependency that it needs, as in `eyechart[extra]`; None where it needs none.
    packages: The modules that must be importable.
    needs_name: Whether a name must follow the prefix.
    """

    prefix: str
    target: str
    example: str
    gives: tuple[str, ...]
    description: str
    extra: str | None = None
    packages: tuple[str, ...] = ()
    needs_name: bool = True

    @property
    def installed(self) -> bool:
        """Whether the packages it needs are installed. Nothing is imported."""
        return all(find_spec(package) is not None for package in self.packages)

    @property
    def remedy(self) -> str:
        """The command that installs the packages it needs."""
        return f"pip install 'eyechart[{self.extra}]'" if self.extra else f"pip install {' '.join(self.packages)}"


DUAL_ENCODER = ("images", "texts", "logit_scale")

_SOURCES: dict[str, ModelSource] = {}
_OPENERS = Registry("model source", {}, group=GROUP)


def add_source(source: ModelSource) -> None:
    """Add a kind of model. UsageError where another one has the same prefix."""
    _OPENERS.add(source.prefix, source.target)
    _SOURCES[source.prefix] = source


def model_sources() -> list[ModelSource]:
    """Every kind of model that can be used, and whether its packages are installed. No network library is imported.

    Example:
        >>> [source.prefix for source in model_sources()][:2]
        ['onnx', 'open_clip']
    """
    return usable_sources()[0]


def usable_sources() -> tuple[list[ModelSource], list[PluginError]]:
    """Every kind of model that can be used, and the sources of installed packages that cannot be used."""
    loaded, failures = _OPENERS.load_all(lambda prefix: _SOURCES.get(prefix) or _plugin_source(prefix))
    return [*_SOURCES.values(), *(source for prefix, source in loaded.items() if prefix not in _SOURCES)], failures


def find_source(prefix: str) -> ModelSource | None:
    """The source of this prefix; None where there is none. PluginError where an installed package's source cannot be used."""
    if prefix in _SOURCES:
        return _SOURCES[prefix]
    return _plugin_source(prefix) if prefix in _OPENERS else None


def opener(prefix: str) -> "OpensModel":
    """The function that opens models of this prefix, imported now."""
    package = _OPENERS.package_of(prefix)
    found = _OPENERS.get(prefix)
    if isinstance(found, ModelSource) and package is not None:
        # A registry of one entry, so that a module that cannot be imported is reported as the package's.
        target = Registry("model source", {})
        target.add(prefix, found.target, package=package)
        found = target.get(prefix)
    if not callable(found):
        raise PluginError("model source", prefix, package or "eyechart", f"it is a {type(found).__name__}, not a function")
    open_function: OpensModel = found
    return open_function


def _plugin_source(prefix: str) -> ModelSource:
    """The source that an installed package adds: its own record, or one made for its function."""
    found, package = _OPENERS.get(prefix), _OPENERS.package_of(prefix) or "eyechart"
    if isinstance(found, ModelSource):
        if found.prefix != prefix:
            reason = f"its record has the prefix {found.prefix!r}, and its entry point the name {prefix!r}"
            raise PluginError("model source", prefix, package, reason)
        return found
    if not callable(found):
        reason = f"its entry point gives {found!r:.60}, not a ModelSource or a function"
        raise PluginError("model source", prefix, package, reason)
    return ModelSource(prefix, "", f"{prefix}:NAME", (), f"a model source of the installed package {package}", needs_name=False)


add_source(
    ModelSource(
        prefix="onnx",
        target="eyechart.models.onnx:open",
        example="onnx:models/my-clip",
        gives=(*DUAL_ENCODER, "patches", "attention", "class_scores", "answers", "likelihoods"),
        description="a folder of ONNX files with a model.json, written by `eyechart export`; gives what its files give",
    )
)
add_source(
    ModelSource(
        prefix="open_clip",
        target="eyechart.models.open_clip:open",
        example="open_clip:ViT-B-32/laion2b_s34b_b79k",
        gives=(*DUAL_ENCODER, "patches", "attention"),
        description="an OpenCLIP architecture with a pretrained tag or a local checkpoint",
        extra="open_clip",
        packages=("open_clip", "torch"),
    )
)
add_source(
    ModelSource(
        prefix="hf",
        target="eyechart.models.hf:open",
        example="hf:google/siglip-base-patch16-224",
        gives=(*DUAL_ENCODER, "patches", "attention"),
        description="CLIP, SigLIP, SigLIP 2 or ALIGN from transformers, by hub id or local folder",
        extra="hf",
        packages=("transformers", "torch"),
    )
)
add_source(
    ModelSource(
        prefix="timm",
        target="eyechart.models.timm:open",
        example="timm:vit_base_patch16_clip_224.openai_ft_in1k",
        gives=("images", "class_scores", "patches"),
        description="an image model from timm: class scores, pooled features, patch tokens",
        extra="timm",
        packages=("timm", "torch"),
    )
)
add_source(
    ModelSource(
        prefix="sbert",
        target="eyechart.models.sbert:open",
        example="sbert:all-MiniLM-L6-v2",
        gives=("texts",),
        description="a sentence encoder, for texts only",
        extra="sbert",
        packages=("sentence_transformers", "torch"),
    )
)
add_source(
    ModelSource(
        prefix="vectors",
        target="eyechart.models.vectors:open",
        example="vectors:my-vectors.npz",
        gives=DUAL_ENCODER,
        description="precomputed image and text vectors, from an npz file or a folder of Parquet files",
    )
)
add_source(
    ModelSource(
        prefix="predictions",
        target="eyechart.models.predictions:open",
        example="predictions:answers.csv",
        gives=("predictions",),
        description="answers by picture id, from CSV, TSV, JSON Lines or Parquet: a label, or the best k with scores",
    )
)
add_source(
    ModelSource(
        prefix="chat",
        target="eyechart.models.chat:open",
        example="chat:http://127.0.0.1:8000/v1#llava-1.5-7b",
        gives=("answers",),
        description="a multimodal language model behind an OpenAI-compatible server (vLLM, llama.cpp, Ollama, hosted)",
    )
)
add_source(
    ModelSource(
        prefix="lmm",
        target="eyechart.models.lmm:open",
        example="lmm:llava-hf/llava-1.5-7b-hf",
        gives=("answers", "likelihoods"),
        description="a multimodal language model of transformers (LLaVA, Qwen-VL, SmolVLM), by hub id or local folder",
        extra="hf",
        packages=("transformers", "torch"),
    )
)
