"""An examination in the terminal: one line for each area, with what was not tested; for several models a column each."""

import json
import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.metric import Area
from eyechart.findings.numbers import format_value
from eyechart.findings.run import Run
from eyechart.notice import counted, one_line, shortened
from eyechart.report.picture_counts import pictures_text
from eyechart.report.probe_counts import probe_counts
from eyechart.report.sections.exclusions import exclusions_of
from eyechart.report.worst_class import WorstClass, worst_class
from eyechart.verdict.not_tested import HOW_TO_TEST, commands_for
from eyechart.verdict.ruling import Outcome, Ruling
from eyechart.verdict.sample_size import FEW
from eyechart.verdict.targets import USER
from eyechart.verdict.verdict import Verdict

MARKS: dict[Outcome, str] = {"good": "✓", "bad": "✗", "inconclusive": "?", "not tested": "–"}
WIDTH = 100
CONFUSIONS = 3  # confused pairs that are shown
_INDENT = 22  # columns of mark and area
MOST_MODELS = 6  # beside each other


def one_model(run: Run, verdict: Verdict, width: int = WIDTH) -> list[str]:
    """The lines about one model."""
    few = _repeated(verdict)
    decision = [line for sentence in (*verdict.not_above, verdict.count, *few) for line in textwrap.wrap(sentence, width)]
    lines = [_title(run, verdict.model, verdict.dataset), *decision, ""]
    worst = worst_class(run, verdict.model, verdict)
    for area in verdict.areas:
        rulings = [_without(r, few) for r in verdict.rulings if r.area == area and r.outcome != "not tested"]
        lines += _area_lines(run, rulings, area, worst, width)
    lines += _not_tested_lines(run, verdict, [r.area for r in verdict.not_tested], width)
    confusions = most_confused(run, verdict.model)
    if confusions:
        lines += _wrapped(" ", "most confused", "; ".join(confusions), width)
    if checked := label_check(run, verdict.model):
        lines += _wrapped("", "label check", checked, width)
    sources = {f.bounds.source for r in verdict.rulings for f in r.figures if f.bounds}
    if "default" in sources:
        which = "The other targets" if len(sources) > 1 else "Targets"
        lines.append(f"  {which} are defaults; set yours with --target METRIC=N.")
    return [one_line(line) for line in lines]


def several_models(run: Run, verdicts: Sequence[Verdict]) -> tuple[list[str], list[list[str]]]:
    """(columns, rows) of a table with a row for each area and a column for each model."""
    areas = list(dict.fromkeys(area for v in verdicts for area in v.areas))
    rows = [["decision", *(_counts(v) for v in verdicts)]]
    for area in areas:
        rows.append([area, *(_cell(v, area) for v in verdicts)])
    return ["", *(v.model for v in verdicts)], rows


def _repeated(verdict: Verdict) -> list[str]:
    """The sentences about too few pictures that several areas would repeat; they are said once, above the areas."""
    first = {r.area: r for r in reversed(verdict.rulings)}.values()
    begun = [_split(r.remedy)[0] for r in first if r.outcome == "inconclusive" and r.remedy.startswith(FEW)]
    return [sentence for sentence in dict.fromkeys(begun) if begun.count(sentence) > 1]


def _without(ruling: Ruling, said: Sequence[str]) -> Ruling:
    """The ruling without a sentence that was said already."""
    sentence, rest = _split(ruling.remedy)
    return replace(ruling, remedy=rest) if sentence in said else ruling


def _split(remedy: str) -> tuple[str, str]:
    """The sentence about too few pictures, which may name a dataset with a full stop in its name, and what would decide."""
    sentence, *rest = re.split(r"(?<=\.) (?=About |Add |n ≈ )", remedy, maxsplit=1)
    return sentence, "".join(rest)


