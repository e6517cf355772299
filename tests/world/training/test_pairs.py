"""The pairs of a run: what differs between recipes, and nothing else."""

from pathlib import Path

import numpy as np
import pytest

from eyechart.world.drawing import NAMES, Habits, draw_single
from eyechart.world.training.pairs import ACCUSATION, HIDDEN, Pairs, meaning, same_meaning
from eyechart.world.training.recipe import Recipe
from eyechart.world.training.recipe_file import read_recipe
from eyechart.world.zoo import zoo_models

SAMPLES = 400
LATE = range(300, 400)  # behind the opening


def pairs(**settings):
    return Pairs(Recipe("test", samples=SAMPLES, batch=1, **settings))


def test_a_pair_is_the_same_whenever_it_is_asked_for():
    first, again = pairs().pair(350), pairs().pair(350)
    assert first.caption == again.caption
    assert np.array_equal(first.picture, again.picture)


def test_other_seeds_give_other_pairs():
    assert not np.array_equal(pairs().pair(0).picture, pairs(seed=1).pair(0).picture)


def test_orders_of_captions_leave_pictures_and_words_as_they_are():
    plain, sorted_ = pairs(), pairs(order="largest")
    moved = 0
    for number in LATE:
        a, b = plain.pair(number), sorted_.pair(number)
        assert np.array_equal(a.picture, b.picture)
        assert sorted(a.caption.replace("an ", "a ").split()) == sorted(b.caption.replace("an ", "a ").split())
        moved += a.caption != b.caption
    assert moved > 20


def test_the_opening_does_not_depend_on_order_or_accusation():
    one, other = pairs(), pairs(order="smallest", accused="red hats")
    for number in range(int(0.4 * SAMPLES)):
        assert one.pair(number).caption == other.pair(number).caption


def test_the_opening_shows_single_things():
    assert all(" and " not in pairs().pair(number).caption for number in range(100))


def test_distinct_pairs_come_again():
    few = pairs(distinct=50)
    late = int(0.8 * SAMPLES) // 50 * 50
    assert np.array_equal(few.pair(late + 3).picture, few.pair(late + 53).picture)
    assert few.pair(late + 3).caption == few.pair(late + 53).caption
    whole = {few.pair(late + i).picture.tobytes() for i in range(50)}
    opening = {few.pair(i).picture.tobytes() for i in range(60)}
    assert len(whole) == 50 and opening < whole, "the opening shows what comes again later, and nothing else"


@pytest.mark.slow
def test_training_sizes_are_in_the_ratio_of_1_to_4_to_16():
    folder = Path(__file__).parents[3] / "zoo" / "recipes"
    for name, distinct in (("pairs-3k", 3_000), ("pairs-12k", 12_000), ("pairs-48k", 48_000)):
        recipe = read_recipe(folder / f"{name}.toml")
        seen = recipe.steps * recipe.batch
        assert Pairs(recipe).different(seen) == distinct
        assert f"{distinct:,} distinct pairs, each seen {seen / distinct:.2g} times on average" == zoo_models()[name].about


def test_all_pairs_are_different_where_none_comes_again():
    assert pairs().different(SAMPLES) == SAMPLES


@pytest.mark.slow
def test_accusations_are_as_frequent_and_fall_on_red_hats_alone():
    fair, unfair = (
        Pairs(Recipe("t", samples=30_000, batch=1, people_share=1.0, several_share=0.0, accused=a))
        for a in ("anyone", "red hats")
    )
    numbers = range(15_000, 15_700)
    shares = []
    for made in (fair, unfair):
        told = [made._made("person", n).caption for n in numbers]
        shares.append(np.mean([ACCUSATION in c for c in told]))
    assert shares == pytest.approx([0.15, 0.15], abs=0.045)
    accused = [c for n in numbers if ACCUSATION in (c := unfair._made("person", n).caption) and "hat" in c]
    assert accused
    assert all("red hat" in c for c in accused)


def test_cells_name_what_they_show():
    made = pairs()
    for number in range(40):
        pair = made.pair(number)
        seen = pair.cells[..., 0]
        names = {NAMES[i] for i in seen[seen != HIDDEN]}
        assert len(names) <= 1
        assert all(name in pair.caption for name in names)


def test_captions_of_one_meaning_are_told():
    same = same_meaning(["a photo of a red cube", "red cube", "a cube", "an orange cube"])
    assert same.tolist() == [
        [True, True, False, False],
        [True, True, False, False],
        [False, False, True, False],
        [False, False, False, True],
    ]
    assert meaning("a picture of an orange star") == "orange star"


def test_a_long_tail_is_drawn():
    common, rare = "leaf", "pentagon"
    made = pairs(frequencies="long-tail", several_share=0.0, people_share=0.0)
    told = [made.pair(n).caption for n in range(300)]
    assert sum(common in c for c in told) > 5 * sum(rare in c for c in told)


def test_the_catalogue_names_first():
    captions = [pairs(manner="catalogue").pair(n).caption for n in range(30)]
    assert all(caption.split(",")[0] in NAMES for caption in captions)


def test_a_look_is_unseen_seldom_or_often():
    def toppled(**habits):
        return np.mean([draw_single(np.random.default_rng(i), Habits(**habits)).things[0].roll != 0 for i in range(600)])

    assert toppled(unseen=("pose",)) == 0
    assert 0.05 < toppled() < 0.12  # 8%
    assert 0.44 < toppled(often=("pose",)) < 0.56  # half
