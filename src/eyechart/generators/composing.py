"""The embedded world as a generator: its order bias and the objects in its pictures are known."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.generators.generator import Prompt
from eyechart.world.prompted import drawn_for
from eyechart.world.scene import Scene
from eyechart.world.scene_pictures import encode_picture
from eyechart.world.subjects import Staged
from eyechart.world.truth import objects_of, owners


@dataclass(frozen=True)
class ComposingGenerator:
    habit: str
    side: int = 224

    @property
    def name(self) -> str:
        return f"world:{self.habit}"

    def draw(self, prompt: Prompt, seed: int) -> bytes:
        return encode_picture(Staged(self._scene(prompt, seed)).render(self.side).picture)

    def drawn(self, prompt: Prompt, seed: int) -> list[dict[str, Any]]:
        scene = self._scene(prompt, seed)
        seen = objects_of(scene, owners(scene, self.side))
        return [{"name": thing["name"], "area": thing["area"], "box": thing["box"]} for thing in seen if thing["box"]]

    def _scene(self, prompt: Prompt, seed: int) -> Scene:
        # Every prompt has its own random numbers.
        letters = np.frombuffer(prompt.text.encode(), np.uint8)
        return drawn_for(prompt.objects, self.habit, np.random.default_rng([seed, *map(int, letters)]))
