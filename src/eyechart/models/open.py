"""Open a model by the name people know it by: `backend:name`. Backends are imported when asked for, and not before."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from eyechart.errors import MissingExtra, UsageError, did_you_mean
from eyechart.files.hashing import HashMemory
from eyechart.models.choices import check_choices
from eyechart.models.encoder import Model
from eyechart.registry import Registry


@dataclass(frozen=True)
class BackendInfo:
    """`gives` names abilities as probes ask for them; `extra` is what to install where `installed` is False."""

    prefix: str
    example: str
    gives: tuple[str, ...]
    extra: str | None
    installed: bool
    description: str


@dataclass(frozen=True)
class _Backend:
    target: str
    example: str
    gives: tuple[str, ...]
    description: str
    extra: str | None = None
    packages: tuple[str, ...] = ()


_DUAL = ("images", "texts", "logit_scale")

_BACKENDS = {
    "onnx": _Backend(
        "eyechart.models.onnx:open",
        "onnx:models/my-clip",
        (*_DUAL, "patches", "attention", "class_scores"),
        "a folder of ONNX files with a model.json, as `eyechart export` writes; gives what its files give",
    ),
    "open_clip": _Backend(
        "eyechart.models.open_clip:open",
        "open_clip:ViT-B-32/laion2b_s34b_b79k",
        (*_DUAL, "patches", "attention"),
        "an OpenCLIP architecture with a pretrained tag or a local checkpoint",
        "open_clip",
        ("open_clip", "torch"),
    ),
    "hf": _Backend(
        "eyechart.models.hf:open",
        "hf:google/siglip-base-patch16-224",
        (*_DUAL, "patches", "attention"),
        "CLIP, SigLIP, SigLIP 2 or ALIGN from transformers, by hub id or local folder",
        "hf",
        ("transformers", "torch"),
    ),
    "timm": _Backend(
        "eyechart.models.timm:open",
        "timm:vit_base_patch16_clip_224.openai_ft_in1k",
        ("images", "class_scores", "patches"),
        "an image model from timm: class scores, pooled features, patch tokens",
        "timm",
        ("timm", "torch"),
    ),
    "sbert": _Backend(
        "eyechart.models.sbert:open",
        "sbert:all-MiniLM-L6-v2",
        ("texts",),
        "a sentence encoder, for texts alone",
        "sbert",
        ("sentence_transformers", "torch"),
    ),
    "vectors": _Backend(
        "eyechart.models.vectors:open",
        "vectors:my-vectors.npz",
        _DUAL,
        "picture and text vectors computed elsewhere, from an npz file or a folder of Parquet files",
    ),
    "zoo": _Backend(
        "eyechart.world.zoo:open",
        "zoo:default",
        (*_DUAL, "patches", "attention"),
        "a small model trained in the embedded world, healthy or with a planted defect",
    ),
    "demo": _Backend(
        "eyechart.world.zoo:open_default",
        "demo:",
        (*_DUAL, "patches", "attention"),
        "the small model that ships with Eyechart, short for zoo:default",
    ),
}

backends = Registry("model backend", {prefix: backend.target for prefix, backend in _BACKENDS.items()})


def open_model(
    spec: str,
    *,
    hashes: HashMemory | None = None,
    device: str = "cpu",
    precision: str = "float32",
    threads: int | None = None,
) -> Model:
    """The model that `spec` names; its network is loaded when first needed. `device` is cpu, auto, mps, cuda or cuda:N."""
    check_choices(device, precision)
    prefix, colon, name = spec.partition(":")
    if not colon or prefix not in backends:
        raise _unknown(spec, prefix if colon else "")
    backend = _BACKENDS[prefix]
    if not _installed(backend):
        raise MissingExtra(spec, backend.extra or prefix)
    if not name and prefix != "demo":
        raise UsageError(f"{spec!r} names no model; write for instance {backend.example}")
    model: Model = backends.get(prefix)(name, hashes or HashMemory(), device, precision, threads)
    return model


def model_backends() -> list[BackendInfo]:
    """Every kind of model there is, and whether its packages are here. Nothing is imported."""
    return [
        BackendInfo(prefix, backend.example, backend.gives, backend.extra, _installed(backend), backend.description)
        for prefix, backend in _BACKENDS.items()
    ]


def _installed(backend: _Backend) -> bool:
    return all(find_spec(package) is not None for package in backend.packages)


def _unknown(spec: str, prefix: str) -> UsageError:
    kinds = ", ".join(f"{known}:" for known in backends)
    # A path may hold a colon of its own, so it is looked for before the prefix is judged.
    path = Path(spec)
    if (path / "model.json").is_file():
        return UsageError(f"model {spec!r} is a folder with a model.json; write onnx:{spec}")
    if path.suffix == ".npz" and path.is_file():
        return UsageError(f"model {spec!r} is a file of vectors; write vectors:{spec}")
    if path.is_dir() and (path / "config.json").is_file():
        return UsageError(f"model {spec!r} looks like a transformers folder; write hf:{spec}")
    if prefix:
        return UsageError(
            f"model {spec!r}: there is no kind of model called {prefix!r}{did_you_mean(prefix, backends)} (there are: {kinds})"
        )
    example = _BACKENDS["open_clip"].example
    return UsageError(f"model {spec!r} does not say what kind it is; write KIND:NAME, for instance {example} (kinds: {kinds})")
