"""A run folder as the exam leaves it: two models, one dataset, one probe, drawn pictures, and any text where users put text."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image, ImageDraw
from tests.found import table_of
from tests.report.sample_predictions import sample_ids, write_sample_predictions

from eyechart.findings import charts, exhibit, skip
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.registry import get_probe, probe_names

HOSTILE = "<script>alert(1)</script>"
NASTY = (
    HOSTILE,
    "\"double\" & 'single' </script><!-- ",
    "قط صغير جدا",
    "\u202eright-to-left override",
    "two\nlines\tand a tab",
    "猫 🐈 ñandú Ångström",
    "a.b[c]\\d{e}",
    "javascript:alert(1)",
    "<img src=x onerror=alert(1)>",
    "a very long class name " * 12,
    "\u2028line separator\u2029",
    "control \x01\x0b character",
)
CALM = (
    "tabby cat", "siamese cat", "lynx", "border collie", "arctic fox", "red fox", "gray wolf", "house finch", "goldfinch",
    "junco", "monarch butterfly", "ringlet butterfly",
)  # fmt: skip
PROTOCOL = "9f2c1ab07e44d0c1"


def write_sample_run(
    folder: Path,
    *,
    classes: Sequence[str] = CALM,
    models: Sequence[str] = ("ViT-B-32 · laion2b", "ViT-L-14 · openai"),
    dataset: str = "garden visitors",
    prompts: Sequence[str] = ("openai-80", "single"),
    probe_text: str = "",
) -> Path:
    """`probe_text` is appended to titles, sentences, ids and reasons: wherever a probe or a user could write."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(7)
    tables, shown = [], set()
    for place, model in enumerate(models):
        findings: list[Finding] = []
        for turn, prompt in enumerate(prompts):
            accuracy = np.clip(np.sort(random.beta(5 + 3 * place - turn / 2, 2.2, len(classes))), 0.02, 0.98)
            findings += _findings(classes, accuracy, prompt)
            exhibits = _exhibits(classes, accuracy, prompt, random, probe_text)
            for number, made in enumerate(exhibits):
                _write_exhibit(folder, made, model, dataset, "zero_shot", f"{place}-{turn}-{number}")
                if made.kind == "pictures":
                    shown |= {i for ids in made.table["ids"].to_pylist() for i in ids}
        tables.append(table_of(findings, model=model, dataset=dataset, probe="zero_shot", protocol=PROTOCOL, version=1))
    pq.write_table(pa.concat_tables(tables), folder / "findings.parquet")
    reason = f"{models[0]} gives no attention maps; ask a model that does{probe_text}"
    pq.write_table(skip.to_table([skip.Skip(models[0], dataset, "attention", reason)]), folder / "skips.parquet")
    write_sample_predictions(folder, classes=classes, models=models, dataset=dataset, prompts=prompts, text=probe_text)
    _write_exam(folder, models, dataset, sorted(shown | set(sample_ids(classes, probe_text))), probe_text)
    (folder / "protocol.json").write_text(json.dumps(_protocol(models, dataset, classes, prompts, probe_text)), encoding="utf-8")
    return folder


def add_probe(folder: Path, probe: str, findings: Sequence[Finding], *, first: bool = False) -> None:
    """One more probe, which exhibits nothing, asked of the first model; `first`: listed before the others by the protocol."""
    protocol = json.loads((folder / "protocol.json").read_text("utf-8"))
    metrics = [metric.to_dict() for metric in get_probe(probe).metrics] if probe in probe_names() else []
    headline = [f.metric for f in findings[:1]]
    entry = {probe: {"question": f"What does {probe} find?", "version": 1, "headline": headline, "metrics": metrics}}
    protocol["probes"] = entry | protocol["probes"] if first else protocol["probes"] | entry
    (folder / "protocol.json").write_text(json.dumps(protocol), encoding="utf-8")
    model, dataset = next(iter(protocol["models"])), next(iter(protocol["datasets"]))
    more = table_of(findings, model=model, dataset=dataset, probe=probe, protocol=PROTOCOL, version=1)
    pq.write_table(pa.concat_tables([pq.read_table(folder / "findings.parquet"), more]), folder / "findings.parquet")


