"""The network of a small LLaVA in transformers' own form, and its loss over several questions about each picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyechart.errors import UsageError
from eyechart.world.training.llava.recipe import LlavaRecipe
from eyechart.world.training.llava.vocabulary import CONTEXT, IMAGE_ID
from eyechart.world.training.vocabulary import END, PAD, START

FEATURE_LAYER = -2  # of the image encoder, as in LLaVA
IGNORED = -100


def build(recipe: LlavaRecipe, clip: Any, tokens: int) -> Any:
    """A LlavaForConditionalGeneration with the image encoder of `clip`, frozen; other weights are drawn from the seed."""
    import torch
    from transformers import LlamaConfig, LlavaConfig, LlavaForConditionalGeneration

    torch.manual_seed(recipe.seed)
    vision = clip.config.vision_config
    text = LlamaConfig(
        vocab_size=tokens,
        hidden_size=recipe.width,
        intermediate_size=8 * recipe.width // 3,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        num_key_value_heads=recipe.heads,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        bos_token_id=START,
        eos_token_id=END,
        pad_token_id=PAD,
    )
    config = LlavaConfig(
        vision_config=vision.to_dict(),
        text_config=text,
        image_token_index=IMAGE_ID,
        image_seq_length=(vision.image_size // vision.patch_size) ** 2,
        vision_feature_layer=FEATURE_LAYER,
        vision_feature_select_strategy="default",
        projector_hidden_act="gelu",
        tie_word_embeddings=True,
    )
    network = LlavaForConditionalGeneration(config)
    tower = network.model.vision_tower
    state = clip.vision_model.state_dict()
    if any(key.startswith("vision_model.") for key in tower.state_dict()):
        state = {f"vision_model.{key}": value for key, value in state.items()}
    tower.load_state_dict(state, strict=False)
    tower.requires_grad_(False)
    network.generation_config.eos_token_id, network.generation_config.pad_token_id = END, PAD
    return network


def open_clip_model(folder: Path) -> Any:
    """The CLIPModel of a tower's folder, frozen."""
    import torch
    from transformers import CLIPModel

    if not (folder / "config.json").is_file():
        raise UsageError(f"{folder.name} is not a CLIPModel of transformers; choose another vision_tower")
    return CLIPModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32).eval().requires_grad_(False)


@dataclass(frozen=True)
class Packed:
    """Rows of tokens after the picture: several questions in one row, each of which sees the picture and itself alone.

    ids: [n, t] tokens.
    segments: [n, t] the number of the question; -1 for padding.
    positions: [n, t] the place after the picture, counted from 0 in every question.
    targets: [n, t] the next token where it belongs to an answer, else IGNORED.
    """

    ids: Any
    segments: Any
    positions: Any
    targets: Any


def pack(rows: Sequence[Sequence[tuple[Sequence[int], Sequence[int]]]]) -> Packed:
    """Rows of (question tokens, answer tokens)."""
    import torch

    flat = []
    for row in rows:
        ids: list[int] = []
        segments: list[int] = []
        positions: list[int] = []
        targets: list[int] = []
        for number, (question, answer) in enumerate(row):
            whole = [*question, *answer]
            ids += whole[:-1]
            segments += [number] * (len(whole) - 1)
            positions += range(len(whole) - 1)
            targets += [IGNORED] * (len(question) - 1) + list(answer)
        flat.append((ids, segments, positions, targets))
    longest = max(len(row[0]) for row in flat)

    def padded(column: int, value: int) -> Any:
        return torch.tensor([row[column] + [value] * (longest - len(row[column])) for row in flat])

    return Packed(padded(0, PAD), padded(1, -1), padded(2, 0), padded(3, IGNORED))


def image_features(network: Any, pixels: Any) -> Any:
    """[n, patches, width of the image encoder]: what the projector is given."""
    import torch

    with torch.no_grad():
        return network.model.vision_tower(pixel_values=pixels, output_hidden_states=True).hidden_states[FEATURE_LAYER][:, 1:]


def answer_logits(network: Any, features: Any, prefix: Sequence[int], packed: Packed) -> Any:
    """[m, tokens]: logits at the m places with a target, row by row. `prefix` are the tokens before the picture."""
    import torch

    model = network.model
    embed = model.get_input_embeddings()
    count, start = len(features), len(prefix) + features.shape[1]
    before = embed(torch.tensor([list(prefix)] * count))
    inputs = torch.cat([before, model.multi_modal_projector(features), embed(packed.ids)], dim=1)
    length = inputs.shape[1]
    first = torch.arange(start).expand(count, start)
    positions = torch.cat([first, start + packed.positions], dim=1)
    segments = torch.cat([torch.full((count, start), -2), packed.segments], dim=1)
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    same = (segments[:, :, None] == segments[:, None, :]) | (segments == -2)[:, None, :]
    mask = (causal & same)[:, None]
    bias = torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)
    seen = model.language_model(inputs_embeds=inputs, attention_mask=bias, position_ids=positions, use_cache=False)
    return network.lm_head(seen.last_hidden_state[:, start:][packed.targets != IGNORED])
