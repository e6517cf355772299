"""Model folders as transformers and sentence-transformers save them: on disk, or from the hub and its cache."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyechart.errors import ModelError
from eyechart.files.records import Table, read_json
from eyechart.models.torch_device import require
from eyechart.models.weights import check_weights

# The settings of tokenizer and image processor.
_SETTINGS = (
    "config.json",
    "preprocessor_config.json",
    "processor_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "spiece.model",
    "tokenizer.model",
    "sentencepiece.bpe.model",
)


@dataclass(frozen=True)
class HubFolder:
    """A model folder. `hub_id`, the id or the folder's path, is what the card is derived from."""

    hub_id: str
    path: Path
    config: dict[str, Any]
    weights: tuple[Path, ...]
    settings: tuple[Path, ...]

    @property
    def has_safetensors(self) -> bool:
        return self.weights[0].suffix == ".safetensors"


def find_folder(name: str, spec: str, extra: str, more: Sequence[str] = ()) -> HubFolder:
    """The folder of a path or hub id; files of the hub, those that match `more` too, are downloaded where its cache has none."""
    folder = Path(name)
    if not folder.is_dir():
        if folder.is_absolute() or name.startswith(".") or name.count("/") > 1:
            raise ModelError(f"{spec}: there is no folder {name}; give a folder or an id of the hub such as owner/name")
        folder = fetch(name, spec, extra, more)
    if not (folder / "config.json").is_file():
        raise ModelError(f"{spec}: {folder} contains no config.json; give a folder written by save_pretrained")
    config = dict(_table(folder / "config.json").content)
    settings = tuple(folder / file for file in _SETTINGS if (folder / file).is_file())
    return HubFolder(name, folder, config, weight_files(folder, spec), settings)


def fetch(hub_id: str, spec: str, extra: str, more: Sequence[str] = ()) -> Path:
    """The snapshot of a repository: settings, weights as safetensors or else as torch files, and files that match `more`."""
    hub = require("huggingface_hub", spec, extra)
    plain = ["*.json", "*.txt", "*.model", "*.safetensors.index.json", "model*.safetensors", *more]
    try:
        folder = Path(hub.snapshot_download(hub_id, allow_patterns=plain))
        if not list(folder.glob("model*.safetensors")):
            folder = Path(hub.snapshot_download(hub_id, allow_patterns=[*plain, "pytorch_model*.bin"]))
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ModelError(f"{spec}: not a folder, not in the hub's cache, and not available for download ({reason})") from error
    return folder


def weight_files(folder: Path, spec: str) -> tuple[Path, ...]:
    """Safetensors if there are any, else torch files; all parts of weights that are split."""
    for whole in ("model.safetensors", "pytorch_model.bin"):
        index = folder / f"{whole}.index.json"
        if (folder / whole).is_file():
            return (check_weights(folder / whole, "convert it to safetensors"),)
        if index.is_file():
            weight_map = Table(str(index), read_json(index, error=ModelError), error=ModelError).get(
                "weight_map", Mapping[str, str]
            )
            parts = sorted(set(weight_map.values()))
            return tuple(check_weights(folder / Path(part).name, "download the model again") for part in parts)
    raise ModelError(f"{spec}: {folder} contains neither model.safetensors nor pytorch_model.bin; download the model again")


def _table(path: Path) -> Table:
    return Table(str(path), read_json(path, error=ModelError, remedy="download the model again"), error=ModelError)
