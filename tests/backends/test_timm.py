"""timm models against timm itself: real architectures with random weights, as local checkpoints and in the hub's cache."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import timm
import torch
from PIL import Image
from safetensors.torch import save_file

from eyechart.errors import ModelError, UsageError
from eyechart.files.hashing import HashMemory
from eyechart.models.abilities import abilities
from eyechart.models.timm import TimmModel
from eyechart.models.timm import open as open_model
from eyechart.models.timm_source import preprocessing_of

SMALL = "test_vit.r160_in1k"  # one of timm's own tiny networks, 0.4 M weights


def save(path: Path, architecture: str, **settings: object) -> torch.nn.Module:
    torch.manual_seed(2)
    network = timm.create_model(architecture, **settings).eval()
    save_file({k: v.contiguous() for k, v in network.state_dict().items()}, path)
    return network


def load(name: str, hashes: HashMemory, precision: str = "float32") -> TimmModel:
    return open_model(name, hashes, "cpu", precision, 2)


def test_a_name_of_the_hub(hub: Callable[[str], Path], hashes: HashMemory, pictures: list[Image.Image]) -> None:
    network = save(hub(f"timm/{SMALL}") / "model.safetensors", SMALL)
    model = load(SMALL, hashes)
    transform = timm.data.create_transform(**timm.data.resolve_model_data_config(network), is_training=False)
    prepared = np.stack([model.prepare(picture) for picture in pictures])
    assert np.array_equal(prepared, np.stack([transform(picture).numpy() for picture in pictures]))
    with torch.inference_mode():
        features = network.forward_features(torch.from_numpy(prepared))
        pooled, scores = network.forward_head(features, pre_logits=True), network(torch.from_numpy(prepared))
        tokens = network.norm(torch.from_numpy(model.patches(prepared).reshape(len(pictures), 100, -1)))
    assert np.abs(model.encode_images(prepared) - pooled.numpy()).max() < 1e-5
    assert np.abs(model.class_scores(prepared) - scores.numpy()).max() < 1e-5
    assert np.abs(tokens.numpy() - features[:, network.num_prefix_tokens :].numpy()).max() < 1e-5
    assert abilities(model) == ["images", "patches", "class_scores"]


@pytest.mark.parametrize(
    "name",
    ["vit_tiny_patch16_224", "resnet50.a1_in1k", "vit_base_patch16_siglip_224.webli", "vit_base_patch16_clip_224.openai",
     "hgnetv2_b0.ssld_stage1_in22k_in1k", "vit_so150m2_patch16_reg1_gap_384.sbb_e200_in12k_ft_in1k",
     "tf_efficientnet_b7.ns_jft_in1k"],
)  # fmt: skip
def test_preprocessing_is_timms_own(name: str, pictures: list[Image.Image]) -> None:
    settings = timm.get_pretrained_cfg(name).to_dict()
    transform = timm.data.create_transform(**timm.data.resolve_data_config({}, pretrained_cfg=settings), is_training=False)
    for picture in pictures:
        assert np.array_equal(preprocessing_of(timm, settings)(picture), transform(picture).numpy())


@pytest.mark.parametrize("mode", ["center", "squash", "border"])
def test_sizes_that_are_not_square(mode: str, pictures: list[Image.Image]) -> None:
    settings = timm.get_pretrained_cfg("resnet18").to_dict() | {"input_size": (3, 96, 160), "crop_mode": mode, "crop_pct": 0.9}
    transform = timm.data.create_transform(**timm.data.resolve_data_config({}, pretrained_cfg=settings), is_training=False)
    for picture in pictures:
        assert np.array_equal(preprocessing_of(timm, settings)(picture), transform(picture).numpy())


def test_a_checkpoint_with_classes_of_its_own(tmp_path: Path, hashes: HashMemory, pictures: list[Image.Image]) -> None:
    network = save(tmp_path / "mine.safetensors", "test_resnet", num_classes=7)
    model = load(f"test_resnet/{tmp_path / 'mine.safetensors'}", hashes)
    prepared = np.stack([model.prepare(picture) for picture in pictures])
    with torch.inference_mode():
        expected = network(torch.from_numpy(prepared)).numpy()
    assert expected.shape == (len(pictures), 7)
    assert np.abs(model.class_scores(prepared) - expected).max() < 1e-5


def test_the_head_of_a_caption_model_is_no_classifier(hub: Callable[[str], Path], hashes: HashMemory) -> None:
    (hub("timm/vit_base_patch32_clip_224.laion2b") / "model.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
    assert "class_scores" not in abilities(load("vit_base_patch32_clip_224.laion2b", hashes))


def test_weights_that_do_not_fit_are_named(tmp_path: Path, hashes: HashMemory) -> None:
    save(tmp_path / "other.safetensors", "test_resnet")
    with pytest.raises(ModelError, match=r"other\.safetensors: the weights are of another architecture: the file lacks"):
        load(f"test_vit/{tmp_path / 'other.safetensors'}", hashes).encode_images(np.zeros((1, 3, 160, 160), np.float32))


def test_a_pickle_that_runs_code_is_refused_unrun(tmp_path: Path, hashes: HashMemory, trap: object) -> None:
    torch.save({"state_dict": trap}, tmp_path / "evil.pth")
    with pytest.raises(ModelError, match="more than tensors"):
        load(f"test_vit/{tmp_path / 'evil.pth'}", hashes).encode_images(np.zeros((1, 3, 160, 160), np.float32))


def test_names_that_mean_nothing_are_explained(hashes: HashMemory) -> None:
    with pytest.raises(UsageError, match="did you mean 'vit_tiny_patch16_224'"):
        load("vit_tiny_patch16_24", hashes)
    with pytest.raises(UsageError, match="no weights of that tag"):
        load("vit_tiny_patch16_224.nonsense", hashes)
    with pytest.raises(ModelError, match="not in the hub's cache"):
        load("resnet18.a1_in1k", hashes)
