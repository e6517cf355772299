"""Open a generator by its name: `diffusers:MODEL`, or `world:HABIT` for the embedded world."""

from eyechart.errors import UsageError
from eyechart.generators.generator import Generator
from eyechart.world.prompted import HABITS


def open_generator(
    spec: str, *, device: str = "cpu", steps: int | None = None, guidance: float | None = None, side: int = 224
) -> Generator:
    """Open a generator. `side` is for pictures of the world; `device`, `steps` and `guidance` are for a pipeline."""
    kind, _, rest = spec.partition(":")
    if kind == "diffusers" and rest:
        from eyechart.generators.diffusion import DiffusionGenerator

        return DiffusionGenerator(rest, device, steps, guidance)
    if kind == "world" and rest in HABITS:
        from eyechart.generators.composing import ComposingGenerator

        return ComposingGenerator(rest, side)
    habits = " or ".join(f"world:{habit}" for habit in HABITS)
    raise UsageError(f"there is no generator called {spec!r}; write diffusers:MODEL, or {habits}")
