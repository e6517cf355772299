"""A network that stops while it runs: what it was, what it was fed, why it stopped, and what to try."""

from collections.abc import Mapping

from eyechart.errors import ModelError

_OUT_OF_MEMORY = ("out of memory", "allocate memory", "failed to allocate", "bad_alloc", "bad allocation")


def stopped(model: str, fed: Mapping[str, tuple[int, ...]], error: BaseException, remedy: str) -> ModelError:
    """`fed` are the shapes that went in, by name. Runtimes have no error of their own for a wrong size, so that their words
    are passed on; only for want of memory is the remedy known."""
    said = str(error).strip()
    reason = said.splitlines()[0] if said else type(error).__name__
    shapes = ", ".join(f"{name} {list(shape)}" for name, shape in fed.items())
    if isinstance(error, MemoryError) or any(word in said.lower() for word in _OUT_OF_MEMORY):
        return ModelError(f"{model}: not enough memory to run {shapes} ({reason}); lower --batch-size")
    return ModelError(f"{model}: the network cannot run on {shapes} ({reason}); {remedy}")
