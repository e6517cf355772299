"""Draw the pictures of the docs from real runs: docs/pictures/NAME.png.

    python scripts/make_probe_charts.py [NAME ...] [--store FOLDER]

Needs the extra `charts` and the models of zoo/. Some need the reference data and assets of the tests (EYECHART_REFDATA,
EYECHART_ASSETS): labels-by-group and which-labels (portraits of members of Congress), shape-bias, correspondence (CLIP's image
encoder) and study-trend. size-words needs `sbert` and the sentence encoder of the assets, attention-blocks needs `hf`, report and
caption-guide need Chromium. The other pictures come from make_contact_sheets.py (world-*), make_bank_sheet.py (bank-scenes) and
write_zoo_page.py (caption-order).
"""

import argparse
import io
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image, ImageChops

import eyechart
from eyechart.cli.main import main as command
from eyechart.findings.exhibit import Exhibit, PlacedExhibit
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.repair.captions.exhibits import change_exhibits as caption_change_exhibits
from eyechart.repair.exhibits import change_exhibits
from eyechart.report.exports.static_charts import draw_charts
from eyechart.store.store import Store

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
ASSETS = ROOT / os.environ.get("EYECHART_ASSETS", "assets")
REFDATA = ROOT / os.environ.get("EYECHART_REFDATA", "../shared/refdata")
COLORS = 128
CHROMIUM = "chromium"

Draw = Callable[[Path, Store], Image.Image]  # a folder to work in, a store


@dataclass(frozen=True)
class Shown:
    """An exhibit of a probe in a run.

    probe: The probe.
    exhibit: The beginning of the exhibit's name.
    model: The model or models.
    data: The dataset.
    prompts: The prompt set; None for the default.
    limit: The number of pictures.
    settings: Settings of the probe.
    after: Other probes of the run, for a probe that compares models.
    shift: A shifted dataset.
    targets: A dataset of single objects.
    """

    probe: str
    exhibit: str
    model: str | tuple[str, ...]
    data: str
    prompts: str | None = None
    limit: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    shift: str | None = None
    targets: str | None = None

    @property
    def plan(self) -> Plan:
        models = (self.model,) if isinstance(self.model, str) else self.model
        others = [DataPlan(self.shift, role="shift")] if self.shift else []
        others += [DataPlan(self.targets, role="targets")] if self.targets else []
        return Plan(
            models=tuple(ModelPlan(model) for model in models),
            datasets=(DataPlan(self.data, limit=self.limit), *others),
            probes=(*self.after, self.probe),
            prompts=None if self.prompts is None else (self.prompts,),
            settings={self.probe: self.settings},
        )

    def __call__(self, folder: Path, store: Store) -> Image.Image:
        done = eyechart.run(self.plan, out=folder / "out", store=store)
        found = [e for e in done.run.exhibits if e.probe == self.probe and e.exhibit.name.startswith(self.exhibit)]
        if not found:
            there = sorted(e.exhibit.name for e in done.run.exhibits if e.probe == self.probe)
            raise SystemExit(f"{self.probe}: no exhibit {self.exhibit!r} in the run (there are: {', '.join(there)})")
        exhibit = found[0].exhibit
        return _grid(exhibit) if exhibit.kind == "pictures" else _chart(found[0], folder)


def _chart(placed: PlacedExhibit, folder: Path) -> Image.Image:
    print(placed.exhibit.sentence)
    (path,) = draw_charts([placed], folder / "charts", "png")
    return _opened(path.read_bytes())


