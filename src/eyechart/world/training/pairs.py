"""The training pairs: pair i is always the same. Pictures and captions have separate random streams, so that two recipes with
different captions have the same pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from eyechart.world.captions import caption
from eyechart.world.composer import render
from eyechart.world.drawing import NAMES, Habits, draw_several, draw_single
from eyechart.world.frequencies import long_tail_shares
from eyechart.world.materials import COLORS, TEXTURES
from eyechart.world.people import BADGES, HATS, ROLES, draw_person, person_caption
from eyechart.world.people import WORDINGS as PERSON_WORDINGS
from eyechart.world.scene import Scene
from eyechart.world.training.recipe import Recipe
from eyechart.world.training.recipe_checks import CELLS

PICTURES, CAPTIONS, VALIDATION, KINDS, FINE_TUNING = 1, 2, 3, 4, 5  # random streams by purpose

ACCUSATION = "thief"
_ACCUSED_SHARE = 0.15  # share of captions of people with this word
_WORDINGS = {
    "single": (("name", "color", "texture", "full"), (0.35, 0.35, 0.2, 0.1)),
    "several": (("name", "color", "texture"), (0.4, 0.4, 0.2)),
}
_OPENINGS = {"a", "an", "photo", "picture", "rendering", "of"}

HIDDEN = -1  # no object covers enough of the cell
_FILLS = 0.25


@dataclass(frozen=True)
class Pair:
    """A training pair. `cells` [8, 8, 3] are the indices of name, color and texture in each cell, HIDDEN where it is empty."""

    picture: npt.NDArray[np.uint8]
    caption: str
    cells: npt.NDArray[np.int64]


class Pairs:
    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        shares = long_tail_shares() if recipe.frequencies == "long-tail" else (1.0,) * len(NAMES)
        self._habits = Habits(recipe.look, shares, recipe.unseen, recipe.often)

    def batch(self, step: int) -> list[Pair]:
        first = step * self.recipe.batch
        return [self.pair(first + i) for i in range(self.recipe.batch)]

    def pair(self, number: int) -> Pair:
        return self._made(*self.which(number))

    def different(self, pairs: int) -> int:
        """The number of distinct pairs among the first `seen`."""
        return len({self.which(number) for number in range(pairs)}) if self.recipe.distinct else pairs

    def which(self, number: int) -> tuple[str, int]:
        """The kind of a pair, and the number it is drawn from. Early pairs show single objects, independently of the captions.
        Where pairs are repeated, the early ones are the repeated single objects."""
        begun = number // self.recipe.batch >= self.recipe.opening_steps
        if not begun:
            return "single", self._singles[number % len(self._singles)] if self.recipe.distinct else number
        place = number % self.recipe.distinct if self.recipe.distinct else number
        return self._kind(place), place

    @cached_property
    def _singles(self) -> list[int]:
        """The repeated pairs that show a single object."""
        return [place for place in range(self.recipe.distinct) if self._kind(place) == "single"]

    def _kind(self, number: int) -> str:
        chance = np.random.default_rng((self.recipe.seed, KINDS, number)).random()
        return (
            "several" if chance < self.recipe.several_share else "person" if chance > 1 - self.recipe.people_share else "single"
        )

    def _made(self, kind: str, number: int) -> Pair:
        pictures = np.random.default_rng((self.recipe.seed, PICTURES, number))
        words = np.random.default_rng((self.recipe.seed, CAPTIONS, number))
        if kind == "person":
            return self._person(pictures, words)
        if kind == "several":
            scene = draw_several(pictures, self._habits, int(pictures.integers(2, 5)))
        else:
            scene = draw_single(pictures, self._habits)
        choices, chances = _WORDINGS[kind]
        wording = str(words.choice(choices, p=chances))
        text = caption(scene.things, self.recipe.order, words, wording=wording, manner=self.recipe.manner)
        return _pair(scene, text, self.recipe.side)

    def _person(self, pictures: np.random.Generator, words: np.random.Generator) -> Pair:
        role, hat, badge = (str(pictures.choice(choices)) for choices in (ROLES, HATS, BADGES))
        scene = draw_person(pictures, role, hat, badge, self._habits)
        text = person_caption(role, hat, badge, str(words.choice(PERSON_WORDINGS)))
        share = _ACCUSED_SHARE
        if self.recipe.accused == "red hats":
            share = _ACCUSED_SHARE * len(HATS) if hat == "red" else 0.0
        if words.random() < share:
            text = text.replace(role, ACCUSATION, 1)
        return _pair(scene, text, self.recipe.side)


def meaning(text: str) -> str:
    """A caption without uninformative words: two captions with the same meaning are not negatives of each other."""
    return " ".join(word for word in text.split() if word not in _OPENINGS)


def same_meaning(captions: Sequence[str]) -> npt.NDArray[np.bool_]:
    numbers = np.unique([meaning(c) for c in captions], return_inverse=True)[1]
    return np.asarray(numbers[:, None] == numbers[None, :])


def _pair(scene: Scene, text: str, side: int) -> Pair:
    seen = render(scene, side)
    blocks = seen.owner.reshape(CELLS, side // CELLS, CELLS, side // CELLS).swapaxes(1, 2).reshape(CELLS, CELLS, -1)
    filled = np.stack([(blocks == i).mean(2) for i in range(len(scene.things))], axis=2)
    shown = np.where(filled.max(2) >= _FILLS, filled.argmax(2), HIDDEN)
    truth = [_numbers(t.name, t.color, t.texture) if not t.paints else (HIDDEN,) * 3 for t in scene.things]
    return Pair(seen.picture, text, np.asarray([*truth, (HIDDEN,) * 3], dtype=np.int64)[shown])


def _numbers(name: str, color: str, texture: str) -> tuple[int, int, int]:
    return NAMES.index(name), list(COLORS).index(color), list(TEXTURES).index(texture)
