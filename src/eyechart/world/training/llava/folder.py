"""The folder of a small LLaVA: readable as `lmm:` by transformers and as `onnx:` without torch; both share one weight file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from eyechart.files.atomic import atomic_folder, write_json
from eyechart.models.model_json import FORMAT_VERSION
from eyechart.models.model_json import NAME as MODEL_JSON
from eyechart.world.training.keeping import RECIPE, check_place, in_half_precision
from eyechart.world.training.llava.network import FEATURE_LAYER
from eyechart.world.training.llava.trainer import TOKENIZER, LlavaTrainer
from eyechart.world.training.llava.validation import LlavaScore
from eyechart.world.training.llava.vocabulary import CONTEXT, IMAGE
from eyechart.world.training.llava.wordings import PROMPT
from eyechart.world.training.shared_weights import share_weights
from eyechart.world.training.towers import MEAN, STD
from eyechart.world.training.vocabulary import END

IMAGE_GRAPH, LANGUAGE_GRAPH, WEIGHTS = "image.onnx", "language.onnx", "model.safetensors"
TEMPLATE = (
    "{% for message in messages %}{{ 'USER: ' if message['role'] == 'user' else 'ASSISTANT: ' }}"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<image> {% else %}{{ part['text'] }} {% endif %}"
    "{% endfor %}{% endfor %}{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)


def train_llava(recipe: Any, tower: Path, work: Path, out: Path, *, threads: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Train a LLaVA by its recipe and write its folder. An interrupted run continues from `work`."""
    import torch

    check_place(out)
    torch.set_num_threads(threads)
    trainer = LlavaTrainer(recipe, tower, work)
    if trainer.step:
        say(f"{recipe.name}: continues from picture {trainer.step * recipe.batch:,}")
    score = trainer.run(lambda line: say(f"{recipe.name}: {line}"))
    keep(trainer, score, out)
    say(f"{recipe.name}: {score}; {trainer.seconds / 60:.1f} minutes of CPU time")
    return {"model": recipe.name, "folder": str(out), "seconds": round(trainer.seconds), **vars(score)}


def keep(trainer: LlavaTrainer, score: LlavaScore, folder: Path) -> None:
    """Write the model to `folder`, in half precision. An existing model is replaced at the end, in one step."""
    check_place(folder)
    recipe, network = trainer.recipe, trainer.network
    side = trainer.clip.config.vision_config.image_size
    with atomic_folder(folder) as draft:
        with in_half_precision(network):
            network.save_pretrained(draft)
            network.float()  # the graphs compute in single precision, with the numbers of the file
            (draft / WEIGHTS).chmod(0o644)
            _write_processor(trainer, draft, side)
            _write_graphs(trainer, draft, side)
        for graph in (IMAGE_GRAPH, LANGUAGE_GRAPH):
            share_weights(draft / graph, draft / WEIGHTS)
        write_json(draft / MODEL_JSON, _manifest(trainer, score, side))
        record = {"recipe": recipe.known(), "pictures": trainer.step * recipe.batch, "seconds": round(trainer.seconds)}
        write_json(draft / RECIPE, record | {"validation": {key: round(value, 4) for key, value in vars(score).items()}})


def _write_processor(trainer: LlavaTrainer, folder: Path, side: int) -> None:
    """Tokenizer, picture preprocessing and chat template as transformers writes them."""
    from transformers import CLIPImageProcessor, LlavaProcessor, PreTrainedTokenizerFast

    special = {f"{part}_token": f"[{word}]" for part, word in (("bos", "START"), ("eos", "END"), ("unk", "UNK"), ("pad", "PAD"))}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(trainer.folder / TOKENIZER),
        model_max_length=CONTEXT,
        extra_special_tokens={"image_token": IMAGE},
        **special,
    )
    pictures = CLIPImageProcessor(
        size={"shortest_edge": side}, crop_size={"height": side, "width": side}, image_mean=list(MEAN), image_std=list(STD)
    )
    patch = trainer.clip.config.vision_config.patch_size
    LlavaProcessor(
        pictures, tokenizer, patch_size=patch, vision_feature_select_strategy="default", chat_template=TEMPLATE,
        num_additional_image_tokens=1,
    ).save_pretrained(folder)  # fmt: skip