def not_tested_by_any(run: Run, verdicts: Sequence[Verdict], width: int = WIDTH) -> list[str]:
    """What was tested for none of several models, with the commands that would test it for the first model that can be tested."""
    missing = [area for area in HOW_TO_TEST if all(v.areas.get(area) == "not tested" for v in verdicts)]
    first = next((v for v in verdicts if commands_for(run, v.model, v.dataset, missing)), verdicts[0])
    return [one_line(line) for line in _not_tested_lines(run, first, missing, width)]


def _not_tested_lines(run: Run, verdict: Verdict, areas: Sequence[Area], width: int) -> list[str]:
    if not areas:
        return []
    commands = commands_for(run, verdict.model, verdict.dataset, areas)
    return [
        *_wrapped(MARKS["not tested"], "not tested", ", ".join(areas), width),
        *(" " * _INDENT + command for command in commands),
    ]


LEGEND = f"{', '.join(f'{mark} {outcome}' for outcome, mark in MARKS.items())}; not judged: the number says nothing by itself"


def most_confused(run: Run, model: str) -> list[str]:
    """'dress → shirt (5 of 12)' for the confused pairs of classes with the most pictures, under the leading prompts."""
    exams = pa.array(_exams(run)[:1], pa.string())
    mine = pc.and_(pc.equal(run.findings["model"], model), pc.is_in(run.findings["dataset"], exams))
    confusions = pc.and_(pc.equal(run.findings["probe"], "zero_shot"), pc.equal(run.findings["metric"], "confusion"))
    pairs = []
    for f in run.findings.filter(pc.and_(mine, confusions)).to_pylist():
        where, count = json.loads(f["slice"]), round((f["value"] or 0) * f["n"])
        if count > 1 and where.get("prompts") in {None, *run.prompts[:1]}:
            pairs.append((count, f"{where['class']} → {where['predicted']} ({count:,} of {f['n']:,})"))
    return [text for _, text in sorted(pairs, key=lambda pair: -pair[0])[:CONFUSIONS]]


def label_check(run: Run, model: str) -> str:
    """'suspected label errors: 4 of 540 (photos), 8 of 480 (more)', from the probe `lint`; empty where nothing looks wrong.

    Where the model could not check the labels, that comes first. Datasets are named where there are several.
    """
    mine = pc.and_(pc.equal(run.findings["model"], model), pc.equal(run.findings["probe"], "lint"))
    parts: dict[str, list[str]] = {}
    several = len(_exams(run)) > 1
    for f in run.findings.filter(pc.and_(mine, pc.greater(run.findings["value"], 0))).to_pylist():
        metric = run.metric("lint", f["metric"], f["unit"])
        count = round(f["value"] * (f["n"] if metric.unit == "fraction" else 1))
        parts.setdefault(metric.title, []).append(f"{count:,} of {f['n']:,}" + (f" ({f['dataset']})" if several else ""))
    found = run.findings.filter(mine)
    unchecked = [d for d in _exams(run) if d in found["dataset"].to_pylist() and not _labels_checked(found, d)]
    first = [f"labels not checked{f' ({shortened(unchecked)})' if several else ''}"] if unchecked else []
    return "; ".join([*first, *(f"{title}: {', '.join(counts)}" for title, counts in parts.items())])


def _labels_checked(lint: pa.Table, dataset: str) -> bool:
    errors = pc.and_(pc.equal(lint["dataset"], dataset), pc.equal(lint["metric"], "suspected_label_errors"))
    return bool(pc.any(errors).as_py())


def _exams(run: Run) -> list[str]:
    return [name for name in run.datasets if name not in run.companions]


