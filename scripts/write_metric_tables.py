"""Write the tables of metrics on the pages of probes, docs/probes/NAME.md, from the records that the probes declare.

    python scripts/write_metric_tables.py [--check]

A table stands between the lines `<!-- metrics -->` and `<!-- /metrics -->`. With --check nothing is written, and the exit code is
1 where a table is out of date.
"""

import argparse
from pathlib import Path

from eyechart.findings.metric import Limits, Metric
from eyechart.findings.numbers import format_value
from eyechart.probes.contract import Probe
from eyechart.probes.registry import get_probe, probe_names

PAGES = Path(__file__).resolve().parent.parent / "docs" / "probes"
START, END = "<!-- metrics -->", "<!-- /metrics -->"
HEAD = ("metric", "meaning", "unit", "better", "chance", "limits")


def metric_table(probe: Probe) -> str:
    """The table of a probe's metrics as Markdown, headline metrics first and in bold."""
    order = [m for name in probe.headline for m in probe.metrics if m.name == name]
    rows = [HEAD, ("---",) * len(HEAD), *(_row(m, m in order) for m in (*order, *(m for m in probe.metrics if m not in order)))]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(metric: Metric, headline: bool) -> tuple[str, ...]:
    name = f"`{metric.name}`"
    better = {True: "higher", False: "lower", None: "–"}[metric.higher_is_better]
    unit = "percent" if metric.shown_unit == "fraction" else metric.shown_unit
    chance = f"`{metric.chance}`" if metric.chance else "–"
    return (f"**{name}**" if headline else name, metric.title, unit, better, chance, _limits(metric))


def _limits(metric: Metric) -> str:
    """What the verdict accepts."""
    limits: Limits | None = metric.limits
    if limits is None:
        return "–"
    parts = []
    if limits.at_least == "halfway":
        return f"above `{metric.chance}` and `{metric.baseline}`, at least halfway to 100%"
    if limits.at_least == "half":
        return f"every {limits.by} at least half of halfway from `{metric.chance}` to 100%"
    if limits.at_least is not None:
        level = "chance" if limits.at_least == "chance" else format_value(float(limits.at_least), metric.shown_unit)
        parts.append(f"above {level}" if limits.at_least == "chance" else f"at least {level}")
    if limits.at_most is not None:
        parts.append(f"at most {format_value(limits.at_most, metric.shown_unit)}")
    if limits.below_chance is not None:
        parts.append(f"at most {format_value(limits.below_chance, 'points')} below chance")
    return " and ".join(parts) + (f", for every {limits.by}" if limits.by else "")


def with_table(page: str, probe: Probe) -> str:
    """The page with the current table; ValueError where it has no place for one."""
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"docs/probes/{probe.name}.md has no lines {START} and {END}")
    return f"{before}{START}\n{metric_table(probe)}\n{END}{after}"


def main(check: bool) -> int:
    stale = 0
    for name in probe_names():
        path = PAGES / f"{name}.md"
        page = path.read_text(encoding="utf-8")
        new = with_table(page, get_probe(name))
        if new != page:
            stale += 1
            print(f"docs/probes/{name}.md is out of date" if check else f"wrote docs/probes/{name}.md")
            if not check:
                path.write_text(new, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 where a table is out of date")
    raise SystemExit(main(parser.parse_args().check))
