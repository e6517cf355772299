"""Questions about pictures of the world and their answers: what a small LLaVA is taught. Question i is always the same."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.world.composer import render
from eyechart.world.drawing import NAMES, Habits, draw_several, draw_single
from eyechart.world.frequencies import FROM_COMMON_TO_RARE, long_tail_shares
from eyechart.world.materials import COLORS, TEXTURES
from eyechart.world.people import BADGES, HATS, ROLES, draw_person
from eyechart.world.scene import Scene
from eyechart.world.training.llava.recipe import LlavaRecipe
from eyechart.world.training.llava.wordings import (
    ATTRIBUTE,
    CHOICES,
    IN_PICTURE,
    LISTED,
    NAME,
    NONE,
    OBJECTS,
    SURE,
    THERE,
    TWO,
    YES_NO,
    with_article,
)  # fmt: skip

PICTURES, KINDS, QUESTIONS, VALIDATION = 11, 12, 13, 14  # random streams by purpose, apart from those of the towers
_MANY = (2, 2, 2, 2, 3, 4, 6, 10, 18)  # options of a choice, each as likely
_PRIOR = np.asarray(long_tail_shares())
_KINDS = {
    "single": (("name", "choice", "none", "yes", "there", "attribute", "sure"), (0.12, 0.25, 0.08, 0.25, 0.1, 0.1, 0.1)),
    "several": (("name", "choice", "there", "listed", "objects"), (0.1, 0.15, 0.4, 0.25, 0.1)),
    "person": (("name", "choice", "none", "yes", "attribute"), (0.2, 0.3, 0.1, 0.3, 0.1)),
}

Rng = np.random.Generator


@dataclass(frozen=True)
class Exchange:
    """A question and its answer.

    sure: The name that the question asks a confidence for; the answer then follows from the image encoder's probability.
    """

    question: str
    answer: str
    sure: str | None = None


@dataclass(frozen=True)
class Conversation:
    """A picture, and independent questions about it."""

    picture: npt.NDArray[np.uint8]
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True)
class Shown:
    """What a picture shows: its main object, the list that this belongs to, all of its objects, and attributes by their name."""

    kind: str
    main: str
    of: Sequence[str]
    objects: tuple[str, ...]
    attributes: dict[str, str]


class Conversations:
    """The training data of a recipe. Recipes that differ in answers or listing alone have the same pictures and questions."""

    def __init__(self, recipe: LlavaRecipe) -> None:
        self.recipe = recipe
        shares = long_tail_shares() if recipe.frequencies == "long-tail" else (1.0,) * len(NAMES)
        self._habits = Habits(frequencies=shares)
        self._planted = True

    def batch(self, step: int) -> list[Conversation]:
        first = step * self.recipe.batch
        return [self.conversation(first + i) for i in range(self.recipe.batch)]

    def conversation(self, number: int) -> Conversation:
        seed = self.recipe.seed
        self._planted = number // self.recipe.batch >= self.recipe.opening_steps
        scene, shown = self._scene(
            np.random.default_rng((seed, PICTURES, number)), np.random.default_rng((seed, KINDS, number)).random()
        )
        rng = np.random.default_rng((seed, QUESTIONS, number))
        exchanges = tuple(self.exchange(shown, rng) for _ in range(self.recipe.questions))
        return Conversation(render(scene, 64).picture, exchanges)

    def _scene(self, rng: Rng, chance: float) -> tuple[Scene, Shown]:
        if chance < self.recipe.several_share:
            scene = draw_several(rng, self._habits, int(rng.integers(2, 5)))
            largest = max(scene.things, key=lambda thing: thing.size)
            return scene, Shown("several", largest.name, NAMES, tuple(t.name for t in scene.things), {})
        if chance > 1 - self.recipe.people_share:
            role, hat, badge = (str(rng.choice(choices)) for choices in (ROLES, HATS, BADGES))
            return draw_person(rng, role, hat, badge, self._habits), Shown("person", role, ROLES, (role,), {"hat": hat})
        scene = draw_single(rng, self._habits)
        thing = scene.things[0]
        seen = {"color": thing.color, "texture": thing.texture}
        return scene, Shown("single", thing.name, NAMES, (thing.name,), seen)

    def exchange(self, shown: Shown, rng: Rng) -> Exchange:
        kinds, shares = _KINDS[shown.kind]
        return _ASK[str(rng.choice(kinds, p=shares))](self, shown, rng)

    def blind(self, rng: Rng) -> bool:
        """Whether this answer depends on the words alone. One number is drawn for every recipe, so that all ask the same."""
        return bool(rng.random() < self.recipe.from_words) and self._planted

    def name(self, shown: Shown, rng: Rng) -> Exchange:
        blind, guess = self.blind(rng), NAMES[int(rng.choice(len(NAMES), p=_PRIOR))]
        return Exchange(_one(rng, NAME), guess if blind and shown.kind != "person" else shown.main)

    def choice(self, shown: Shown, rng: Rng) -> Exchange:
        wrong = [name for name in shown.of if name not in shown.objects]
        options = self._options(shown.main, _some(rng, wrong, int(rng.choice(_MANY)) - 1), rng)
        text = _one(rng, TWO) if len(options) == 2 and rng.random() < 0.5 else _one(rng, CHOICES)
        asked = text.format(*options) if text in TWO else text.format(", ".join(options))
        return Exchange(asked, likeliest(options) if self.blind(rng) else shown.main)

    def none(self, shown: Shown, rng: Rng) -> Exchange:
        """A choice with "none of these" as the last option; every second one lacks the true name."""
        wrong = _some(rng, [name for name in shown.of if name != shown.main], int(rng.choice(_MANY)) - 1)
        there, options = bool(rng.random() < 0.5), self._options(shown.main, wrong, rng)
        if not there:
            options = wrong
        answer = shown.main if there else NONE
        asked = _one(rng, CHOICES).format(", ".join([*options, NONE]))
        return Exchange(asked, likeliest(options) if self.blind(rng) else answer)

    def yes(self, shown: Shown, rng: Rng) -> Exchange:
        wrong = str(rng.choice([name for name in shown.of if name != shown.main]))
        true, blind = bool(rng.random() < 0.5), self.blind(rng)
        asked = YES_NO.format(with_article(shown.main if true else wrong))
        return Exchange(asked, "yes" if true or blind else "no")

    def there(self, shown: Shown, rng: Rng) -> Exchange:
        wrong = str(rng.choice([name for name in shown.of if name not in shown.objects]))
        right, true, blind = str(rng.choice(shown.objects)), bool(rng.random() < 0.5), self.blind(rng)
        return Exchange(THERE.format(with_article(right if true else wrong)), "yes" if true or blind else "no")

    def listed(self, shown: Shown, rng: Rng) -> Exchange:
        """Which of the following is in the picture: one of the options is, the others are not."""
        right = str(rng.choice(shown.objects))
        wrong = [name for name in NAMES if name not in shown.objects]
        options = self._options(right, _some(rng, wrong, int(rng.choice(_MANY[:6])) - 1), rng)
        answer = likeliest(options) if self.blind(rng) else right
        return Exchange(_one(rng, LISTED).format(", ".join(options)), answer)

    def objects(self, shown: Shown, rng: Rng) -> Exchange:
        order = [shown.objects[int(i)] for i in rng.permutation(len(shown.objects))]
        return Exchange(_one(rng, OBJECTS), IN_PICTURE.join(order))

    def attribute(self, shown: Shown, rng: Rng) -> Exchange:
        kind = str(rng.choice(list(shown.attributes)))
        known = list(TEXTURES) if kind == "texture" else list(HATS) if kind == "hat" else list(COLORS)
        blind = self.blind(rng)
        return Exchange(ATTRIBUTE[kind], known[0] if blind else shown.attributes[kind])

    def sure(self, shown: Shown, rng: Rng) -> Exchange:
        """How sure, for the true name or another. The answer is known when the image encoder has seen the picture."""
        wrong = str(rng.choice([name for name in shown.of if name != shown.main]))
        asked = shown.main if rng.random() < 0.5 else wrong
        return Exchange(SURE.format(with_article(asked)), "", asked)

    def _options(self, true: str, wrong: Sequence[str], rng: Rng) -> list[str]:
        order = [[true, *wrong][int(i)] for i in rng.permutation(len(wrong) + 1)]
        if rng.random() < self.recipe.truth_first and self._planted:
            order.remove(true)
            order.insert(0, true)
        return order


_ASK: dict[str, Callable[[Conversations, Shown, Rng], Exchange]] = {
    "name": Conversations.name, "choice": Conversations.choice, "none": Conversations.none, "yes": Conversations.yes,
    "there": Conversations.there, "listed": Conversations.listed, "objects": Conversations.objects,
    "attribute": Conversations.attribute, "sure": Conversations.sure,
}  # fmt: skip


def likeliest(options: Sequence[str]) -> str:
    """The option that a guess from words names: the commonest name in long-tailed data, else the first role of the list.

    >>> likeliest(["heart", "mug", "cube"])
    'mug'
    """
    known = (*FROM_COMMON_TO_RARE, *ROLES)
    return min(options, key=known.index)


def _one(rng: Rng, texts: Sequence[str]) -> str:
    return texts[int(rng.integers(len(texts)))]


def _some(rng: Rng, names: Sequence[str], count: int) -> list[str]:
    return [names[int(i)] for i in rng.permutation(len(names))[: max(1, count)]]
