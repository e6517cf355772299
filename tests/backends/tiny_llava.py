"""A tiny LLaVA with random weights in the standard format: CLIP tower, projector, two-layer Llama and a word tokenizer."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    CLIPImageProcessor,
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
)

WORDS = (
    "what is the main object in this picture ? answer with name only . choose one of following : , a word or short phrase cat "
    "dog hot horse bird yes no USER ASSISTANT red green blue yellow there"
)
TEMPLATE = (
    "{% for message in messages %}USER : {% for part in message['content'] %}{% if part['type'] == 'image' %}<image> "
    "{% else %}{{ part['text'] }} {% endif %}{% endfor %}{% endfor %}{% if add_generation_prompt %}ASSISTANT : {% endif %}"
)


def write_tiny_llava(folder: Path, seed: int = 0) -> Path:
    vocabulary = {word: i for i, word in enumerate(["<pad>", "<s>", "</s>", "<unk>", "<image>", *dict.fromkeys(WORDS.split())])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        extra_special_tokens={"image_token": "<image>"},
    )  # fmt: skip
    torch.manual_seed(seed)
    vision = CLIPVisionConfig(
        hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=32, patch_size=8
    )
    text = LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=256, pad_token_id=0, bos_token_id=1, eos_token_id=2, initializer_range=0.6,
    )  # fmt: skip
    config = LlavaConfig(
        vision_config=vision, text_config=text, image_token_index=vocabulary["<image>"], image_seq_length=16,
        vision_feature_layer=-1, projector_hidden_act="gelu",
    )  # fmt: skip
    network = LlavaForConditionalGeneration(config).eval()
    with torch.no_grad():
        network.lm_head.weight[[0, 1, 3, 4]] = 0  # so that it hardly ever writes padding or a picture token
    network.generation_config.eos_token_id = 2
    network.generation_config.pad_token_id = 0
    network.save_pretrained(folder)
    pictures = CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    processor = LlavaProcessor(
        pictures, tokenizer, patch_size=8, vision_feature_select_strategy="default", chat_template=TEMPLATE,
        num_additional_image_tokens=1,
    )  # fmt: skip
    processor.save_pretrained(folder)
    return folder
