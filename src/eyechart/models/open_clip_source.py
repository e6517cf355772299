"""The parts of `open_clip:…`: configuration, weight file, preprocessing and tokenizer, found without loading a network.

ViT-B-32/laion2b_s34b_b79k            one of open_clip's tags, from the hub or its cache
ViT-B-32-quickgelu/negclip.pt         a local checkpoint of one of open_clip's architectures
hf-hub:timm/ViT-B-16-SigLIP           a model of the hub with its own configuration
local-dir:FOLDER, or FOLDER           the same on disk: open_clip_config.json next to the weights
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from eyechart.errors import ModelError, UsageError, did_you_mean
from eyechart.files.records import read_json
from eyechart.models.open_clip_checkpoint import refuse_bare_checkpoint
from eyechart.models.preprocessing import Preprocessing
from eyechart.models.torch_device import require
from eyechart.models.weights import check_weights

CONFIG = "open_clip_config.json"
_TOKENIZER = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
)
_CUSTOM_BLOCK = ("qk_norm", "scaled_cosine_attn", "scale_heads", "scale_attn_inner", "scale_attn", "scale_fc")


@dataclass(frozen=True)
class OpenClipSource:
    """What a name stands for. `library_name` is open_clip's name of the model; `card_name` is what its card is derived from."""

    name: str
    library_name: str
    card_name: str
    config: Mapping[str, Any]
    weights: Path
    preprocessing: Preprocessing
    quick_gelu: bool
    tokenizer_files: tuple[Path, ...] = ()

    @property
    def files(self) -> list[Path]:
        """The files that it rests on; a folder with all that is in it, since another file there could be another choice."""
        folder = self.weights.parent
        beside = [folder, folder / CONFIG] if self.library_name.startswith("local-dir:") else []
        return [self.weights, *self.tokenizer_files, *beside]

    def to_json(self) -> dict[str, Any]:
        return {
            **{field.name: getattr(self, field.name) for field in fields(self)},
            "config": dict(self.config),
            "weights": str(self.weights),
            "preprocessing": self.preprocessing.describe(),
            "tokenizer_files": [str(path) for path in self.tokenizer_files],
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "OpenClipSource":
        return cls(
            **{
                **found,
                "weights": Path(found["weights"]),
                "preprocessing": Preprocessing.from_dict(found["preprocessing"]),
                "tokenizer_files": tuple(Path(path) for path in found["tokenizer_files"]),
            }
        )

    @property
    def vision(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.config["vision_cfg"]
        return found

    @property
    def text(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.config["text_cfg"]
        return found

    @property
    def has_plain_transformer(self) -> bool:
        """Whether the image encoder is open_clip's own vision transformer of standard blocks."""
        vision = self.vision
        custom = vision.get("block_type") == "custom" or any(vision.get(key) for key in _CUSTOM_BLOCK)
        return not vision.get("timm_model_name") and isinstance(vision.get("layers", 12), int) and not custom

    @property
    def is_convolutional(self) -> bool:
        """Whether the image encoder is open_clip's ModifiedResNet or timm's ConvNeXt, which end in a map of features."""
        trunk = self.vision.get("timm_model_name")
        return str(trunk).startswith("convnext") if trunk else isinstance(self.vision.get("layers"), list)


def find_source(name: str) -> OpenClipSource:
    open_clip = require("open_clip", f"open_clip:{name}", "open_clip")
    if name.startswith("hf-hub:"):
        return _from_hub(open_clip, name)
    if name.startswith("local-dir:") or (Path(name) / CONFIG).is_file():
        return _from_folder(open_clip, name, Path(name.removeprefix("local-dir:")))
    refuse_bare_checkpoint(open_clip, name)
    architecture, _, tag = name.partition("/")
    config = open_clip.get_model_config(architecture)
    if config is None:
        hint = did_you_mean(architecture, open_clip.list_models())
        raise UsageError(f"open_clip has no architecture {architecture!r}{hint}; write open_clip:ARCHITECTURE/TAG")
    pretrained = open_clip.get_pretrained_cfg(architecture, tag)
    if pretrained:
        return _from_tag(open_clip, name, architecture, config, pretrained)
    if Path(tag).suffix and Path(tag).is_file():
        weights = check_weights(Path(tag), _other_weights(architecture))
        quick = bool(config.get("quick_gelu"))
        tokenizer = _hub_tokenizer(f"open_clip:{name}", config)
        preprocessing = _preprocessing(open_clip, config, {})
        return OpenClipSource(name, architecture, architecture, config, weights, preprocessing, quick, tokenizer)
    tags = open_clip.list_pretrained_tags_by_model(architecture)
    known = f"its tags: {', '.join(tags)}" if tags else "it has no tags, so give the path of a checkpoint"
    raise UsageError(
        f"open_clip:{name}: {tag!r} is neither a tag of {architecture} nor a file{did_you_mean(tag, tags)} ({known})"
    )


def _from_tag(
    open_clip: Any, name: str, architecture: str, config: dict[str, Any], pretrained: Mapping[str, Any]
) -> OpenClipSource:
    try:
        found = open_clip.download_pretrained(pretrained)
    except (OSError, RuntimeError) as error:
        raise ModelError(f"open_clip:{name}: its weights are not in the cache and cannot be downloaded ({error})") from error
    weights = check_weights(Path(found), "install huggingface_hub, which provides the safetensors files")
    # open_clip only warns where architecture and tag disagree here, and then runs the wrong activation.
    quick = bool(pretrained.get("quick_gelu")) or bool(config.get("quick_gelu"))
    card_name = f"{architecture}/{name.partition('/')[2]}"
    return OpenClipSource(
        name,
        architecture,
        card_name,
        config,
        weights,
        _preprocessing(open_clip, config, pretrained),
        quick,
        _hub_tokenizer(f"open_clip:{name}", config),
    )


def _from_hub(open_clip: Any, name: str) -> OpenClipSource:
    hub_id = name.removeprefix("hf-hub:")
    try:
        described = read_json(Path(open_clip.download_pretrained_from_hf(hub_id, filename=CONFIG)), error=ModelError)
        found = open_clip.download_pretrained_from_hf(hub_id)
    except OSError as error:
        raise ModelError(f"open_clip:{name}: not in the cache, and cannot be downloaded ({error})") from error
    config = _model_config(described, hub_id)
    weights = check_weights(Path(found), "ask its author for safetensors")
    preprocessing = _preprocessing(open_clip, config, described.get("preprocess_cfg", {}))
    quick = bool(config.get("quick_gelu"))
    return OpenClipSource(name, name, hub_id, config, weights, preprocessing, quick, _hub_tokenizer(f"open_clip:{name}", config))


def _from_folder(open_clip: Any, name: str, folder: Path) -> OpenClipSource:
    if not (folder / CONFIG).is_file():
        raise ModelError(f"{folder}: it contains no {CONFIG}; give a folder saved by open_clip")
    described = read_json(folder / CONFIG, error=ModelError)
    config = _model_config(described, str(folder))
    found = open_clip.factory._find_checkpoint_in_dir(folder)
    if found is None:
        raise ModelError(f"{folder}: it contains no weights; put open_clip_model.safetensors next to {CONFIG}")
    weights = check_weights(Path(found), "convert it to safetensors")
    preprocessing = _preprocessing(open_clip, config, described.get("preprocess_cfg", {}))
    tokenizer = tuple(
        path
        for path in sorted(folder.iterdir())
        if path.is_file() and path.suffix in (".json", ".txt", ".model") and path.name != CONFIG
    )
    quick = bool(config.get("quick_gelu"))
    return OpenClipSource(name, f"local-dir:{folder}", str(folder), config, weights, preprocessing, quick, tokenizer)


def _model_config(described: Mapping[str, Any], where: str) -> dict[str, Any]:
    config = described.get("model_cfg")
    if not isinstance(config, dict) or not {"vision_cfg", "text_cfg", "embed_dim"} <= config.keys():
        raise ModelError(f"{where}: its {CONFIG} has no model_cfg with embed_dim, vision_cfg and text_cfg")
    return config


def _preprocessing(open_clip: Any, config: Mapping[str, Any], settings: Mapping[str, Any]) -> Preprocessing:
    """The preprocessing: open_clip's defaults, those of the tag or configuration, and the size of the image encoder."""
    cfg = open_clip.transform.PreprocessCfg(**open_clip.transform.merge_preprocess_dict({}, dict(settings)))
    size = config["vision_cfg"].get("image_size", 224)
    height, width = (size, size) if isinstance(size, int) else size
    interpolation = "bilinear" if cfg.interpolation == "bilinear" else "bicubic"
    if cfg.resize_mode == "shortest" and height != width:
        interpolation = "bicubic"  # open_clip resizes these with its keep-ratio resizer's default
    return Preprocessing.from_dict(
        {
            "size": height if height == width else [height, width],
            "resize": cfg.resize_mode or "shortest",
            "crop": "none" if cfg.resize_mode == "squash" else "center",
            "interpolation": interpolation,
            "mean": list(_triple(cfg.mean)),
            "std": list(_triple(cfg.std)),
            "fill": cfg.fill_color,
        }
    )


def _triple(value: Any) -> tuple[float, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,) * 3


def _hub_tokenizer(spec: str, config: Mapping[str, Any]) -> tuple[Path, ...]:
    """The files of a tokenizer of the hub, downloaded where they are not in the cache; open_clip's own is part of its package."""
    tokenizer = config["text_cfg"].get("hf_tokenizer_name")
    if not tokenizer:
        return ()
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(tokenizer, allow_patterns=list(_TOKENIZER)))
    except (OSError, ValueError) as error:
        raise ModelError(f"{spec}: its tokenizer {tokenizer} is not in the cache and cannot be downloaded ({error})") from error
    return tuple(folder / file for file in _TOKENIZER if (folder / file).is_file())


def _other_weights(architecture: str) -> str:
    return f"save its state_dict, or use a tag such as open_clip:{architecture}/openai, which has safetensors weights"
