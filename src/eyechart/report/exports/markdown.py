"""The examination as Markdown: verdict, headline numbers, caption guide, exclusions and the protocol hashes."""

import re
from itertools import groupby

from eyechart.findings.numbers import slice_text
from eyechart.findings.run import Run
from eyechart.notice import counted, one_line
from eyechart.report.sections.exclusions import exclusions_of
from eyechart.report.sections.figures import NAMED, within_limits
from eyechart.report.sections.guide import FIGURES, TITLE
from eyechart.report.summary import HeadlineRow, headline_rows
from eyechart.report.title import run_title
from eyechart.verdict.evidence import Figure
from eyechart.verdict.guide import Guide, guides
from eyechart.verdict.verdict import Verdict, verdicts

# Special characters of CommonMark and GitHub's dialect: anywhere, or only at the start of a line or item.
_SPECIAL = re.compile(r"[\\`*_\[\]<>#!|~&$@]|:(?=\S)|^[-+=](?=\s|$)|(?<=^\d)[.)]|(?<=^\d\d)[.)]")


def escaped(text: str) -> str:
    """A user's text escaped for Markdown, on one line, so that it fits into a table."""
    spaced = re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()
    return _SPECIAL.sub(r"\\\g<0>", one_line(spaced))


def _plain(text: str) -> str:
    """Hashes and versions contain only these characters unless someone edited them by hand."""
    return re.sub(r"[^0-9A-Za-z.-]", "", text)


def markdown_summary(run: Run) -> str:
    datasets = ", ".join(map(escaped, run.datasets))
    parts = [f"# {escaped(run_title(run))}", f"On {datasets}: {run.findings.num_rows:,} findings."]
    parts += sections(run, headline_rows(run), level=2)
    return "\n\n".join(parts) + "\n"


def sections(run: Run, rows: list[HeadlineRow], level: int, models: list[str] | None = None) -> list[str]:
    """The verdict, the headline rows by model and dataset, the caption guide and the exclusions of these models."""
    head = "#" * level
    parts = []
    for verdict in verdicts(run, models):
        parts += [f"{head} Verdict on {escaped(verdict.model)}", "\n".join(f"- {line}" for line in verdict_lines(verdict))]
    for (model, dataset), mine in groupby(rows, key=lambda r: (r.model, r.dataset)):
        parts += [f"{head} {escaped(model)} on {escaped(dataset)}", headline_table(list(mine))]
    for guide in guides(run, models):
        parts += [f"{head} {TITLE} {escaped(guide.model)}", "\n".join(f"- {line}" for line in guide_lines(guide))]
    lines = _exclusions(run, run.finding_models if models is None else models)
    if lines:
        parts += [f"{head} Exclusions and notices", "\n".join(f"- {line}" for line in lines)]
    hashes = run.protocol.get("protocols") or {}
    version = _plain(str(run.protocol.get("eyechart", "")))
    listed = ", ".join(f"`{_plain(key)}`" for key in hashes)
    parts.append(
        f"Measured with Eyechart {version}" + (f"; protocol {listed}, with all settings in `protocol.json`." if listed else ".")
    )
    return parts


def _exclusions(run: Run, models: list[str]) -> list[str]:
    excluded = exclusions_of(run)
    lines = [f"{escaped(m)} could not be examined: {escaped(why)}" for m, why in excluded.failed.items() if m in models]
    for skip in excluded.skips:
        if skip.model in models:
            probe, model, dataset, reason = map(escaped, (skip.probe, skip.model, skip.dataset, skip.reason))
            lines.append(f"{probe} of {model} on {dataset}: {reason}")
    lines += [f"{escaped(dataset)}: {counted(n, 'picture')} set aside" for dataset, n in excluded.pictures.items()]
    # A notice does not name its model, so notices are shown only where all models are.
    if set(models) >= set(run.models):
        lines += [escaped(str(notice)) for notice in excluded.notices]
    return lines


def verdict_lines(verdict: Verdict) -> list[str]:
    """The decision; each bad result with its worst figure, then the good, the inconclusive and the untested ones."""
    lines = [escaped(verdict.decision)]
    for r in verdict.bad:
        names = within_limits(r)
        otherwise = f"; within the limit: {escaped('; '.join(names[:NAMED]))}" + " and others" * (len(names) > NAMED)
        lines.append(f"**Bad:** {escaped(r.sentence)} Found: {_figure(r.figures[0])}{otherwise if names else ''}")
    lines += [f"Good: {escaped(r.sentence)} Found: {_figure(r.figures[0])}" for r in verdict.good]
    for r in verdict.inconclusive:
        remedy = f" {escaped(r.remedy)}" if r.remedy else ""
        lines.append(f"Inconclusive: {escaped(r.sentence)}. Found: {_figure(r.figures[0])}{'.' if remedy else ''}{remedy}")
    for ruling in verdict.not_tested:
        command = f" Test it: {escaped(ruling.remedy)}" if ruling.remedy else ""  # no command helps where the model is the reason
        lines.append(f"Not tested: {escaped(ruling.sentence)}{command}")
    return lines


def guide_lines(guide: Guide) -> list[str]:
    """Each piece of advice with its figures; then, in one line, what is inconclusive."""
    lines = [f"{escaped(r.sentence)} Found: {'; '.join(map(_figure, r.figures[:FIGURES]))}" for r in guide.advice]
    if guide.inconclusive:
        clauses = "; ".join(f"{escaped(r.sentence)} ({_figure(r.figures[0])})" for r in guide.inconclusive)
        lines.append(f"Inconclusive: {clauses}.")
    return lines


def _figure(figure: Figure) -> str:
    compared = f"; {escaped(figure.compared_text)}" if figure.compared_text else ""
    return f"{escaped(figure.name)}: {figure.text} on {escaped(figure.dataset)}{compared}"


def headline_table(rows: list[HeadlineRow]) -> str:
    lines = ["| metric | slice | value | 95% interval | n |", "| --- | --- | ---: | ---: | ---: |"]
    for r in rows:
        cells = (escaped(r.title), escaped(slice_text(r.slice)), r.value_text, r.interval_text, r.size_text)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
