"""A pipeline of diffusers as a generator: a real one, of a few random weights that were made here. It draws noise; what counts is
that it is called, seeded and kept as it should be. No generator that was trained has been run."""

import pytest

from eyechart.data.open import open_dataset
from eyechart.errors import ModelError

pytestmark = pytest.mark.backend

WORDS = ["<|startoftext|>", "<|endoftext|>", *"abcdefghijklmnopqrstuvwxyz", *(f"{c}</w>" for c in "abcdefghijklmnopqrstuvwxyz")]


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    diffusers = pytest.importorskip("diffusers")
    import json

    import torch
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer

    folder = tmp_path_factory.mktemp("pipeline")
    (folder / "vocab.json").write_text(json.dumps({word: number for number, word in enumerate(WORDS)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    torch.manual_seed(0)
    small = {"norm_num_groups": 4, "block_out_channels": (8, 16)}
    unet = diffusers.UNet2DConditionModel(
        sample_size=8, layers_per_block=1, cross_attention_dim=16, attention_head_dim=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), **small,
    )  # fmt: skip
    vae = diffusers.AutoencoderKL(
        down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2, latent_channels=4, **small
    )
    text = CLIPTextModel(
        CLIPTextConfig(
            vocab_size=len(WORDS), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
            bos_token_id=0, eos_token_id=1, pad_token_id=1,
        )
    )  # fmt: skip
    tokenizer = CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=77)
    made = diffusers.StableDiffusionPipeline(
        vae=vae,
        text_encoder=text,
        tokenizer=tokenizer,
        unet=unet,
        scheduler=diffusers.DDIMScheduler(clip_sample=False, steps_offset=1),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    made.save_pretrained(folder / "saved", safe_serialization=True)
    return folder / "saved"


def test_prompts_and_seeds_decide_the_picture_and_the_reader_takes_it(pipeline, tmp_path):
    from eyechart.generators.folder import draw_all
    from eyechart.generators.open import open_generator
    from eyechart.generators.prompt_plan import plan_prompts
    from eyechart.progress import SilentProgress

    jobs = plan_prompts(["cat", "dog"], objects=2, sets=1, seeds=2)
    generator = open_generator(f"diffusers:{pipeline}", steps=2, guidance=2.0)
    assert draw_all(tmp_path / "out", jobs, generator, SilentProgress()) == 4
    drawn = [(tmp_path / "out" / job.file).read_bytes() for job in jobs]
    assert len(set(drawn)) == 4
    again = open_generator(f"diffusers:{pipeline}", steps=2, guidance=2.0)
    assert again.draw(jobs[1].prompt, jobs[1].seed) == drawn[1]
    dataset = open_dataset(f"generated:{tmp_path / 'out'}")
    assert dataset.table["attr.prompt"][0].as_py() == jobs[0].prompt.text
    assert not dataset.has("objects")


def test_a_folder_without_a_pipeline_is_refused(tmp_path):
    pytest.importorskip("diffusers")
    from eyechart.generators.generator import Prompt
    from eyechart.generators.open import open_generator

    with pytest.raises(ModelError, match="cannot be loaded"):
        open_generator(f"diffusers:{tmp_path}").draw(Prompt("a cat", ("cat",)), 0)
