"""Pictures through torch networks: the path of a GPU, on a CPU. Pinned memory and streams need a GPU and are not tested."""

from pathlib import Path

import numpy as np
import pytest
import timm
import torch
from safetensors.torch import save_file

from eyechart.encode.batches import Passes, computed_batches
from eyechart.encode.preparation import Prepared
from eyechart.errors import ModelError
from eyechart.files.hashing import HashMemory
from eyechart.models.timm import TimmModel
from eyechart.models.timm import open as open_timm
from eyechart.models.torch_device import TorchDevice
from eyechart.models.torch_pictures import PicturePasses

SHAPE = (3, 160, 160)
CPU = TorchDevice("cpu", "float32", None)


class Counting:
    """Gives the first two numbers of each picture, writes down the size of each pass, and has room for `room` pictures."""

    def __init__(self, room: int = 10**9) -> None:
        self.room = room
        self.passes: list[int] = []
        self.failed: list[int] = []

    def __call__(self, pictures: torch.Tensor) -> torch.Tensor:
        if len(pictures) > self.room:
            self.failed.append(len(pictures))
            raise torch.OutOfMemoryError("CUDA out of memory.")
        self.passes.append(len(pictures))
        return pictures.flatten(1)[:, :2].clone()


def numbered(start: int, count: int) -> np.ndarray:
    pictures = np.zeros((count, 3, 4, 4), np.float32)
    pictures[:, 0, 0, 0], pictures[:, 0, 0, 1] = np.arange(start, start + count), 1
    return pictures


def tiny_resnet(folder: Path, hashes: HashMemory, precision: str = "float32") -> TimmModel:
    torch.manual_seed(0)
    network = timm.create_model("test_resnet")
    save_file({k: v.contiguous() for k, v in network.state_dict().items()}, folder / "weights.safetensors")
    return open_timm(f"test_resnet/{folder / 'weights.safetensors'}", hashes, "cpu", precision, None)


def test_a_batch_is_a_pass_on_a_cpu() -> None:
    network = Counting()
    passes = PicturePasses("x", CPU, network)
    collect = [passes.start(numbered(8 * i, 8)) for i in range(3)]
    assert (network.passes, passes.in_flight) == ([8, 8, 8], 0)
    assert np.concatenate([c() for c in collect])[:, 0].tolist() == list(range(24))


def test_batches_are_joined_in_passes_that_grow() -> None:
    network = Counting()
    passes = PicturePasses("x", CPU, network, start=16, most=64)
    collect = [passes.start(numbered(8 * i, 8)) for i in range(20)]
    assert network.passes == [16, 32, 64]  # 112 of 160 pictures: the rest waits
    vectors = np.concatenate([c() for c in collect])
    assert network.passes == [16, 32, 64, 48]
    assert vectors[:, 0].tolist() == list(range(160))


def test_a_pass_that_does_not_fit_is_halved_and_never_tried_again() -> None:
    network = Counting(room=40)
    passes = PicturePasses("x", CPU, network, start=16, most=512)
    collect = [passes.start(numbered(8 * i, 8)) for i in range(30)]
    vectors = np.concatenate([c() for c in collect])
    assert vectors[:, 0].tolist() == list(range(240))
    assert network.failed == [64]
    assert network.passes[:2] == [16, 32]
    assert max(network.passes) == 32
    assert sum(network.passes) == 240  # no picture was computed twice


def test_a_picture_that_does_not_fit_alone_is_an_error() -> None:
    passes = PicturePasses("hf:x", CPU, Counting(room=0), start=4)
    with pytest.raises(ModelError, match=r"hf:x: not enough memory.*pictures \[8, 3, 4, 4\]"):
        passes.start(numbered(0, 8))


def test_the_array_of_a_batch_can_be_used_again_at_once() -> None:
    passes = PicturePasses("x", CPU, Counting(), start=64)
    array = numbered(5, 2)
    collect = passes.start(array)
    array[:] = 0
    assert collect()[:, 0].tolist() == [5, 6]


class Encoder:
    """A model that joins batches."""

    spec = "x"

    def __init__(self, passes: PicturePasses) -> None:
        self.passes, self.start_images = passes, passes.start

    @property
    def in_flight(self) -> int:
        return self.passes.in_flight

    def encode_images(self, prepared: np.ndarray) -> np.ndarray:
        return self.start_images(prepared)()


@pytest.mark.parametrize("start", [None, 16])
def test_double_buffering_keeps_order_and_count(start: int | None) -> None:
    network = Counting(room=20)
    encoder = Encoder(PicturePasses("x", CPU, network, start=start))
    if start is None:
        network.room = 10**9
    sizes = [8, 8, 3, 0, 8, 8, 8, 1]
    starts = np.cumsum([0, *sizes])
    batches = [
        Prepared([b"%d" % (at + i) for i in range(n)], numbered(int(at), n) if n else None, {}, {})
        for at, n in zip(starts, sizes, strict=False)
    ]
    found = list(computed_batches(Passes(encoder, None), batches))
    assert [prepared is batch for (prepared, _), batch in zip(found, batches, strict=True)] == [True] * 8
    assert [len(computed.keys) for _, computed in found] == sizes
    assert sum(computed.encoded for _, computed in found) == sum(network.passes) == 44
    for _, computed in found:
        assert [int(key) for key in computed.keys] == computed.vectors[:, 0].tolist() if computed.keys else True


def test_channels_last_gives_the_same_vectors(tmp_path: Path, hashes: HashMemory) -> None:
    model = tiny_resnet(tmp_path, hashes)
    pictures = np.random.default_rng(0).normal(size=(3, *SHAPE)).astype(np.float32)
    network = model.network  # loaded outside of inference, so that it can be arranged anew
    plain = model.encode_images(pictures)
    device = TorchDevice("cpu", "float32", None, channels_last=True)
    device.install(network)
    tensor = device.pictures(pictures)
    assert tensor.is_contiguous(memory_format=torch.channels_last)
    assert any(
        p.is_contiguous(memory_format=torch.channels_last) and not p.is_contiguous() for p in network.parameters() if p.ndim == 4
    )
    other = PicturePasses("x", device, model._pooled).start(pictures)()
    assert np.abs(other - plain).max() < 1e-5 * np.abs(plain).max()


def test_products_are_in_half_precision_and_weights_are_not(tmp_path: Path, hashes: HashMemory) -> None:
    full, half = tiny_resnet(tmp_path, hashes), tiny_resnet(tmp_path, hashes, "bfloat16")
    pictures = np.random.default_rng(0).normal(size=(3, *SHAPE)).astype(np.float32)
    seen = []
    convolution = next(m for m in half.network.modules() if isinstance(m, torch.nn.Conv2d))
    convolution.register_forward_hook(lambda module, given, out: seen.append(out.dtype))
    a, b = full.encode_images(pictures), half.encode_images(pictures)
    assert seen == [torch.bfloat16]
    assert {p.dtype for p in half.network.parameters()} == {torch.float32}
    cosines = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert cosines.min() > 0.999
    assert np.abs(a - b).max() > 0
    assert full.fingerprint != half.fingerprint
