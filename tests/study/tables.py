"""Studies put together by hand."""

import numpy as np
import pyarrow as pa
from scipy.stats import norm

from eyechart.study.facts import Facts
from eyechart.study.importers.text_files import TextFile
from eyechart.study.study_file import merge
from eyechart.study.table import Value, empty, to_table


def file(name: str, *lines: str) -> TextFile:
    return TextFile(name, f"tables/{name}", "\n".join(lines) + "\n")


def study_of(*rows: tuple[Facts, list[Value], str]) -> pa.Table:
    """(facts, values, origin) of each model."""
    table = empty()
    for origin in dict.fromkeys(origin for *_, origin in rows):
        mine = [(facts, value) for facts, values, of in rows if of == origin for value in values]
        table = merge(table, to_table(mine, origin))
    return table


def along_a_line(
    count: int, *, group: str, prefix: str, above: float = 0.0, seed: int = 0, origin: str = "testbed", **facts: object
) -> list[tuple[Facts, list[Value], str]]:
    """Models, each a family of its own, around Φ⁻¹(v2) = Φ⁻¹(imagenet) − 0.3 + above."""
    rng = np.random.default_rng(seed)
    places = rng.normal(0.6, 0.3, count)
    shifted = places - 0.3 + above + rng.normal(0, 0.02, count)
    return [
        (
            Facts(f"{prefix}{i}", group, f"{prefix} family {i}", **facts),
            [Value("imagenet", float(x), 50_000), Value("imagenet-v2", float(y), 10_000)],
            origin,
        )
        for i, (x, y) in enumerate(zip(norm.cdf(places), norm.cdf(shifted), strict=True))
    ]
