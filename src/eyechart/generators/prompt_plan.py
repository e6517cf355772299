"""The prompts for a generator: sets of objects in every rotation, so that no object is always named first."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import comb

import numpy as np

from eyechart.errors import UsageError
from eyechart.generators.generator import Prompt
from eyechart.notice import counted

MOST_OBJECTS = 8


@dataclass(frozen=True)
class Job:
    """One picture to generate, and its file."""

    file: str
    prompt: Prompt
    seed: int


def plan_prompts(
    names: Sequence[str],
    *,
    objects: int,
    sets: int,
    seeds: int = 1,
    template: str = "{}",
    every_order: bool = False,
    seed: int = 0,
) -> list[Job]:
    """Plan the pictures: `sets` different sets of `objects` names, each name about equally often.

    Each set is used in all `objects` rotations (cat dog bird, dog bird cat, bird cat dog) or in every order, and each prompt
    with `seeds` seeds. No prompt is used twice with one seed, which would give the same picture again. In `template`, {} stands
    for "a cat and a dog"."""
    names = list(dict.fromkeys(names))
    if not 2 <= objects <= min(MOST_OBJECTS, len(names)):
        raise UsageError(f"prompts of {objects} objects from {len(names)} names; choose 2 to {min(MOST_OBJECTS, len(names))}")
    if sets > comb(len(names), objects):
        there = counted(comb(len(names), objects), "set")
        raise UsageError(
            f"{sets} sets of {objects} objects, but {len(names)} names make only {there}; choose fewer sets, or give more names"
        )
    if template.count("{}") != 1:
        raise UsageError(f"the template {template!r} must contain {{}} once, for the objects")
    jobs = []
    for number, names_of_set in enumerate(_sets(names, objects, sets, np.random.default_rng(seed))):
        turns = permutations(names_of_set) if every_order else (names_of_set[k:] + names_of_set[:k] for k in range(objects))
        for turn, order in enumerate(turns):
            prompt = Prompt(template.replace("{}", " and ".join(map(_with_article, order))), order)
            jobs += [Job(f"pictures/{number:04d}-{turn:02d}-{s:02d}.png", prompt, s) for s in range(seeds)]
    return jobs


def _sets(names: Sequence[str], objects: int, sets: int, rng: np.random.Generator) -> list[tuple[str, ...]]:
    """Random sets: all names are shuffled and divided into sets; a remainder is dropped, and a repeated set is drawn again."""
    drawn: dict[frozenset[str], tuple[str, ...]] = {}
    while len(drawn) < sets:
        shuffled = [names[int(i)] for i in rng.permutation(len(names))]
        for start in range(0, len(names) - objects + 1, objects):
            names_of_set = tuple(shuffled[start : start + objects])
            drawn.setdefault(frozenset(names_of_set), names_of_set)
    return list(drawn.values())[:sets]


def _with_article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
