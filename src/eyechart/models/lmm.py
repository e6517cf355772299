"""Multimodal language models of transformers: `lmm:ID_OR_FOLDER` (LLaVA, LLaVA-NeXT, Qwen-VL, SmolVLM and others).

Any image-text-to-text class of transformers whose processor writes pictures into its prompt. Log-likelihoods are by teacher
forcing: picture and question are run once, and every option continues from the kept keys and values. Options follow after commas:
`lmm:ID_OR_FOLDER,tokens=1024`.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
from PIL import Image

from eyechart.arrays import Doubles
from eyechart.errors import MissingExtra, ModelError, UsageError
from eyechart.files.hashing import HashMemory
from eyechart.models.answering import LONGEST_REPLY, Reply
from eyechart.models.card import ModelCard, derive_card
from eyechart.models.hf_weights import load_network
from eyechart.models.hub_folder import HubFolder, find_folder
from eyechart.models.reasoning import is_reasoning_mark
from eyechart.models.spec_options import parse_options, split_options
from eyechart.models.torch_device import TorchDevice, running
from eyechart.models.weights import LOADING_ERRORS, fingerprint, hash_files

ASKING_VERSION = 1  # increases whenever the same files would give other replies or likelihoods
_ALSO = ("chat_template.jinja", "chat_template.json", "generation_config.json")  # replies depend on these files too


class MultimodalModel:
    """A model with a processor. It answers greedily, and gives log-likelihoods of given answers.

    Args:
        folder: Its files.
        hashes: Hashes of files that are known.
        device: Where it runs.
        tokens: The longest reply.
    """

    at_once = 1

    def __init__(self, folder: HubFolder, hashes: HashMemory, device: TorchDevice, tokens: int = LONGEST_REPLY) -> None:
        self.spec = f"lmm:{folder.hub_id}"
        self.opened_as = self.spec if tokens == LONGEST_REPLY else f"{self.spec},tokens={tokens}"
        self.folder, self.device, self.tokens = folder, device, tokens
        self.card: ModelCard = derive_card("lmm", folder.hub_id, {**folder.config, "architecture": folder.config["model_type"]})
        also = tuple(folder.path / name for name in _ALSO if (folder.path / name).is_file())
        self.fingerprint = fingerprint(
            {
                "asking": f"lmm/{ASKING_VERSION}",
                "weights": hash_files(folder.weights, hashes),
                "settings": hash_files((*folder.settings, *also), hashes),
                "processor": [version("transformers").split(".")[:2], find_spec("torchvision") is not None],
                "precision": device.precision,
            }
        )
        self._lock = threading.Lock()

    @property
    def answer_decoding(self) -> str:
        return f"greedy, at most {self.tokens} tokens"

    @cached_property
    def network(self) -> Any:
        from transformers import AutoModelForImageTextToText

        return self.device.install(load_network(AutoModelForImageTextToText, self.folder), cast=True)

    @cached_property
    def processor(self) -> Any:
        from transformers import AutoProcessor

        try:
            return AutoProcessor.from_pretrained(self.folder.path, local_files_only=True, trust_remote_code=False)
        except ImportError as error:  # the processor of SmolVLM needs num2words, others need other small packages
            reason = " ".join(str(error).split())
            raise ModelError(f"{self.spec}: its processor needs a package that is not installed: {reason}") from error
        except LOADING_ERRORS as error:
            reason = str(error).strip().splitlines()[0]
            remedy = "give a folder with tokenizer and image processor"
            raise ModelError(f"{self.spec}: its processor cannot be loaded ({reason}); {remedy}") from error

    def answer(self, picture: Image.Image, question: str) -> Reply:
        with self._lock, running(self.spec):
            given = self._inputs(picture, question)
            length = given["input_ids"].shape[1]
            written = self.network.generate(**given, max_new_tokens=self.tokens, do_sample=False)[0, length:]
            ended = self._ends(written)
            text = self._decode(written)
        return Reply(text, "text" if text else "empty", not ended, int(length), len(written))

    def log_likelihoods(self, picture: Image.Image, question: str, options: Sequence[str]) -> Doubles:
        """Σ log p(token | picture, question, earlier tokens) of every option, and its number of tokens.

        The tokens of an option are those of the option alone, as they would continue the prompt; the end of the reply is not
        scored, so that an option that begins another one is not punished for it.
        """
        import torch

        rows = [self._option_tokens(option) for option in options]
        found = np.zeros((len(rows), 2))
        with self._lock, running(self.spec):
            given = self._inputs(picture, question)
            prefix = self.network(**given, use_cache=True)
            first = torch.log_softmax(prefix.logits[0, -1].double(), dim=-1)
            for place, row in enumerate(rows):
                total = float(first[row[0]])
                if len(row) > 1:
                    total += self._continued(copy.deepcopy(prefix.past_key_values), row)
                found[place] = total, len(row)
        return found

    def _continued(self, kept: Any, row: Sequence[int]) -> float:
        """Log-likelihood of the second token and of all after it, from the keys and values of the prompt."""
        import torch

        tokens = torch.tensor([row[:-1]], device=self.device.name)
        # One row has no padding, so no mask is needed. Qwen-VL would take the positions of the new tokens from it, those of the
        # prompt included.
        run = self.network(input_ids=tokens, past_key_values=kept, use_cache=True)
        scores = torch.log_softmax(run.logits[0].double(), dim=-1)
        wanted = torch.tensor(row[1:], device=self.device.name)
        return float(scores.gather(1, wanted[:, None]).sum())

    def _inputs(self, picture: Image.Image, question: str) -> Any:
        """The prompt in the model's own chat template, with the picture, on the device."""
        content = [{"type": "image"}, {"type": "text", "text": question}]
        if getattr(self.processor, "chat_template", None):
            prompt = self.processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
        else:
            raise ModelError(f"{self.spec}: its processor has no chat template; add chat_template.jinja to the folder")
        given = self.processor(images=[picture], text=[prompt], return_tensors="pt")
        return given.to(self.device.name, dtype=self.network.dtype)

    def _option_tokens(self, option: str) -> list[int]:
        tokens: list[int] = self.processor.tokenizer(option, add_special_tokens=False)["input_ids"]
        if not tokens:
            raise ModelError(f"{self.spec}: its tokenizer gives no token for {option!r}; give the class another name")
        return tokens

    def _decode(self, written: Any) -> str:
        """The words of a reply without special tokens, but with the marks of reasoning, which are special to some tokenizers."""
        tokenizer = self.processor.tokenizer
        special = {number for number, token in tokenizer.added_tokens_decoder.items() if token.special}
        special -= {n for n in special if is_reasoning_mark(tokenizer.added_tokens_decoder[n].content)}
        kept = [token for token in written.tolist() if token not in special]
        return str(tokenizer.decode(kept, skip_special_tokens=False)).strip()

    def _ends(self, written: Any) -> bool:
        ends = self.network.generation_config.eos_token_id
        return len(written) < self.tokens or int(written[-1]) in (ends if isinstance(ends, list) else [ends])


def open(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> MultimodalModel:
    name, texts = split_options(name)
    spec = f"lmm:{name}"
    tokens = parse_options(texts, {"tokens": int}, spec).get("tokens", LONGEST_REPLY)
    if tokens < 1:
        raise UsageError(f"{spec}: tokens must be at least 1")
    if find_spec("transformers") is None or find_spec("torch") is None:
        raise MissingExtra(spec, "hf")
    folder = find_folder(name, spec, "hf", ("*.jinja",))
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as KNOWN

    kind = folder.config.get("model_type")
    if kind not in KNOWN:
        raise ModelError(
            f"{spec}: model_type is {kind!r}, which transformers does not run as image-text-to-text; try hf: or chat:"
        )
    return MultimodalModel(folder, hashes, TorchDevice(device, precision, threads), tokens)
