"""Draw charts of real runs for the pages of probes: docs/pictures/NAME.png.

    python scripts/make_probe_charts.py [NAME ...] [--store FOLDER]

Needs the extra `charts` and the models of zoo/. labels-by-group needs the reference data and assets of the tests
(EYECHART_REFDATA, EYECHART_ASSETS): portraits of members of Congress, and CLIP's image encoder. size-words needs `sbert`
and the sentence encoder of the assets.
"""

import argparse
import io
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

import eyechart
from eyechart.findings.run import read_run
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.report.exports.static_charts import draw_charts
from eyechart.store.store import Store

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
COLORS = 128


@dataclass(frozen=True)
class Shown:
    """One chart: an exhibit of a probe in a run.

    probe: The probe.
    exhibit: The exhibit's name.
    model: The model or models.
    data: The dataset.
    prompts: The prompt set; None for the default.
    limit: The number of pictures.
    settings: Settings of the probe.
    after: Other probes of the run, for a probe that compares models.
    """

    probe: str
    exhibit: str
    model: str | tuple[str, ...]
    data: str
    prompts: str | None = None
    limit: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    after: tuple[str, ...] = ()

    @property
    def plan(self) -> Plan:
        models = (self.model,) if isinstance(self.model, str) else self.model
        return Plan(
            models=tuple(ModelPlan(model) for model in models),
            datasets=(DataPlan(self.data, limit=self.limit),),
            probes=(*self.after, self.probe),
            prompts=None if self.prompts is None else (self.prompts,),
            settings={self.probe: self.settings},
        )


def congress(folder: Path, exhibit: str) -> Shown:
    """Portraits of members of Congress with the 80 names of COCO as labels, whose vectors come with the encoder."""
    tower = ROOT / os.environ.get("EYECHART_ASSETS", "assets") / "openai-vit-b16"
    members = ROOT / os.environ.get("EYECHART_REFDATA", "../shared/refdata") / "congress" / "members.csv"
    names = [str(n) for n in np.load(tower / "coco.npz", allow_pickle=False)["names"] if n != "background"]
    (folder / "coco-80.txt").write_text("\n".join(names))
    settings = {"labels": str(folder / "coco-80.txt"), "attributes": ["gender"], "shown": 8}
    return Shown("labels_by_group", exhibit, f"onnx:{tower}", str(members), settings=settings)


ORDERS = tuple(f"zoo:{order}-{seed}" for order in ("random-order", "largest-first", "smallest-first") for seed in range(3))
CHECKPOINTS = (*(f"zoo:random-order-1-at-{n}k" for n in (15, 30, 60, 90)), "zoo:random-order-1")


def sentence_encoder() -> str:
    return f"sbert:{ROOT / os.environ.get('EYECHART_ASSETS', 'assets') / 'all-minilm-l6-v2'}"


SHOWN: dict[str, Callable[[Path], Shown]] = {
    "cause": lambda _: Shown(
        "cause", "effects-01", ORDERS, "world-scenes", limit=504, after=("first_object", "large_object", "retrieval")
    ),
    "class-count": lambda _: Shown("class_count", "growth", "zoo:long-tail", "world-long-tail", "single", 540),
    "first-object-classifier": lambda _: Shown(
        "first_object_classifier", "positions", "zoo:largest-first-0", "world-objects", limit=60, settings={"captions": 800}
    ),
    "labels-by-group": lambda folder: congress(folder, "labels-gender"),
    "largest-named-first": lambda _: Shown("caption_order", "positions", "demo:", "world-scenes", limit=252),
    "margin": lambda _: Shown("margin", "signals-single", "zoo:long-tail", "world-long-tail", "single", 540),
    "progression": lambda _: Shown(
        "progression", "run-zoo-random-order-1", CHECKPOINTS, "world-objects", limit=60, after=("first_object",)
    ),
    "size-words": lambda _: Shown("size_words", "sizes", sentence_encoder(), "world-objects", limit=60),
    "skew": lambda _: Shown("skew", "skew-hat", "zoo:accused-hats", "world-people", "single"),
    "which-labels": lambda folder: congress(folder, "which-labels"),
}


def chart(shown: Shown, folder: Path, store: Store) -> bytes:
    eyechart.run(shown.plan, out=folder / "out", store=store)
    exhibits = [e for e in read_run(folder / "out").exhibits if (e.probe, e.exhibit.name) == (shown.probe, shown.exhibit)]
    if not exhibits:
        raise SystemExit(f"{shown.probe}: no exhibit {shown.exhibit!r} in the run")
    print(exhibits[0].exhibit.sentence)
    (path,) = draw_charts(exhibits[:1], folder / "charts", "png")
    return path.read_bytes()


def main(names: list[str], store: Path | None) -> None:
    for name in names:
        with TemporaryDirectory() as place:
            folder = Path(place)
            picture = chart(SHOWN[name](folder), folder, Store(store or folder / "store"))
        page = Image.open(io.BytesIO(picture)).convert("RGB")
        page.quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)
        print(f"{name}.png: {(PICTURES / f'{name}.png').stat().st_size / 1000:.0f} kB, {page.width} x {page.height}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*SHOWN, []], metavar="NAME", help=", ".join(SHOWN))
    parser.add_argument("--store", type=Path, help="a store of vectors; a temporary one where not given")
    args = parser.parse_args()
    main(args.names or list(SHOWN), args.store)
