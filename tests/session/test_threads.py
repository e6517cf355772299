"""A question of small products is answered by one thread of OpenBLAS, one of large products by as many as before."""

import numpy  # noqa: F401  (its OpenBLAS is the one looked at)
import pytest
from threadpoolctl import ThreadpoolController

from eyechart.session.threads import LARGE, threads_for


def threads() -> list[int]:
    return [library.num_threads for library in ThreadpoolController().select(internal_api="openblas").lib_controllers]


@pytest.fixture(autouse=True)
def two_threads():
    openblas = ThreadpoolController().select(internal_api="openblas")
    if not openblas.lib_controllers:
        pytest.skip("this NumPy is built with another library than OpenBLAS")
    with openblas.limit(limits=2):
        yield


def test_small_products_get_one_thread_and_give_it_back():
    with threads_for(LARGE - 1):
        assert set(threads()) == {1}
    assert set(threads()) == {2}


def test_large_products_keep_their_threads():
    with threads_for(LARGE):
        assert set(threads()) == {2}


def test_a_question_that_fails_gives_the_threads_back():
    with pytest.raises(ValueError), threads_for(1):
        raise ValueError
    assert set(threads()) == {2}