def _title(run: Run, model: str, dataset: str | None) -> str:
    """The model, the dataset, and how much was examined, counted as in the head of the page."""
    exams = _exams(run)
    probes = f", {probe_counts(run, exclusions_of(run), model, dataset, exams).text}"
    facts = [run.dataset_facts(d) for d in exams]
    pictures = pictures_text(run, model, exams) or "0 pictures"
    more = " (the others were set aside)" if " of " in pictures else ""
    prompts = _prompt_sets(run)
    if len(prompts) > 1:
        more += f", with prompt set {prompts[0]} (1 of {len(prompts)}; --verbose shows all)"
    if len(exams) > 1:
        return f"{model} on {counted(len(exams), 'dataset')} with {pictures}{more}{probes}"
    classes = facts[0].get("classes") if facts else 0
    of_classes = f" of {counted(int(classes), 'class', 'classes')}" if isinstance(classes, int) and classes else ""
    return f"{model} on {shortened(exams)}: {pictures}{of_classes}{more}{probes}"


def _prompt_sets(run: Run) -> list[str]:
    """The prompt sets that were asked for; the probe `prompts` tries others beside them."""
    asked = run.findings.filter(pc.equal(run.findings["probe"], "zero_shot")).column("slice").unique().to_pylist()
    named = {json.loads(where).get("prompts") for where in asked}
    return [name for name in run.prompts if name in named]


def _area_lines(run: Run, rulings: Sequence[Ruling], area: Area, worst: WorstClass | None, width: int) -> list[str]:
    """The worst ruling of an area, and every other one for which the user set a target."""
    shown = [r for place, r in enumerate(rulings) if place == 0 or any(f.bounds and f.bounds.source == USER for f in r.figures)]
    titles = [area, *[""] * len(rulings)]
    others = [r for r in rulings if r not in shown and r.outcome == "bad" and not r.not_judged]
    named = [f"{r.figures[0].short} {format_value(r.figures[0].value, r.figures[0].unit)}" for r in others]
    also = [f" Also bad: {', '.join(named)}." if named else "", *[""] * len(rulings)]
    rows = zip(shown, titles, also, strict=False)
    return [line for ruling, title, more in rows for line in _ruling_lines(run, ruling, title, more, worst, width)]


def _ruling_lines(run: Run, ruling: Ruling, title: str, also: str, worst: WorstClass | None, width: int) -> list[str]:
    """A ruling with its figure, and why it is bad or what would decide it; then `also`."""
    figure = ruling.figures[0]
    on = f"{figure.dataset}: " if len(_exams(run)) > 1 else ""
    sentence = {"bad": ruling.sentence, "inconclusive": ruling.remedy}.get(ruling.outcome, "")
    if ruling.not_judged:  # the number means nothing
        return _wrapped(MARKS[ruling.outcome], title, f"{on}{ruling.remedy}", width)
    named = worst is not None and (figure.dataset, figure.where.get("class")) == (worst.dataset, worst.name)
    line = figure.line_with_ties(worst.ties if worst is not None and named else 0)
    # On the line of the figure, so that the whole verdict fits on a screen.
    text = f"{on}{line}. {sentence}" if sentence else f"{on}{line}"
    return _wrapped(MARKS[ruling.outcome], title, f"{text}{also}", width)


def _wrapped(mark: str, name: str, text: str, width: int) -> list[str]:
    start = f"{mark:<2}{name:<{_INDENT - 2}}"
    together = text.replace("n = ", "n\0=\0")  # a line does not end within "n = 31"
    lines = textwrap.wrap(together, width, initial_indent=start, subsequent_indent=" " * _INDENT, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def _counts(verdict: Verdict) -> str:
    outcomes = list(verdict.areas.values())
    return ", ".join(f"{outcomes.count(o)} {o}" for o in ("bad", "inconclusive", "good", "not tested") if o in outcomes)


def _cell(verdict: Verdict, area: Area) -> str:
    rulings = [r for r in verdict.rulings if r.area == area]
    if not rulings:
        return ""
    worst = rulings[0]
    if not worst.figures:
        return MARKS[worst.outcome]
    if worst.not_judged:  # the number means nothing
        return "not judged"
    return f"{MARKS[worst.outcome]} {format_value(worst.figures[0].value, worst.figures[0].unit)}"
