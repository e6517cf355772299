"""Pictures through a torch network: several batches in one pass on a GPU, copied while the pass before is computed.

The number of pictures in a pass is found by itself. It grows while the memory of the device allows it, and is halved where it
does not. On a CPU every batch is a pass, and nothing is copied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.arrays import Floats
from eyechart.models.torch_device import TorchDevice, running, to_floats

if TYPE_CHECKING:
    from torch import Tensor

START, MOST = 64, 512  # pictures in a pass on a GPU: at the beginning, and at most

Collect = Callable[[], Floats]  # waits for the vectors of a batch


class PicturePasses:
    """Runs batches of pictures through a network.

    Args:
        spec: The model, for messages.
        device: Where it runs.
        run: Pictures on the device → vectors [n, d].
        start: Pictures in the first pass; None to make each batch a pass on a CPU, and for `START` elsewhere.
        most: Pictures in a pass, at most.
    """

    def __init__(
        self, spec: str, device: TorchDevice, run: Callable[[Any], Any], *, start: int | None = None, most: int = MOST
    ) -> None:
        self._spec, self._device, self._run = spec, device, run
        self._joins = start is not None or device.name != "cpu"
        self.size, self._most = start or START, most
        self._waiting: list[_Batch] = []
        self._upload = _PinnedUpload(device) if device.name.startswith("cuda") else _PlainUpload(device, copy=self._joins)

    @property
    def in_flight(self) -> int:
        """How many pictures should be started before the first ones are collected: those of two passes."""
        return 2 * self.size if self._joins else 0

    def start(self, prepared: Floats) -> Collect:
        """Start a batch. Its array can be used again when this returns."""
        with running(self._spec, prepared, device=self._device):
            batch = _Batch(self._upload(prepared), prepared.shape)
            self._waiting.append(batch)
            if not self._joins or sum(len(b) for b in self._waiting) >= self.size:
                self._pass()
        return lambda: self._collect(batch)

    def _collect(self, batch: _Batch) -> Floats:
        with running(self._spec, np.empty(batch.shape[:1], np.float32), device=self._device):
            if batch.vectors is None:
                self._pass()
            assert batch.vectors is not None
            return batch.vectors()

    def _pass(self) -> None:
        """All batches that wait, as one pass or, where that needs too much memory, as several."""
        import torch

        batches, self._waiting = self._waiting, []
        pictures = batches[0].pictures if len(batches) == 1 else torch.cat([batch.pictures for batch in batches])
        found = self._fitting(pictures) if self._joins else self._run(pictures)
        ends = np.cumsum([len(batch) for batch in batches]).tolist()
        for batch, end in zip(batches, ends, strict=True):
            batch.vectors = _download(found[end - len(batch) : end])
            batch.pictures = None

    def _fitting(self, pictures: Tensor) -> Tensor:
        import torch

        parts, done = [], 0
        while done < len(pictures):
            part = pictures[done : done + self.size]
            try:
                parts.append(self._run(part))
            except torch.OutOfMemoryError:
                if len(part) == 1:
                    raise
                # Never again so many: what failed once would fail again, at the cost of a pass.
                self.size = self._most = max(1, len(part) // 2)
            else:
                done += len(part)
                if len(part) == self.size:
                    self.size = min(2 * self.size, self._most)
                continue
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
        return parts[0] if len(parts) == 1 else torch.cat(parts)


class _Batch:
    def __init__(self, pictures: Tensor, shape: tuple[int, ...]) -> None:
        self.pictures: Any = pictures
        self.shape = shape
        self.vectors: Collect | None = None

    def __len__(self) -> int:
        return self.shape[0]


class _PlainUpload:
    """A batch on its device, when this returns."""

    def __init__(self, device: TorchDevice, *, copy: bool) -> None:
        self._device, self._copy = device, copy

    def __call__(self, prepared: Floats) -> Tensor:
        return self._device.pictures(prepared.copy() if self._copy else prepared)


class _PinnedUpload:
    """A batch on its way to a GPU. It is copied to one of two pinned arrays, and from there by a stream of its own, while the
    network computes what came before."""

    def __init__(self, device: TorchDevice) -> None:
        import torch

        self._device, self._stream = device, torch.cuda.Stream(device.name)
        self._pinned: list[tuple[Any, Any]] = []  # array, and the event after its last copy
        self._turn = 0

    def __call__(self, prepared: Floats) -> Tensor:
        import torch

        pinned = self._free(prepared.shape)
        pinned.copy_(torch.from_numpy(np.ascontiguousarray(prepared)))
        with torch.cuda.stream(self._stream):
            pictures = self._device.arranged(pinned.to(self._device.name, non_blocking=True))
            copied = torch.cuda.Event()
            copied.record(self._stream)
        computing = torch.cuda.current_stream(self._device.name)
        computing.wait_event(copied)
        pictures.record_stream(computing)
        self._pinned[self._turn] = pinned, copied
        self._turn = 1 - self._turn
        return pictures

    def _free(self, shape: tuple[int, ...]) -> Tensor:
        """The pinned array that was used before the last one, when its copy is done."""
        import torch

        while len(self._pinned) < 2:
            self._pinned.append((torch.empty(shape, pin_memory=True), None))
        pinned, copied = self._pinned[self._turn]
        if copied is not None:
            copied.synchronize()
        if pinned.shape[1:] != shape[1:] or len(pinned) < shape[0]:
            pinned = torch.empty(shape, pin_memory=True)
            self._pinned[self._turn] = pinned, None
        return pinned[: shape[0]]


def _download(vectors: Tensor) -> Collect:
    """Vectors on their way back from a GPU; a CPU has them already."""
    if vectors.device.type != "cuda":
        return lambda: to_floats(vectors)
    import torch

    pinned = torch.empty(vectors.shape, dtype=torch.float32, pin_memory=True)
    pinned.copy_(vectors.float(), non_blocking=True)
    copied = torch.cuda.Event()
    copied.record(torch.cuda.current_stream(vectors.device))

    def collect() -> Floats:
        copied.synchronize()
        return np.array(pinned.numpy())

    return collect