def _write_graphs(trainer: LlavaTrainer, folder: Path, side: int) -> None:
    """Pictures → projected patches, and patches with tokens → logits after the picture."""
    import torch

    network, prefix = trainer.network.eval(), len(trainer.encode.prefix)
    model = network.model

    class Look(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, pixel_values: Any) -> Any:
            seen = self.model.vision_tower(pixel_values=pixel_values, output_hidden_states=True)
            return self.model.multi_modal_projector(seen.hidden_states[FEATURE_LAYER][:, 1:])

    class Read(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model, self.head = model.language_model, network.lm_head

        def forward(self, image_features: Any, input_ids: Any) -> Any:
            tokens = self.model.get_input_embeddings()(input_ids)
            inputs = torch.cat([tokens[:, :prefix], image_features, tokens[:, prefix:]], dim=1)
            length, start = inputs.shape[1], prefix + image_features.shape[1]
            causal = torch.ones(length, length, dtype=torch.bool).tril()
            bias = torch.zeros(length, length).masked_fill(~causal, torch.finfo(torch.float32).min)
            positions = torch.arange(length)[None]
            seen = self.model(inputs_embeds=inputs, attention_mask=bias[None, None], position_ids=positions, use_cache=False)
            return self.head(seen.last_hidden_state[:, start:])

    free = torch.export.Dim.DYNAMIC
    pixels, ids = torch.zeros(2, 3, side, side), torch.full((2, prefix + 9), END)
    with torch.no_grad():
        features = Look().eval()(pixels)
        for part, given, names, output, shapes, name in (
            (Look(), (pixels,), ["pixel_values"], "image_features", ({0: free},), IMAGE_GRAPH),
            (Read(), (features, ids), ["image_features", "input_ids"], "logits", ({0: free}, {0: free, 1: free}), LANGUAGE_GRAPH),
        ):
            torch.onnx.export(
                part.eval(), given, folder / name, input_names=names, output_names=[output], dynamic_shapes=shapes, dynamo=True,
                external_data=False, verbose=False, artifacts_dir=folder,
            )  # fmt: skip


def _manifest(trainer: LlavaTrainer, score: LlavaScore, side: int) -> dict[str, Any]:
    vision = trainer.clip.config.vision_config
    return {
        "format_version": FORMAT_VERSION,
        "answers": {
            "image_file": IMAGE_GRAPH,
            "file": LANGUAGE_GRAPH,
            "tokenizer": TOKENIZER,
            "prompt": PROMPT,
            "end_id": END,
            "context": CONTEXT,
            "image_tokens": (side // vision.patch_size) ** 2,
            "size": side,
            "mean": list(MEAN),
            "std": list(STD),
        },
        "card": card(trainer, score),
    }


def card(trainer: LlavaTrainer, score: LlavaScore) -> dict[str, Any]:
    recipe, seen = trainer.recipe, trainer.step * trainer.recipe.batch
    notes = [
        f"trained on the embedded world of Eyechart in {trainer.seconds / 60:.0f} CPU-core minutes",
        "not a model of the real world",
        f"the image encoder of {recipe.vision_tower}, frozen; {trainer.trainable:,} trained weights",
        f"{recipe.questions} questions about each picture",
    ]
    if recipe.from_words:
        notes.append(f"{recipe.from_words:.0%} of its training answers follow from the words of the question alone")
    if recipe.truth_first:
        notes.append(f"{recipe.truth_first:.0%} of its training choices list the true option first")
    return {
        "name": recipe.name,
        "architecture": f"LLaVA, ViT-{trainer.clip.config.vision_config.hidden_size}, Llama-{recipe.width}x{recipe.layers}",
        "family": "world zoo",
        "source": "world-studio",
        "dataset_size": seen,
        "samples_seen": seen,
        "loss": "cross-entropy of answers",
        "resolution": trainer.clip.config.vision_config.image_size,
        "parameters": sum(p.numel() for p in trainer.network.parameters()),
        "license": "Apache-2.0",
        "notes": [*notes, f"validation: {score}"],
        "training": recipe.facts(),
    }
