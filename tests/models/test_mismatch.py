"""Which architecture a checkpoint belongs to, told from shapes and from torch's own message."""

import pytest

from eyechart.errors import ModelError
from eyechart.models.mismatch import find_mismatch, likely_architectures
from eyechart.models.weights import refusal

# As torch 2.x words it.
MESSAGE = (
    "Error(s) in loading state_dict for CLIP:\n"
    '\tMissing key(s) in state_dict: "visual.transformer.resblocks.12.ln_1.weight", "visual.ln_post.bias". \n'
    '\tUnexpected key(s) in state_dict: "extra.weight". \n'
    "\tsize mismatch for visual.conv1.weight: copying a param with shape torch.Size([768, 3, 32, 32]) from checkpoint, "
    "the shape in current model is torch.Size([1024, 3, 14, 14]).\n"
    "\tsize mismatch for visual.proj: copying a param with shape torch.Size([768, 512]) from checkpoint, "
    "the shape in current model is torch.Size([1024, 768]).\n"
)
CONFIGS = {
    "ViT-B-32-quickgelu": {"embed_dim": 512, "vision_cfg": {"width": 768, "patch_size": 32}},
    "ViT-B-32": {"embed_dim": 512, "vision_cfg": {"width": 768, "patch_size": 32}},
    "ViT-B-16": {"embed_dim": 512, "vision_cfg": {"width": 768, "patch_size": 16}},
    "ViT-L-14": {"embed_dim": 768, "vision_cfg": {"width": 1024, "patch_size": 14}},
    "ViT-B-32-wide": {"embed_dim": 640, "vision_cfg": {"width": 768, "patch_size": 32}},
    "EVA": {"embed_dim": 512, "vision_cfg": {"timm_model_name": "eva", "width": 768, "patch_size": 32}},
    "RN50": {"embed_dim": 1024, "vision_cfg": {"layers": [3, 4, 6, 3], "width": 64}},
}


def test_torch_s_message_is_read():
    found = find_mismatch(MESSAGE)
    assert found.shapes["visual.proj"] == ((768, 512), (1024, 768))
    assert found.missing == ("visual.transformer.resblocks.12.ln_1.weight", "visual.ln_post.bias")
    assert found.unexpected == ("extra.weight",)
    assert found.sentence() == (
        "visual.conv1.weight is [768, 3, 32, 32] in the file and [1024, 3, 14, 14] in the network (1 more differ), and the file "
        "lacks visual.transformer.resblocks.12.ln_1.weight and 1 more tensors, and the network lacks extra.weight"
    )


def test_another_message_is_none():
    assert find_mismatch("PytorchStreamReader failed reading zip archive") is None


@pytest.mark.parametrize(
    ("shapes", "likely"),
    [
        ({"visual.conv1.weight": (768, 3, 32, 32), "visual.proj": (768, 512)}, ["ViT-B-32", "ViT-B-32-quickgelu"]),
        ({"visual.conv1.weight": (768, 3, 32, 32)}, ["ViT-B-32", "ViT-B-32-wide", "ViT-B-32-quickgelu"]),
        ({"visual.conv1.weight": (1024, 3, 14, 14)}, ["ViT-L-14"]),
        ({"visual.conv1.weight": (9, 3, 14, 14)}, []),
        ({"visual.conv1.weight": (9,)}, []),
        ({}, []),
    ],
)
def test_shapes_tell_the_architecture(shapes, likely):
    assert likely_architectures(shapes, CONFIGS) == likely


def test_a_refusal_names_the_difference_and_the_next_step(tmp_path):
    error = refusal(tmp_path / "w.pt", RuntimeError(MESSAGE), "; write open_clip:ViT-B-32/w.pt")
    assert isinstance(error, ModelError)
    assert "w.pt: the weights are of another architecture: visual.conv1.weight is [768, 3, 32, 32] in the file" in str(error)
    assert str(error).endswith("; write open_clip:ViT-B-32/w.pt")
    assert str(refusal(tmp_path / "w.pt", RuntimeError("truncated"))).endswith("do not fit or cannot be read (truncated)")
