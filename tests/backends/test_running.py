"""What torch networks say when an input does not fit becomes one line that names the model."""

from pathlib import Path

import numpy as np
import pytest
import timm
import torch
from safetensors.torch import save_file

from eyechart.errors import ModelError
from eyechart.files.hashing import HashMemory
from eyechart.models.timm import open as open_timm
from eyechart.models.torch_device import running


def test_pictures_of_a_wrong_size(tmp_path: Path, hashes: HashMemory) -> None:
    network = timm.create_model("test_vit")
    save_file({k: v.contiguous() for k, v in network.state_dict().items()}, tmp_path / "weights.safetensors")
    model = open_timm(f"test_vit/{tmp_path / 'weights.safetensors'}", hashes, "cpu", "float32", 2)
    with pytest.raises(ModelError, match=r"timm:test_vit.*pictures \[2, 3, 99, 99\]"):
        model.encode_images(np.zeros((2, 3, 99, 99), np.float32))


def test_a_token_that_has_no_embedding() -> None:
    with pytest.raises(ModelError, match=r"hf:x: .*tokens \[1, 2\].*tokenizer"), running("hf:x", ids=[np.array([1, 9])]):
        torch.nn.Embedding(3, 4)(torch.tensor([1, 9]))


def test_memory_that_is_not_there() -> None:
    with pytest.raises(ModelError, match=r"not enough memory.*--batch-size"), running("hf:x", np.zeros((2, 3), np.float32)):
        torch.empty(1 << 50)
