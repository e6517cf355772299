"""The table `[gate]` of a TOML file: conditions, the baseline, and what an inconclusive condition means."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from eyechart.errors import UsageError
from eyechart.files.records import Table, read_toml

OnInconclusive = Literal["fail", "pass"]


@dataclass(frozen=True)
class GateConfig:
    """What the table says.

    fail_if: Conditions.
    baseline: The folder of the baseline.
    on_inconclusive: What an inconclusive condition means.
    """

    fail_if: tuple[str, ...] = ()
    baseline: str | None = None
    on_inconclusive: OnInconclusive | None = None


def read_gate(path: Path) -> GateConfig:
    """The gate of a file, which may be a plan. A baseline is relative to the file's folder.

    Raises:
        UsageError: If the file has no such table, or an unknown key in it.
    """
    table = Table(str(path), read_toml(path)).table("gate")
    if table is None:
        raise UsageError(f'{path}: it has no table [gate]; add one with fail_if = ["top1 < 0.8"]')
    config = table.into(GateConfig)
    if config.baseline is None:
        return config
    return GateConfig(config.fail_if, str(path.parent / config.baseline), config.on_inconclusive)
