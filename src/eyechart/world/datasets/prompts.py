"""`world-prompts`: pictures of two text-to-image models, one that favors the first object of a prompt and one that does not.
Both are the world itself, not real generators."""

from collections.abc import Iterator
from itertools import count

from eyechart.world.captions import describe
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset, surroundings
from eyechart.world.drawing import NAMES
from eyechart.world.prompted import HABITS, drawn_for
from eyechart.world.scene import Thing
from eyechart.world.subjects import Staged

THINGS = 3  # objects per prompt
_SETS = len(NAMES) // THINGS  # sets of objects over which every shape has every position
_TURNS = THINGS * len(HABITS)  # pictures of a set: both generators get every object first, second and third


def draw(streams: Streams) -> Iterator[Shot]:
    for row in count():
        number, turn, habit = row // _TURNS, row // len(HABITS) % THINGS, HABITS[row % len(HABITS)]
        shuffled = streams.change(number // _SETS).permutation(len(NAMES))
        start = number % _SETS * THINGS
        things = [NAMES[int(i)] for i in shuffled[start : start + THINGS]]
        named = tuple(things[turn:] + things[:turn])
        scene = drawn_for(named, habit, streams.picture(row))
        yield Shot(
            f"{row:05d}-{habit}",
            Staged(scene),
            attributes={"generator": habit, "prompt": prompt_of(named), "mentioned": named, **surroundings(scene)},
        )


def prompt_of(names: tuple[str, ...]) -> str:
    return " and ".join(describe(Thing(name, ""), "name", article=True) for name in names)


PROMPTS = WorldDataset(
    name="world-prompts",
    number=1013,
    about="what two generators might draw for prompts of three objects: one favors the first named, one does not",
    usual=10 * _SETS * _TURNS,
    draw=draw,
    unit=len(HABITS),
    block=_SETS * _TURNS,
)