def _findings(classes: Sequence[str], accuracy: np.ndarray, prompt: str) -> list[Finding]:
    under = {"prompts": prompt}
    mean, n = float(accuracy.mean()), 50 * len(classes)
    wide = 1.96 * (mean * (1 - mean) / n) ** 0.5
    rows = [
        Finding(
            metric="top1",
            value=mean,
            n=n,
            low=mean - wide,
            high=mean + wide,
            slice=under,
            interval="bootstrap over pictures, 95%",
        ),
        Finding(
            metric="top5", value=min(mean + 0.15, 0.999), n=n, low=min(mean + 0.13, 0.99), high=min(mean + 0.17, 1), slice=under
        ),
        Finding(metric="mean_per_class", value=mean, n=n, low=mean - wide, high=mean + wide, slice=under),
        Finding(
            metric="worst_class",
            value=float(accuracy[0]),
            n=50,
            low=max(accuracy[0] - 0.05, 0),
            high=accuracy[0] + 0.06,
            slice={"class": classes[0], **under},
        ),
        Finding(metric="chance", value=1 / len(classes), n=n, slice=under, higher_is_better=None),
        Finding(metric="ties", value=0.0, n=n, low=None, high=None, slice=under, higher_is_better=False),
        Finding(metric="unknown_thing", value=None, n=0, slice=under, unit="bits"),
    ]
    for name, a in zip(classes, accuracy, strict=True):
        low, high = max(a - 0.08, 0), min(a + 0.08, 1)
        rows.append(
            Finding(
                metric="class_accuracy",
                value=float(a),
                n=50,
                low=low,
                high=high,
                slice={"class": name, **under},
                interval="Wilson, 95%",
            )
        )
    return rows


def _exhibits(classes: Sequence[str], accuracy: np.ndarray, prompt: str, random: np.random.Generator, text: str) -> list[Exhibit]:
    under = {"prompts": prompt}
    few = list(classes[:20])
    column = f"class.[0]'\"\\{text}" if text else "class"
    per_class = pa.table(
        {column: few, "accuracy": accuracy[:20], "low": np.maximum(accuracy[:20] - 0.08, 0), "high": accuracy[:20] + 0.02}
    )
    cells = [(t, p) for t in few[:10] for p in few[:10]]
    matrix = pa.table(
        {"true": [t for t, _ in cells], "predicted": [p for _, p in cells], "share": random.dirichlet([0.4] * 10, 10).ravel()}
    )
    pairs = [(few[i], few[(i + 1) % len(few)]) for i in range(min(8, len(few)))]
    confused = pa.table(
        {
            "true": [t for t, _ in pairs],
            "predicted": [p for _, p in pairs],
            "count": list(range(len(pairs), 0, -1)),
            "ids": [[f"{t}/{k}{text}" for k in range(1 + i % 4)] for i, (t, _) in enumerate(pairs)],
        }
    )
    x = np.linspace(0.05, 0.95, 10)
    curve = pa.table({"confidence": x, "accuracy": x * 0.85, "low": x * 0.85 - 0.04, "high": x * 0.85 + 0.04})
    edges = np.linspace(0, 1, 21)
    counted = pa.table({"start": edges[:-1], "end": edges[1:], "count": random.integers(1, 90, 20)})
    dots = charts.dots_with_intervals(category=column, value="accuracy", low="low", high="high", category_title="")
    cells_chart = charts.heatmap(x="predicted", y="true", value="share")
    line = charts.line_with_band(x="confidence", y="accuracy", low="low", high="high", x_unit="fraction", diagonal=True)
    bins = charts.histogram(start="start", end="end", count="count", value_title="confidence", unit="fraction")
    shown = [
        (
            "per-class",
            f"Accuracy of the weakest classes{text}",
            f"The first is missed most often.{text}",
            per_class,
            "chart",
            dots,
        ),
        ("confusion", "Who is taken for whom", "Off the diagonal, strong cells are habits.", matrix, "chart", cells_chart),
        ("reliability", "Confidence against accuracy", "Under the dashes it is surer than right.", curve, "chart", line),
        ("margins", "How sure it is", "Most answers are given with confidence.", counted, "chart", bins),
        ("pairs", "The most confused pairs", "Each was taken for its neighbor.", confused, "pictures", None),
        ("hubs", "Classes that attract", "Some names win too often.", per_class.slice(0, 4), "table", None),
    ]
    return [Exhibit(f"{name}-{prompt}", *rest, slice=under) for name, *rest in shown]


