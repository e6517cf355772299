"""The error for a network that fails while it runs: the model, its input shapes, the reason and what to try."""

from collections.abc import Mapping

from eyechart.errors import ModelError

_OUT_OF_MEMORY = ("out of memory", "allocate memory", "failed to allocate", "bad_alloc", "bad allocation")


def stopped(model: str, fed: Mapping[str, tuple[int, ...]], error: BaseException, remedy: str) -> ModelError:
    """The error for a failed run. `fed` are the input shapes by name.

    Runtimes have no specific error for a wrong size, so their message is passed on; only a lack of memory has a known remedy."""
    message = str(error).strip()
    reason = message.splitlines()[0] if message else type(error).__name__
    shapes = ", ".join(f"{name} {list(shape)}" for name, shape in fed.items())
    if isinstance(error, MemoryError) or any(word in message.lower() for word in _OUT_OF_MEMORY):
        return ModelError(f"{model}: not enough memory to run {shapes} ({reason}); lower --batch-size")
    return ModelError(f"{model}: the network cannot run on {shapes} ({reason}); {remedy}")
