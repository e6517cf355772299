"""The two encoders of a small model in the libraries' own form: a CLIPModel of transformers, or a CLIP of open_clip where the
image encoder is convolutional or the text encoder bidirectional, which transformers' CLIP does not support."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.world.training.recipe import Recipe
from eyechart.world.training.vocabulary import CONTEXT, END, PAD, START

MEAN, STD = (0.5, 0.5, 0.5), (0.25, 0.25, 0.25)
_PLACE_STRENGTH = 0.2


class HfTowers:
    """transformers' CLIPModel with a tiny configuration."""

    def __init__(self, recipe: Recipe, tokens: int) -> None:
        from transformers import CLIPConfig, CLIPModel, CLIPTextConfig, CLIPVisionConfig

        text = CLIPTextConfig(
            vocab_size=tokens,
            hidden_size=recipe.text_width,
            intermediate_size=4 * recipe.text_width,
            projection_dim=recipe.embedding,
            num_hidden_layers=recipe.text_layers,
            num_attention_heads=recipe.heads,
            max_position_embeddings=CONTEXT,
            bos_token_id=START,
            eos_token_id=END,
            pad_token_id=PAD,
        )
        vision = CLIPVisionConfig(
            hidden_size=recipe.width,
            intermediate_size=4 * recipe.width,
            projection_dim=recipe.embedding,
            num_hidden_layers=recipe.layers,
            num_attention_heads=recipe.heads,
            image_size=recipe.side,
            patch_size=recipe.patch,
        )
        config = CLIPConfig(text_config=text.to_dict(), vision_config=vision.to_dict(), projection_dim=recipe.embedding)
        self.network: Any = CLIPModel(config)
        self.patch_width: int | None = recipe.width
        _know_places(self.network.vision_model.embeddings.position_embedding.weight, recipe)

    def pictures(self, pixels: Any) -> tuple[Any, Any]:
        """Vectors of unit length, and the patches [n, h·w, width] of the last block."""
        seen = self.network.vision_model(pixel_values=pixels)
        return _unit(self.network.visual_projection(seen.pooler_output)), seen.last_hidden_state[:, 1:]

    def texts(self, ids: Any) -> Any:
        read = self.network.text_model(input_ids=ids, attention_mask=(ids != PAD).long())
        return _unit(self.network.text_projection(read.pooler_output))


class OpenClipTowers:
    """open_clip's CLIP, built from the configuration that is saved with its weights."""

    def __init__(self, recipe: Recipe, tokens: int) -> None:
        from open_clip.model import CLIP

        self.config = open_clip_config(recipe, tokens)
        self.network: Any = CLIP(**self.config)
        self.patch_width: int | None = None
        self._context = CONTEXT
        if recipe.tower == "vit":
            self.patch_width = recipe.width
            _know_places(self.network.visual.positional_embedding, recipe)
            self.network.visual.output_tokens = True

    def pictures(self, pixels: Any) -> tuple[Any, Any]:
        seen = self.network.visual(pixels)
        vectors, patches = seen if isinstance(seen, tuple) else (seen, None)
        return _unit(vectors), patches

    def texts(self, ids: Any) -> Any:
        import torch

        padded = torch.nn.functional.pad(ids, (0, self._context - ids.shape[1]), value=PAD)
        return _unit(self.network.encode_text(padded))


Towers = HfTowers | OpenClipTowers


def build(recipe: Recipe, tokens: int) -> Towers:
    """Weights are drawn from the recipe's seed."""
    import torch

    torch.manual_seed(recipe.seed)
    return HfTowers(recipe, tokens) if recipe.tower == "vit" and recipe.text == "causal" else OpenClipTowers(recipe, tokens)


def open_clip_config(recipe: Recipe, tokens: int) -> dict[str, Any]:
    vision: dict[str, Any] = {"image_size": recipe.side}
    if recipe.tower == "conv":
        # open_clip builds a ModifiedResNet from four numbers of blocks; its width is that of the stem.
        vision |= {"layers": [1, 1, 1, 1], "width": 16, "patch_size": None, "head_width": 32}
    else:
        vision |= {
            "layers": recipe.layers,
            "width": recipe.width,
            "head_width": recipe.width // recipe.heads,
            "patch_size": recipe.patch,
        }
    text = {
        "context_length": CONTEXT,
        "vocab_size": tokens,
        "width": recipe.text_width,
        "heads": recipe.heads,
        "layers": recipe.text_layers,
        "no_causal_mask": recipe.text == "bidirectional",
        "pad_id": PAD,
        "eos_id": END,
        "pool_type": "eos",
    }
    return {"embed_dim": recipe.embedding, "vision_cfg": vision, "text_cfg": text, "quick_gelu": True}


def prepared(pictures: npt.NDArray[np.uint8]) -> Any:
    """[n, 3, side, side], as the saved preprocessing does it."""
    import torch

    pixels = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255
    return (pixels - torch.tensor(MEAN)[:, None, None]) / torch.tensor(STD)[:, None, None]


def _unit(vectors: Any) -> Any:
    return vectors / vectors.norm(dim=-1, keepdim=True)


def _know_places(weights: Any, recipe: Recipe) -> None:
    """Position embeddings start as sine waves along both axes instead of noise, which a short run learns faster."""
    import torch

    cells = recipe.side // recipe.patch
    down, across = np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij")
    waves = np.pi * 2.0 ** np.linspace(-1, np.log2(cells) - 1, recipe.width // 4) / cells
    angles = [axis.reshape(-1, 1) * waves for axis in (across, down)]
    places = np.concatenate([wave(angle) for angle in angles for wave in (np.sin, np.cos)], axis=1)
    with torch.no_grad():
        weights[1:] = torch.tensor(_PLACE_STRENGTH * places, dtype=torch.float32)