def _write_exhibit(folder: Path, made: Exhibit, model: str, dataset: str, probe: str, start: str = "") -> None:
    place = folder / "exhibits" / probe
    place.mkdir(parents=True, exist_ok=True)
    name = exhibit.slug(f"{start}-{made.name}-{model}-{dataset}")
    pq.write_table(exhibit.to_table(made, model=model, dataset=dataset, probe=probe), place / f"{name}.parquet")


def _write_exam(folder: Path, models: Sequence[str], dataset: str, ids: list[str], text: str) -> None:
    pictures = pa.table(
        {
            "dataset": pa.array([dataset] * len(ids), pa.string()),
            "id": pa.array(ids, pa.string()),
            "jpeg": [drawn(i) for i in range(len(ids))],
        }
    )
    aside = pa.table(
        {"id": [f"broken{text}"], "place": [f"photos/broken{text}.jpg"], "reason": ["the file ends after 1,204 bytes"]}
    )
    notices = pa.table(
        {"where": [dataset], "what": [f"2 classes have the same prompts{text}"], "remedy": ["give them distinct names"]}
    )
    for model in models:
        _write_exhibit(folder, Exhibit("set-aside", "Pictures set aside", "", aside, "table"), model, dataset, "exam")
    for name, table in (("pictures-1", pictures), ("notices", notices)):
        _write_exhibit(folder, Exhibit(name, name, "", table, "table"), "all", "all", "exam")


def drawn(seed: int) -> bytes:
    """A small JPEG that a person can tell from the next one."""
    random = np.random.default_rng(seed)
    sky, ground, thing = (tuple(int(c) for c in random.integers(40, 230, 3)) for _ in range(3))
    picture = Image.new("RGB", (120, 96), sky)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 60, 120, 96), fill=ground)
    x, y = (int(v) for v in random.integers(15, 60, 2))
    pen.ellipse((x, y - 10, x + 42, y + 30), fill=thing)
    held = io.BytesIO()
    picture.save(held, "JPEG", quality=85)
    return held.getvalue()


def _protocol(
    models: Sequence[str], dataset: str, classes: Sequence[str], prompts: Sequence[str], text: str
) -> dict[str, object]:
    return {
        "eyechart": "0.1.0",
        "protocols": {
            PROTOCOL: {"probe": "zero_shot", "version": 1, "settings": {"pairs": 20, "seed": 0}, "prompts": list(prompts)}
        },
        "models": {
            m: {
                "spec": f"onnx:{m}",
                "fingerprint": "ab" * 16,
                "card": {"architecture": "ViT-B-32", "source": None, "notes": [f"trained on captions of gardens{text}"]},
                "logit_scale": 100.0,
            }
            for m in models
        },
        "datasets": {
            dataset: {"n": 50 * len(classes), "classes": list(classes), "reader": {"kind": "folder"}, "fingerprint": "cd" * 16}
        },
        "probes": {
            "zero_shot": {
                "question": "How often does the model name the right class, and which classes does it fail?",
                "version": 1,
                "headline": ["top1", "mean_per_class", "worst_class"],
                "metrics": [metric.to_dict() for metric in get_probe("zero_shot").metrics],
                "profiles": ["classify", "audit", "paper"],
            }
        },
        "environment": {"python": "3.11.9", "numpy": "2.1.0"},
    }
