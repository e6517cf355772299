"""Prompts for a generator: every thing in every turn, as often as any other."""

from collections import Counter

import pytest

from eyechart.errors import UsageError
from eyechart.generators.prompt_plan import plan_prompts

NAMES = ["cat", "dog", "apple", "hot dog", "car", "bus"]


def test_every_thing_is_named_in_every_turn_as_often():
    jobs = plan_prompts(NAMES, objects=3, sets=4, seeds=2, seed=1)
    assert len(jobs) == 4 * 3 * 2 == len({job.file for job in jobs})
    turns = Counter((name, turn) for job in jobs for turn, name in enumerate(job.prompt.objects))
    assert set(turns.values()) == {4}  # 2 deals of 2 sets, 2 seeds each
    assert {job.seed for job in jobs} == {0, 1}


def test_words_of_a_prompt():
    (job,) = [
        job
        for job in plan_prompts(["apple", "hot dog"], objects=2, sets=1, template="a photo of {}")
        if job.prompt.objects[0] == "apple"
    ]
    assert job.prompt.text == "a photo of an apple and a hot dog"


def test_every_order():
    jobs = plan_prompts(NAMES, objects=3, sets=1, every_order=True)
    assert len({job.prompt.objects for job in jobs}) == 6 and len({frozenset(job.prompt.objects) for job in jobs}) == 1


@pytest.mark.parametrize(("asked", "why"), [({"objects": 7}, "choose 2 to 6"), ({"objects": 2, "template": "x"}, "{} once")])
def test_what_makes_no_sense_is_refused(asked, why):
    with pytest.raises(UsageError, match=why):
        plan_prompts(NAMES, sets=1, **asked)


def test_no_prompt_is_drawn_twice_with_one_seed():
    jobs = plan_prompts(["cat", "dog", "owl", "hen", "cow"], objects=3, sets=10, seeds=2)
    assert len(jobs) == 60 == len({(job.prompt.text, job.seed) for job in jobs})
    assert len({frozenset(job.prompt.objects) for job in jobs}) == 10
    with pytest.raises(UsageError, match="11 sets of 3 objects, but 5 names make only 10 sets; choose fewer"):
        plan_prompts(["cat", "dog", "owl", "hen", "cow"], objects=3, sets=11)