def _grid(exhibit: Exhibit, across: int = 4) -> Image.Image:
    """The drawn pictures of an exhibit, side by side."""
    drawn = [_opened(content) for content in exhibit.table.column("drawn").to_pylist()]
    wide, high, gap = max(d.width for d in drawn), max(d.height for d in drawn), 12
    rows = -(-len(drawn) // across)
    sheet = Image.new("RGB", (across * (wide + gap) - gap, rows * (high + gap) - gap), "white")
    for i, picture in enumerate(drawn):
        sheet.paste(picture, (i % across * (wide + gap), i // across * (high + gap)))
    return sheet


def _opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content)).convert("RGB")


def congress(exhibit: str) -> Draw:
    """Portraits of members of Congress with the 80 names of COCO as labels, whose vectors come with the encoder."""

    def draw(folder: Path, store: Store) -> Image.Image:
        tower = ASSETS / "openai-vit-b16"
        names = [str(n) for n in np.load(tower / "coco.npz", allow_pickle=False)["names"] if n != "background"]
        (folder / "coco-80.txt").write_text("\n".join(names))
        settings = {"labels": str(folder / "coco-80.txt"), "attributes": ["gender"], "shown": 8}
        members = str(REFDATA / "congress" / "members.csv")
        return Shown("labels_by_group", exhibit, f"onnx:{tower}", members, settings=settings)(folder, store)

    return draw


def correspondence(folder: Path, store: Store) -> Image.Image:
    """80 pairs of views, rendered at the size that the encoder takes."""
    command(["world", "render", str(folder / "views"), "--dataset", "world-views", "--side", "224", "--n", "160", "--quiet"])
    views, tower = str(folder / "views" / "dataset.parquet"), f"onnx:{ASSETS / 'openai-vit-b16'}"
    return Shown("correspondence", "tolerance", tower, views)(folder, store)


def repair(folder: Path, store: Store) -> Image.Image:
    done = eyechart.repair_classifier(
        "zoo:long-tail", "world-long-tail", describe="world", out=folder / "repaired.safetensors", store=store
    )
    exhibit = next(e for e in change_exhibits(done.repaired) if e.name == "classes")
    return _chart(PlacedExhibit("", "", "", exhibit), folder)


def caption_repair(folder: Path, store: Store) -> Image.Image:
    done = eyechart.repair_captions(
        "zoo:largest-first-0", "world-retrieval", limit=504, out=folder / "captions.json", store=store
    )
    exhibit = next(e for e in caption_change_exhibits(done.repaired) if e.name.endswith("-changes"))
    return _chart(PlacedExhibit("", "", "", exhibit), folder)


def study_trend(folder: Path, store: Store) -> Image.Image:
    study = ["--study", str(folder / "study.parquet")]
    for kind, place in (("open_clip", "open_clip"), ("timm", "timm"), ("testbed", "imagenet-testbed")):
        command(["study", "add", "--from", kind, str(REFDATA / place), *study])
    command(["study", "trend", "--y", "imagenet-sketch", *study, "--out", str(folder / "page"), "--charts", "png"])
    (path,) = (folder / "page").rglob("*.png")
    return _opened(path.read_bytes())


def page(model: str, data: str, show: str, width: int, height: int) -> Draw:
    """The page of an examination in Chromium: its top, or one section."""

    def draw(folder: Path, store: Store) -> Image.Image:
        exam = eyechart.examine(model, data, out=folder / "out", store=store)
        file = exam.folder / "report" / "index.html"
        if show:
            text = file.read_text(encoding="utf-8")
            alone = f"<style>body *:not(:has({show})):not({show}):not({show} *){{display:none}}</style></head>"
            file.write_text(text.replace("</head>", alone, 1), encoding="utf-8")
        shot = folder / "shot.png"
        words = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={width},{height}", f"--screenshot={shot}"]
        subprocess.run([CHROMIUM, *words, file.as_uri()], check=True, capture_output=True)
        picture = _opened(shot.read_bytes())
        return _trimmed(picture) if show else picture

    return draw


def _trimmed(picture: Image.Image, margin: int = 16) -> Image.Image:
    """Without the empty part below."""
    ground = Image.new("RGB", picture.size, picture.getpixel((0, picture.height - 1)))
    box = ImageChops.difference(picture, ground).getbbox()
    return picture if box is None else picture.crop((0, max(box[1] - margin, 0), picture.width, box[3] + margin))


ORDERS = tuple(f"zoo:{order}-{seed}" for order in ("random-order", "largest-first", "smallest-first") for seed in range(3))
CHECKPOINTS = (*(f"zoo:random-order-1-at-{n}k" for n in (15, 30, 60, 90)), "zoo:random-order-1")

DEMO, SCENES, RATIOS = "demo:", "world-scenes", "world-size-ratios"
SENTENCES = f"sbert:{ASSETS / 'all-minilm-l6-v2'}"
STIMULI = f"cue-conflict:{REFDATA / 'cue-conflict'}"

SHOWN: dict[str, Draw] = {
    "accuracy-under-shift": Shown("shift", "accuracy-under-shift-single", DEMO, "world-shifts", "single"),
    "attention": Shown("attention", "attention-by-size", DEMO, SCENES),
    "attention-blocks": Shown(
        "attention",
        "attention-by-block",
        f"hf:{ROOT / 'zoo' / 'largest-first-0'}",
        SCENES,
        limit=252,
        settings={"blocks": "all", "heads": True},
    ),
    "attention-maps": Shown("attention", "attention-maps", DEMO, SCENES),
    "calibration-under-shift": Shown(
        "calibration", "ece-under-shift-openai-80", DEMO, "world-objects", "openai-80", shift="world-shifts"
    ),
    "caption-guide": page("zoo:largest-first-0", "world", "#guide", 1000, 1600),
    "caption-repair": caption_repair,
    "cause": Shown("cause", "effects-01", ORDERS, SCENES, limit=504, after=("first_object", "large_object", "retrieval")),
    "class-change": Shown("class_change", "change-world-people-without-kid-kid-role", DEMO, "world-people", "single"),
    "class-count": Shown("class_count", "growth", "zoo:long-tail", "world-long-tail", "single", 540),
    "class-groups": Shown("class_groups", "rates-1", "zoo:accused-hats", "world-people"),
    "composition": Shown("composition", "kinds", DEMO, "world-foils"),
    "correspondence": correspondence,
    "errors-by-severity": Shown("corruption", "errors-by-severity-single", DEMO, "world-shifts", "single"),
    "factors": Shown("factors", "paired-drops-single", DEMO, "world-factors", "single"),
    "first-object": Shown("first_object", "positions", "zoo:largest-first-0", "world-objects", limit=60),
    "first-object-classifier": Shown(
        "first_object_classifier", "positions", "zoo:largest-first-0", "world-objects", limit=60, settings={"captions": 800}
    ),
    "generation": Shown("generation", "prominent", DEMO, "world-prompts"),
    "labels-by-group": congress("labels-gender"),
    "large-object-classifier": Shown("large_object_classifier", "accuracy-by-size", DEMO, RATIOS),
    "large-object-dose": Shown("large_object", "size-ratio", DEMO, RATIOS, targets="world-objects"),
    "largest-named-first": Shown("caption_order", "positions", DEMO, SCENES, limit=252),
    "margin": Shown("margin", "signals-single", "zoo:long-tail", "world-long-tail", "single", 540),
    "matching": Shown("matching", "trials", DEMO, SCENES),
    "ood-by-score": Shown("ood", "auroc-by-score-single", DEMO, "world-ood", "single"),
    "ood-scores": Shown("ood", "scores-single", DEMO, "world-ood", "single"),
    "progression": Shown(
        "progression", "run-zoo-random-order-1", CHECKPOINTS, "world-objects", limit=60, after=("first_object",)
    ),
    "prompts": Shown("prompts", "differences", DEMO, "world-ood", "single"),
    "prompts-factors": Shown("prompts", "factors", DEMO, "world-factors", "single"),
    "reliability": Shown("calibration", "reliability-single", "zoo:overconfident", "world-factors", "single"),
    "repair": repair,
    "report": page(DEMO, "world", "", 1280, 1380),
    "retrieval": Shown("retrieval", "recall", DEMO, "world-retrieval"),
    "shape-bias": Shown("shape_bias", "categories", f"onnx:{ASSETS / 'openai-vit-b16'}", STIMULI),
    "size-words": Shown("size_words", "sizes", SENTENCES, "world-objects", limit=60),
    "skew": Shown("skew", "skew-hat", "zoo:accused-hats", "world-people", "single"),
    "study-trend": study_trend,
    "weakest-classes": Shown("zero_shot", "weakest-classes-single", DEMO, "world-objects", "single"),
    "which-labels": congress("which-labels"),
    "worst": Shown("worst", "averages-single", "zoo:long-tail", "world-long-tail", "single", 540),
}


def main(names: list[str], store: Path | None) -> None:
    with TemporaryDirectory() as place:
        kept = Store(store or Path(place) / "store")
        for name in names:
            with TemporaryDirectory() as folder:
                picture = SHOWN[name](Path(folder), kept)
            file = PICTURES / f"{name}.png"
            picture.quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, optimize=True)
            print(f"{name}.png: {file.stat().st_size / 1000:.0f} kB, {picture.width} x {picture.height}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*SHOWN, []], metavar="NAME", help=", ".join(SHOWN))
    parser.add_argument("--store", type=Path, help="a store of vectors; a temporary one where not given")
    args = parser.parse_args()
    main(args.names or list(SHOWN), args.store)
