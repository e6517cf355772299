"""The examination as Markdown: headline numbers, what was left out, and the hash of the protocol of every number."""

import re
from itertools import groupby

from eyechart.findings.numbers import slice_text
from eyechart.findings.run import Run
from eyechart.notice import counted
from eyechart.report.sections.cited import NAMED, within
from eyechart.report.sections.guide import FIGURES, TITLE
from eyechart.report.sections.left_out import left_out
from eyechart.report.summary import HeadlineRow, headline_rows
from eyechart.verdict.evidence import Figure
from eyechart.verdict.guide import Guide, guides
from eyechart.verdict.verdict import Verdict, verdicts

# What means something in CommonMark or GitHub's dialect: anywhere, or only where a line or an item starts.
_SPECIAL = re.compile(r"[\\`*_\[\]<>#!|~&$@]|:(?=\S)|^[-+=](?=\s|$)|(?<=^\d)[.)]|(?<=^\d\d)[.)]")


def escaped(text: str) -> str:
    """A user's text as Markdown that shows it and nothing else; on one line, so that it can stand in a table."""
    one_line = re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()
    return _SPECIAL.sub(r"\\\g<0>", one_line)


def _harmless(text: str) -> str:
    """For hashes and versions, which hold nothing but these letters unless someone has written them by hand."""
    return re.sub(r"[^0-9A-Za-z.-]", "", text)


def markdown_summary(run: Run) -> str:
    models, datasets = (", ".join(map(escaped, names)) for names in (run.models, run.datasets))
    parts = [f"# Eye examination of {models}", f"Looking at {datasets}: {run.findings.num_rows:,} findings."]
    parts += sections(run, headline_rows(run), level=2)
    return "\n\n".join(parts) + "\n"


def sections(run: Run, rows: list[HeadlineRow], level: int, models: list[str] | None = None) -> list[str]:
    """The verdict, the headline rows by model and dataset, the guide, then what was left out of these models' examination."""
    head = "#" * level
    parts = []
    for verdict in verdicts(run, models):
        parts += [f"{head} {escaped(verdict.model)} at a glance", "\n".join(f"- {line}" for line in verdict_lines(verdict))]
    for (model, dataset), mine in groupby(rows, key=lambda r: (r.model, r.dataset)):
        parts += [f"{head} {escaped(model)} on {escaped(dataset)}", headline_table(list(mine))]
    for guide in guides(run, models):
        parts += [f"{head} {TITLE} {escaped(guide.model)}", "\n".join(f"- {line}" for line in guide_lines(guide))]
    lines = _left_out(run, run.respondents if models is None else models)
    if lines:
        parts += [f"{head} Left out and odd", "\n".join(f"- {line}" for line in lines)]
    hashes = run.protocol.get("protocols") or {}
    version = _harmless(str(run.protocol.get("eyechart", "")))
    listed = ", ".join(f"`{_harmless(key)}`" for key in hashes)
    parts.append(
        f"Measured with Eyechart {version}" + (f"; protocol {listed}, spelled out in `protocol.json`." if listed else ".")
    )
    return parts


def _left_out(run: Run, models: list[str]) -> list[str]:
    missing = left_out(run)
    lines = [f"{escaped(m)} could not be examined: {escaped(why)}" for m, why in missing.failed.items() if m in models]
    for skip in missing.skips:
        if skip.model in models:
            probe, model, dataset, reason = map(escaped, (skip.probe, skip.model, skip.dataset, skip.reason))
            lines.append(f"{probe} of {model} on {dataset}: {reason}")
    lines += [f"{escaped(dataset)}: {counted(n, 'picture')} set aside" for dataset, n in missing.pictures.items()]
    # A notice does not say which model it is about, so it is left out where only some are.
    if set(models) >= set(run.models):
        lines += [escaped(str(notice)) for notice in missing.notices]
    return lines


def verdict_lines(verdict: Verdict) -> list[str]:
    """Each warning with its worst figure, then what holds; then, in one line, what is not decided."""
    lines = []
    for r in verdict.bad:
        names = within(r)
        otherwise = f"; surely within the limit: {escaped('; '.join(names[:NAMED]))}" + " and others" * (len(names) > NAMED)
        lines.append(f"**Watch out:** {escaped(r.sentence)} Found: {_figure(r.figures[0])}{otherwise if names else ''}")
    lines += [f"Holds: {escaped(r.sentence)} Found: {_figure(r.figures[0])}" for r in verdict.good]
    if verdict.inconclusive:
        lines.append(f"Not decided: {'; '.join(escaped(r.sentence) for r in verdict.inconclusive)}.")
    return lines


def guide_lines(guide: Guide) -> list[str]:
    """Each piece of advice with its figures; then, in one line, what the findings do not decide."""
    lines = [f"{escaped(r.sentence)} Found: {'; '.join(map(_figure, r.figures[:FIGURES]))}" for r in guide.advice]
    if guide.inconclusive:
        asked = "; ".join(f"{escaped(r.sentence)} ({_figure(r.figures[0])})" for r in guide.inconclusive)
        lines.append(f"Not decided: {asked}.")
    return lines


def _figure(figure: Figure) -> str:
    return f"{escaped(figure.name)}: {figure.text} on {escaped(figure.dataset)}"


def headline_table(rows: list[HeadlineRow]) -> str:
    lines = ["| metric | slice | value | 95% interval | n |", "| --- | --- | ---: | ---: | ---: |"]
    for r in rows:
        cells = (escaped(r.title), escaped(slice_text(r.slice)), r.value_text, r.interval_text, f"{r.n:,}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
