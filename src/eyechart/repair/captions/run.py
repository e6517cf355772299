"""The repair of captions: from a model and pictures to the way in which captions of several things are best said to it."""

import json
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eyechart import __version__
from eyechart.encode.engine import Engine
from eyechart.encode.local import LocalEngine
from eyechart.errors import UsageError
from eyechart.files.atomic import write_text
from eyechart.findings.exhibit import Exhibit
from eyechart.inputs import open_data
from eyechart.plan import DataPlan, ModelPlan
from eyechart.probes.probe import ProbeInput
from eyechart.progress import Progress, SilentProgress
from eyechart.repair.captions.advice import caption_sentences
from eyechart.repair.captions.exhibits import change_exhibits, tried_exhibits
from eyechart.repair.captions.outcome import CaptionsRepaired, repair_wording
from eyechart.repair.captions.questions import caption_questions
from eyechart.repair.captions.settings import CaptionSettings
from eyechart.repair.captions.vectors import AS_IS
from eyechart.repair.model_session import open_session
from eyechart.repair.output_folder import page_folder, prepare_page_folder
from eyechart.report.exhibit_page import ExhibitPage, Section, write_exhibit_page
from eyechart.store.store import Store


@dataclass(frozen=True, eq=False)
class RepairedCaptions:
    """`file`: the card in JSON, `page`: what rose and fell. `repaired.chosen` is the way to give to `caption_vectors`."""

    file: Path
    page: Path
    repaired: CaptionsRepaired


def repair_captions(
    model: str,
    data: str | Path,
    *,
    out: str | Path,
    settings: CaptionSettings | None = None,
    name: str | None = None,
    model_title: str | None = None,
    split: str | None = None,
    root: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
    limit: int | None = None,
    device: str = "cpu",
    precision: str = "float32",
    store: Store | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RepairedCaptions:
    """Find out in which way captions of several things are best said to a model, on half of the pictures, and measure what that
    changes on the other half.

    data: pictures with `objects`, or with captions that list things. out: F.json; the folder F-page is written beside it.
    """
    settings, progress, engine = settings or CaptionSettings(), progress or SilentProgress(), engine or LocalEngine()
    out = Path(out)
    if out.suffix != ".json":
        raise UsageError(f"{out}: what is found is a JSON file; give --out a name such as {out.stem}.json")
    prepare_page_folder(page_folder(out))
    entry = DataPlan(str(data), name, None, None, split, None if root is None else str(root), limit, columns or {})
    dataset = open_data(entry, seed=settings.seed)
    said = caption_questions(dataset, settings).said(settings)
    with ExitStack() as stack:
        store = store or stack.enter_context(closing(Store()))
        inputs, facts = open_session(
            dataset,
            ModelPlan(model, model_title, device, precision),
            prompts=(),
            texts=said,
            settings=settings,
            store=store,
            engine=engine,
            progress=progress,
            why="captions cannot be said to it",
        )
        repaired = repair_wording(inputs, settings)
    card = {
        "made_by": f"eyechart {__version__}",
        "way": repaired.chosen,
        "purposes": list(repaired.purposes),
        "settings": asdict(settings),
        "model": facts,
        "dataset": {"name": inputs.dataset.name, "n": len(inputs.dataset), "held_out": repaired.pictures},
        "scores": {
            purpose: {way: dict(zip(("looked_at", "held_out"), pair, strict=True)) for way, pair in of.items()}
            for purpose, of in repaired.scores.items()
        },
        "findings": [asdict(f) for f in repaired.findings],
    }
    write_text(out, json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    page = write_exhibit_page(_page(repaired, inputs), page_folder(out))
    return RepairedCaptions(out, page, repaired)


def _page(repaired: CaptionsRepaired, inputs: ProbeInput[Any]) -> ExhibitPage:
    heading = "What changed" if repaired.chosen != AS_IS else "What the next best way would change"
    parts: list[tuple[str, str, list[Exhibit]]] = [
        (heading, " ".join(caption_sentences(repaired)), change_exhibits(repaired)),
        ("What was done", "", tried_exhibits(repaired)),
    ]
    sections = tuple(Section(heading, sentence, tuple(shown)) for heading, sentence, shown in parts)
    lead = f"captions on {inputs.dataset.name}, measured on {repaired.pictures:,} pictures that no choice was made on"
    return ExhibitPage("Repair of captions", inputs.model, lead, sections, (*inputs.dataset.notices, *repaired.notices))
