"""`repair_captions`: from a model and pictures to the best way of encoding captions of several objects."""

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
from eyechart.probes.contract import ProbeInput
from eyechart.progress import Progress, SilentProgress
from eyechart.repair.captions.advice import caption_sentences
from eyechart.repair.captions.caption_tasks import caption_tasks
from eyechart.repair.captions.exhibits import change_exhibits, comparison_exhibits
from eyechart.repair.captions.metrics import CAPTION_METRICS
from eyechart.repair.captions.repair import CaptionsRepaired, choose_way
from eyechart.repair.captions.settings import CaptionSettings
from eyechart.repair.captions.vectors import AS_IS
from eyechart.repair.metrics import finding_dict
from eyechart.repair.model_session import open_session
from eyechart.repair.output_paths import page_folder, prepare_page_folder
from eyechart.report.exhibit_page import ExhibitPage, Section, write_exhibit_page
from eyechart.store.store import Store


@dataclass(frozen=True, eq=False)
class RepairedCaptions:
    """A caption repair and its files.

    file: The card, in JSON.
    page: The page of what changed.
    repaired: All findings; `repaired.chosen` is the way to pass to `caption_vectors`.
    """

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
    """Choose the best way of encoding captions of several objects on half of the pictures, and measure it on the other half.

    Args:
        model: The model, such as "open_clip:ViT-B-32/openai".
        data: Pictures with `objects`, or with captions that list objects.
        out: The card, F.json. The folder F-page is written next to it.
        settings: What may be done.
        name: What the results call the dataset.
        model_title: What the results call the model.
        split: Split of the dataset.
        root: Folder that the paths in a table start from.
        columns: Role → column of a table.
        limit: Use a seeded sample of this many pictures.
        device: For torch backends: "cpu", "cuda", "mps" or "auto".
        precision: "float32", "bfloat16" or "float16".
        store: Where vectors are cached.
        engine: How pictures are encoded.
        progress: Progress bars.

    Returns:
        The paths of the card and the page, and all findings.

    Example:
        >>> import eyechart
        >>> done = eyechart.repair_captions("demo:", "world-scenes", limit=120, out="captions.json")
        >>> done.file.name, done.page.is_file()
        ('captions.json', True)
    """
    settings, progress, engine = settings or CaptionSettings(), progress or SilentProgress(), engine or LocalEngine()
    out = Path(out)
    if out.suffix != ".json":
        raise UsageError(f"{out}: the card is a JSON file; give --out a name such as {out.stem}.json")
    prepare_page_folder(page_folder(out))
    entry = DataPlan(str(data), name, None, None, split, None if root is None else str(root), limit, columns or {})
    dataset = open_data(entry, seed=settings.seed)
    texts = caption_tasks(dataset, settings).texts(settings)
    with ExitStack() as stack:
        store = store or stack.enter_context(closing(Store()))
        inputs, facts = open_session(
            dataset,
            ModelPlan(model, model_title, device, precision),
            prompts=(),
            texts=texts,
            settings=settings,
            store=store,
            engine=engine,
            progress=progress,
            why="it cannot encode captions",
        )
        repaired = choose_way(inputs, settings)
    card = {
        "made_by": f"eyechart {__version__}",
        "way": repaired.chosen,
        "purposes": list(repaired.purposes),
        "settings": asdict(settings),
        "model": facts,
        "dataset": {"name": inputs.dataset.name, "n": len(inputs.dataset), "held_out": repaired.pictures},
        "scores": {
            purpose: {way: dict(zip(("selection", "held_out"), pair, strict=True)) for way, pair in scores.items()}
            for purpose, scores in repaired.scores.items()
        },
        "findings": [finding_dict(f, CAPTION_METRICS) for f in repaired.findings],
    }
    write_text(out, json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    page = write_exhibit_page(_page(repaired, inputs), page_folder(out))
    return RepairedCaptions(out, page, repaired)


def _page(repaired: CaptionsRepaired, inputs: ProbeInput[Any]) -> ExhibitPage:
    heading = "What changed" if repaired.chosen != AS_IS else "What the best other way would change"
    parts: list[tuple[str, str, list[Exhibit]]] = [
        (heading, " ".join(caption_sentences(repaired)), change_exhibits(repaired)),
        ("What was done", "", comparison_exhibits(repaired)),
    ]
    sections = tuple(Section(heading, sentence, tuple(shown)) for heading, sentence, shown in parts)
    lead = f"captions on {inputs.dataset.name}, measured on {repaired.pictures:,} held-out pictures"
    return ExhibitPage("Caption repair", inputs.model, lead, sections, (*inputs.dataset.notices, *repaired.notices))
