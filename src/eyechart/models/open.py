"""Open a model by the name people know it by: `PREFIX:NAME`. A source's library is imported when it is used."""

from pathlib import Path

from eyechart.errors import MissingExtra, UsageError, did_you_mean
from eyechart.files.hashing import HashMemory
from eyechart.models.choices import check_choices
from eyechart.models.encoder import Model
from eyechart.models.sources import find_source, model_sources, opener
from eyechart.models.weights import WEIGHT_SUFFIXES


def open_model(
    spec: str,
    *,
    hashes: HashMemory | None = None,
    device: str = "cpu",
    precision: str = "float32",
    threads: int | None = None,
) -> Model:
    """Open a model. Its network is loaded on first use; card and fingerprint are known before that.

    Args:
        spec: The source and the model's name, such as `open_clip:ViT-B-32/laion2b_s34b_b79k`, `onnx:FOLDER` or `demo:`.
        hashes: Known content hashes of weight files; without them the files are hashed again.
        device: cpu, auto, mps, cuda or cuda:N.
        precision: float32, bfloat16 or float16.
        threads: CPU threads of the network; None leaves the choice to the library.

    Raises:
        UsageError: If the name, device or precision makes no sense.
        MissingExtra: If the source's packages are not installed.
        ModelError: If the model's files cannot be used.

    Example:
        >>> model = open_model("demo:")
        >>> model.card.architecture is not None
        True
    """
    check_choices(device, precision)
    prefix, colon, name = spec.partition(":")
    source = find_source(prefix) if colon else None
    if source is None:
        raise _unknown(spec, prefix if colon else "")
    if not source.installed:
        # Without the package a likely architecture cannot be told, but that it is missing can.
        bare = prefix == "open_clip" and "/" not in name and Path(name).suffix in WEIGHT_SUFFIXES
        also = f", a checkpoint without its architecture (write open_clip:ARCHITECTURE/{name})," if bare else ""
        raise MissingExtra(spec + also, source.extra, source.packages)
    if not name and source.needs_name:
        raise UsageError(f"{spec!r} names no model; write for example {source.example}")
    return opener(prefix)(name, hashes or HashMemory(), device, precision, threads)


def _unknown(spec: str, prefix: str) -> UsageError:
    known = {source.prefix: source for source in model_sources()}
    kinds = ", ".join(f"{one}:" for one in sorted(known))
    # A path may contain a colon, so look for a file or folder before judging the prefix.
    path = Path(spec)
    if (path / "model.json").is_file():
        return UsageError(f"model {spec!r} is a folder with a model.json; write onnx:{spec}")
    if path.suffix == ".npz" and path.is_file():
        return UsageError(f"model {spec!r} is a file of vectors; write vectors:{spec}")
    if path.is_dir() and (path / "config.json").is_file():
        return UsageError(f"model {spec!r} looks like a transformers folder; write hf:{spec}")
    if prefix:
        return UsageError(
            f"model {spec!r}: there is no model source called {prefix!r}{did_you_mean(prefix, known)} (there are: {kinds})"
        )
    return UsageError(
        f"model {spec!r} has no source; write SOURCE:NAME, for example {known['open_clip'].example} (sources: {kinds})"
    )
