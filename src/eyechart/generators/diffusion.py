"""A diffusers pipeline as a generator. The package is optional and imported only here."""

import io
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from eyechart.errors import MissingExtra, ModelError
from eyechart.generators.generator import Prompt


@dataclass(frozen=True)
class DiffusionGenerator:
    """A text-to-image pipeline. Weights are loaded from safetensors only, and no code of a model is run.

    model: A folder written by `save_pretrained`, or an id of the Hugging Face hub.
    steps: The number of inference steps; None for the pipeline's default.
    guidance: The guidance scale; None for the pipeline's default.
    """

    model: str
    device: str = "cpu"
    steps: int | None = None
    guidance: float | None = None

    def __post_init__(self) -> None:
        if any(find_spec(package) is None for package in ("diffusers", "transformers", "torch")):
            raise MissingExtra(self.name, "diffusers")

    @property
    def name(self) -> str:
        return f"diffusers:{self.model}"

    def draw(self, prompt: Prompt, seed: int) -> bytes:
        import torch

        given = {"num_inference_steps": self.steps, "guidance_scale": self.guidance}
        options = {key: value for key, value in given.items() if value is not None}
        noise = torch.Generator("cpu").manual_seed(seed)  # a CPU generator, so that every device draws the same noise
        picture = self._pipeline(prompt.text, generator=noise, **options).images[0]
        file = io.BytesIO()
        picture.convert("RGB").save(file, "PNG")
        return file.getvalue()

    @cached_property
    def _pipeline(self) -> Any:
        from diffusers import DiffusionPipeline

        try:
            pipeline = DiffusionPipeline.from_pretrained(self.model, use_safetensors=True).to(self.device)
        except (OSError, ValueError, RuntimeError) as error:
            raise ModelError(f"{self.name} cannot be loaded ({error}); give a folder or a repository with safetensors") from None
        pipeline.set_progress_bar_config(disable=True)
        return pipeline
