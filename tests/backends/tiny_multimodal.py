"""Tiny multimodal models with random weights in the standard format: LLaVA-NeXT, Qwen2-VL and Idefics3 (the first SmolVLM).

They place a picture differently: LLaVA-NeXT cuts it into tiles, Qwen2-VL rotates positions along its height and width, Idefics3
writes rows and columns of tiles into the prompt.
"""

from collections.abc import Sequence
from pathlib import Path

import torch
from tests.backends.tiny_llava import TEMPLATE, WORDS
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast


def word_tokenizer(special: Sequence[str]) -> PreTrainedTokenizerFast:
    """One token per word; `special` are tokens of pictures."""
    vocabulary = {word: i for i, word in enumerate(["<pad>", "<s>", "</s>", "<unk>", *special, *dict.fromkeys(WORDS.split())])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )
    tokenizer.add_special_tokens({"additional_special_tokens": list(special)})
    return tokenizer


def _text(tokenizer: PreTrainedTokenizerFast, **more: object) -> dict[str, object]:
    return {
        "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 1024,
        "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "initializer_range": 0.6, **more,
    }  # fmt: skip


def _save(network: torch.nn.Module, processor: object, folder: Path) -> Path:
    network.generation_config.eos_token_id = 2
    network.generation_config.pad_token_id = 0
    network.eval().save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def write_llava_next(folder: Path) -> Path:
    from transformers import (
        CLIPVisionConfig,
        LlamaConfig,
        LlavaNextConfig,
        LlavaNextForConditionalGeneration,
        LlavaNextImageProcessor,
        LlavaNextProcessor,
    )

    tokenizer = word_tokenizer(["<image>"])
    torch.manual_seed(0)
    vision = CLIPVisionConfig(
        hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=32, patch_size=8
    )
    tiles = [[32, 64], [64, 32], [64, 64]]
    config = LlavaNextConfig(
        vision_config=vision, text_config=LlamaConfig(**_text(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"), image_grid_pinpoints=tiles,
        vision_feature_layer=-1, image_seq_length=16,
    )  # fmt: skip
    pictures = LlavaNextImageProcessor(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}, image_grid_pinpoints=tiles
    )
    processor = LlavaNextProcessor(
        pictures, tokenizer, patch_size=8, vision_feature_select_strategy="default", chat_template=TEMPLATE,
        num_additional_image_tokens=1,
    )  # fmt: skip
    return _save(LlavaNextForConditionalGeneration(config), processor, folder)


def write_qwen2_vl(folder: Path) -> Path:
    from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration, Qwen2VLImageProcessor, Qwen2VLProcessor
    from transformers.models.qwen2_vl.video_processing_qwen2_vl import Qwen2VLVideoProcessor

    special = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer = word_tokenizer(special)
    ids = dict(zip(special, tokenizer.convert_tokens_to_ids(special), strict=True))
    torch.manual_seed(0)
    text = _text(tokenizer, rope_parameters={"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 10_000.0})
    config = Qwen2VLConfig(
        text_config=text,
        vision_config={"depth": 2, "embed_dim": 16, "hidden_size": 32, "num_heads": 2, "patch_size": 8, "mlp_ratio": 2},
        image_token_id=ids["<|image_pad|>"], video_token_id=ids["<|video_pad|>"], vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
    )  # fmt: skip
    pixels = {"patch_size": 8, "min_pixels": 16 * 16, "max_pixels": 64 * 64}
    template = TEMPLATE.replace("<image>", "<|vision_start|> <|image_pad|> <|vision_end|>")
    processor = Qwen2VLProcessor(
        Qwen2VLImageProcessor(**pixels), tokenizer, Qwen2VLVideoProcessor(**pixels), chat_template=template
    )
    return _save(Qwen2VLForConditionalGeneration(config), processor, folder)


def write_idefics3(folder: Path) -> Path:
    """The class of the first SmolVLM."""
    from transformers import Idefics3Config, Idefics3ForConditionalGeneration, Idefics3ImageProcessor, Idefics3Processor

    rows = [f"<row_{row}_col_{column}>" for row in range(1, 5) for column in range(1, 5)]
    special = ["<fake_token_around_image>", "<image>", "<global-img>", "<end_of_utterance>", *rows]
    tokenizer = word_tokenizer(special)
    torch.manual_seed(0)
    config = Idefics3Config(
        text_config={"model_type": "llama", **_text(tokenizer)},
        vision_config={
            "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 32,
            "patch_size": 8,
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"), scale_factor=2, pad_token_id=0,
    )  # fmt: skip
    pictures = Idefics3ImageProcessor(size={"longest_edge": 64}, max_image_size={"longest_edge": 32})
    processor = Idefics3Processor(pictures, tokenizer, image_seq_len=4, chat_template=TEMPLATE)
    return _save(Idefics3ForConditionalGeneration(config), processor, folder)


FAMILIES = {"llava_next": write_llava_next, "qwen2_vl": write_qwen2_vl, "idefics3": write_idefics3}
