"""An ONNX Runtime session that is made when first needed."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.errors import ModelError, UsageError
from eyechart.models.running import stopped

_INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_FLOATS = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(double)": np.float64}


class OnnxSession:
    """A session for one file. The `outputs` of model.json are checked when the file is loaded, not when they are first used.

    `remedy` is the advice where the network cannot run."""

    def __init__(
        self,
        file: Path,
        device: str = "cpu",
        threads: int | None = None,
        *,
        outputs: Sequence[str] = (),
        remedy: str = "check model.json",
    ) -> None:
        self.file, self.device, self.threads = file, device, threads
        self._wanted, self._remedy = outputs, remedy

    def check(self, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        """Raise ModelError where the file lacks an input or output that model.json names."""
        for kind, wanted, there in (("input", inputs, list(self._inputs)), ("output", outputs, self._outputs)):
            for name in wanted:
                if name not in there:
                    raise ModelError(f"{self.file}: it has no {kind} {name!r}, as model.json says (it has: {', '.join(there)})")

    def run(self, feeds: Mapping[str, npt.NDArray[Any]], output: str) -> npt.NDArray[np.float32]:
        """One output for inputs of [n, …], as float32. A file with a fixed batch size gets batches of that size, the last one
        padded."""
        self.check(list(feeds), [*self._wanted, output])
        feeds = {name: np.ascontiguousarray(value, dtype=self._kinds[name]) for name, value in feeds.items()}
        n = len(next(iter(feeds.values())))
        fixed = self._inputs[next(iter(feeds))][0]
        if not isinstance(fixed, int) or fixed == n:
            return self._run(feeds, output)
        lots = []
        for start in range(0, n, fixed):
            lot = {name: value[start : start + fixed] for name, value in feeds.items()}
            short = fixed - len(next(iter(lot.values())))
            lot = {
                name: np.concatenate([value, value[-1:].repeat(short, axis=0)]) if short else value for name, value in lot.items()
            }
            lots.append(self._run(lot, output)[: fixed - short])
        return np.concatenate(lots)

    def _run(self, feeds: Mapping[str, npt.NDArray[Any]], output: str) -> npt.NDArray[np.float32]:
        try:
            return np.asarray(self._session.run([output], feeds)[0], dtype=np.float32)
        except Exception as error:  # noqa: BLE001 - the runtime's own error classes have no common parent but Exception
            raise stopped(str(self.file), {name: value.shape for name, value in feeds.items()}, error, self._remedy) from None

    @cached_property
    def _session(self) -> Any:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.log_severity_level = 3
        # Idle threads sleep: spinning threads would take the cores that decode the next pictures.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if self.threads is not None:
            options.intra_op_num_threads = self.threads
        try:
            providers = _providers(self.device, ort.get_available_providers())
            # The fallback would print to standard output and try again on another device without a word to the user.
            return ort.InferenceSession(str(self.file), options, providers=providers, enable_fallback=0)
        except UsageError:
            raise
        except TypeError:  # raised for a path that is not text; there is no other way to pass a path
            raise ModelError(f"{self.file}: ONNX Runtime accepts only UTF-8 paths; rename the file or folder") from None
        except Exception as error:  # noqa: BLE001 - as above
            raise ModelError(f"{self.file}: ONNX Runtime cannot load it ({error}); export or copy the model again") from None

    @cached_property
    def _inputs(self) -> dict[str, list[Any]]:
        return {one.name: list(one.shape) for one in self._session.get_inputs()}

    @cached_property
    def _kinds(self) -> dict[str, Any]:
        known = _INTEGERS | _FLOATS
        return {one.name: known.get(one.type, np.float32) for one in self._session.get_inputs()}

    @cached_property
    def _outputs(self) -> list[str]:
        return [one.name for one in self._session.get_outputs()]


def check_device(device: str) -> None:
    """UsageError where ONNX Runtime cannot run on this device."""
    import onnxruntime as ort

    _providers(device, ort.get_available_providers())


def _providers(device: str, available: Sequence[str]) -> list[Any]:
    kind, _, number = device.partition(":")
    if kind == "auto":
        kind = "cuda" if "CUDAExecutionProvider" in available else "cpu"
    if kind == "cpu":
        return ["CPUExecutionProvider"]
    if kind != "cuda" or (number and not number.isdigit()):
        raise UsageError(f"device {device!r} is not supported for ONNX models; use auto, cpu, cuda or cuda:N")
    if "CUDAExecutionProvider" not in available:
        raise UsageError(f"device {device!r}: this ONNX Runtime has no CUDA; pip install onnxruntime-gpu, or use --device cpu")
    return [("CUDAExecutionProvider", {"device_id": int(number or 0)}), "CPUExecutionProvider"]
