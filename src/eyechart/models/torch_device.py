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
    """Where a network runs and in which precision. Vectors are always returned as float32."""

    requested: str
    precision: str
    threads: int | None

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

    def install(self, network: Any) -> Any:
        """The network for inference: evaluation mode, no gradients, on its device."""
        import torch

        if self.threads:
            torch.set_num_threads(self.threads)
        return network.eval().requires_grad_(False).to(device=self.name, dtype=getattr(torch, self.precision))

    def pictures(self, prepared: Floats) -> Any:
        import torch

        return torch.from_numpy(np.ascontiguousarray(prepared)).to(device=self.name, dtype=getattr(torch, self.precision))

    def tokens(self, rows: Tokens) -> Any:
        import torch

        return torch.from_numpy(np.ascontiguousarray(rows)).to(self.name)


@contextmanager
def running(spec: str, pictures: Floats | None = None, ids: Sequence[Tokens] = ()) -> Iterator[None]:
    """Inference on pictures or token rows. The libraries raise many kinds of error for an input that does not fit."""
    import torch

    try:
        with torch.inference_mode():
            yield
    except (RuntimeError, ValueError, IndexError, AssertionError) as error:
        if pictures is not None:
            raise stopped(spec, {"pictures": pictures.shape}, error, "the weights belong to another picture size") from error
        longest = max((len(row) for row in ids), default=0)
        raise stopped(spec, {"tokens": (len(ids), longest)}, error, "its tokenizer does not fit its weights") from error


def to_floats(tensor: Any) -> Floats:
    return np.asarray(tensor.float().cpu().numpy(), dtype=np.float32)
