"""Shared parts of the torch-based sources: finding packages, choosing device and precision, moving arrays in and out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from eyechart.arrays import Floats
from eyechart.errors import MissingExtra, UsageError
from eyechart.models.choices import check_choices
from eyechart.models.encoder import Tokens
from eyechart.models.running import stopped


def require(package: str, thing: str, extra: str) -> Any:
    """The imported package; MissingExtra where it or torch is not installed."""
    if find_spec(package) is None or find_spec("torch") is None:
        raise MissingExtra(thing, extra)
    return import_module(package)


@dataclass(frozen=True)
class TorchDevice:
    """Where a network runs and in which precision. Vectors are always returned as float32.

    requested: cpu, cuda, mps or auto.
    precision: The precision of matrix products. Weights and what is summed up stay in float32 (autocast).
    threads: CPU threads of the network; None leaves the choice to torch.
    channels_last: Whether the channels of a pixel are neighbors in memory; None for a CUDA device alone, where convolutions are
        faster so.
    """

    requested: str
    precision: str
    threads: int | None
    channels_last: bool | None = None

    def __post_init__(self) -> None:
        check_choices(self.requested, self.precision)

    @cached_property
    def name(self) -> str:
        """`auto` takes a CUDA device, else Apple's MPS, else the CPU. A chosen device that is missing is an error."""
        import torch

        there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
        if self.requested == "auto":
            return next(device for device, is_there in there.items() if is_there)
        if not there[self.requested.partition(":")[0]]:
            raise UsageError(f"torch finds no {self.requested} device on this machine; use 'auto' or 'cpu'")
        return self.requested

    @property
    def numerics(self) -> str:
        """What vectors depend on, for fingerprints."""
        return self.precision if self.precision == "float32" else f"{self.precision} autocast"

    def install(self, network: Any, *, cast: bool = False) -> Any:
        """The network for inference: evaluation mode, no gradients, on its device. With `cast` its weights are converted to the
        precision, which takes half the memory; without, the precision is that of products under `running`."""
        import torch

        if self.threads:
            torch.set_num_threads(self.threads)
        dtype = getattr(torch, self.precision) if cast else torch.float32
        return self.arranged(network.eval().requires_grad_(False).to(device=self.name, dtype=dtype))

    def pictures(self, prepared: Floats) -> Any:
        import torch

        return self.arranged(torch.from_numpy(np.ascontiguousarray(prepared)).to(device=self.name))

    def arranged(self, thing: Any) -> Any:
        """A network, or pictures [n, channels, height, width], in the memory format of the device."""
        import torch

        wanted = self.name.startswith("cuda") if self.channels_last is None else self.channels_last
        fits = isinstance(thing, torch.nn.Module) or thing.ndim == 4
        return thing.to(memory_format=torch.channels_last) if wanted and fits else thing

    @contextmanager
    def products(self) -> Iterator[None]:
        """Matrix products in the chosen precision, without gradients."""
        import torch

        half = self.precision != "float32"
        with torch.inference_mode(), torch.autocast(self.name.partition(":")[0], getattr(torch, self.precision), enabled=half):
            yield

    def tokens(self, rows: Tokens) -> Any:
        import torch

        return torch.from_numpy(np.ascontiguousarray(rows)).to(self.name)


@contextmanager
def running(
    spec: str, pictures: Floats | None = None, ids: Sequence[Tokens] = (), *, device: TorchDevice | None = None
) -> Iterator[None]:
    """Inference on pictures or token rows, in the precision of `device`. The libraries raise many kinds of error for an input
    that does not fit."""
    import torch

    try:
        with torch.inference_mode() if device is None else device.products():
            yield
    except (RuntimeError, ValueError, IndexError, AssertionError) as error:
        if pictures is not None:
            raise stopped(spec, {"pictures": pictures.shape}, error, "the weights belong to another picture size") from error
        longest = max((len(row) for row in ids), default=0)
        raise stopped(spec, {"tokens": (len(ids), longest)}, error, "its tokenizer does not fit its weights") from error


def to_floats(tensor: Any) -> Floats:
    return np.asarray(tensor.float().cpu().numpy(), dtype=np.float32)
