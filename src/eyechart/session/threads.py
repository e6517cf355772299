"""How many threads linear algebra uses while a probe runs.

NumPy and SciPy each bring their own OpenBLAS, and the threads of both go on spinning after a product. Over thousands of small
products (resampling) they wait for each other: on two cores `eyechart demo` took three times as long as with one thread each.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import ThreadpoolController

LARGE = 10**10  # multiplications (pictures x width x texts) from which several threads gain more than they lose


@contextmanager
def threads_for(multiplications: int) -> Iterator[None]:
    """Inside, OpenBLAS keeps to one thread unless the probe's product is large. The other libraries are left as they are."""
    if multiplications >= LARGE:
        yield
        return
    with ThreadpoolController().select(internal_api="openblas").limit(limits=1):
        yield
