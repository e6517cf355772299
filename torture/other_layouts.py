# ruff: noqa: E501 - one input a line
"""Valid inputs other than datasets: class names, prompts, plans, models, vectors, classifiers, tables of results, examinations."""

import io
import os
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from eyechart.classifier import Classifier
from eyechart.data.class_design import read_design
from eyechart.data.class_file import read_classes
from eyechart.data.label_set import read_labels
from eyechart.files.hashing import HashMemory
from eyechart.files.safetensors import read_tensors, write_tensors
from eyechart.findings.prediction_query import PredictionQuery, select_predictions
from eyechart.findings.run import read_run
from eyechart.gate.config import read_gate
from eyechart.models.model_json import read_model_json
from eyechart.models.open import open_model
from eyechart.plan import read_plan
from eyechart.prompts.library import load_prompts
from eyechart.repair.descriptions import file_descriptions
from eyechart.report.page import write_report
from eyechart.report.summary import summary_rows
from eyechart.report.terminal import one_model
from eyechart.study.importers.registry import TABLES
from eyechart.study.sources import open_tables
from eyechart.verdict.verdict import verdict_of
from eyechart.world.training.recipe_file import read_recipe
from torture.layouts import Files, Target, dump, npz

PLAN = b"""seed = 1
prompts = ["single", "templates.txt"]
probes = ["zero_shot", "ood"]
[settings.ood]
resamples = 10
[[models]]
spec = "demo:"
name = "m"
[[datasets]]
source = "photos"
limit = 10
columns = {label = "species"}
role = "exam"
[targets]
top1 = 0.5
[gate]
fail_if = ["top1 < 0.8"]
"""
DESIGN = b"""about = "who is classified as a thief"
harmful = ["crime"]
attributes = ["age"]
[groups]
person = ["man", "woman"]
crime = ["thief", "criminal"]
"""
CLIP_TABLE = b"name,pretrained,params (M),FLOPs (B),Average perf. on 38 datasets,ImageNet 1k,ImageNet Sketch\nViT-B-32,openai,151.28,14.78,0.4,0.63,0.42\n"
TIMM_TABLE = b"model,img_size,top1,top1_err,top5,top5_err,param_count,crop_pct,interpolation\nresnet50.a1_in1k,224,80.2,19.8,94.6,5.4,25.56,0.95,bicubic\n"


def texts_and_plans() -> list[Target]:
    """Files that users write by hand."""
    words = ("text", "json", "csv")
    names = {
        "c.txt": b"cat\ndog, hound\n",
        "c.json": dump({"a": ["cat", "kitty"], "b": "dog"}),
        "c.csv": b"label,name\na,cat\nb,dog\n",
    }
    return [
        *(Target(f"class names ({w})", {n: data}, lambda folder, n=n: read_classes(folder / n)) for w, (n, data) in zip(words, names.items(), strict=True)),
        Target("class design", {"d.toml": DESIGN}, lambda folder: read_design(str(folder / "d.toml"))),
        Target("label set", {"l.txt": b"# labels\ncat\ndog\n"}, lambda folder: read_labels(str(folder / "l.txt"))),
        Target("prompts (text)", {"p.txt": b"a photo of a {}.\na drawing of a {}.\n"}, lambda folder: load_prompts(folder / "p.txt")),
        Target("prompts (json)", {"p.json": dump(["a photo of a {}.", "a {}"])}, lambda folder: load_prompts(folder / "p.json")),
        Target("plan", {"plan.toml": PLAN}, lambda folder: read_plan(folder / "plan.toml")),
        Target("gate", {"gate.toml": PLAN}, lambda folder: read_gate(folder / "gate.toml")),
        Target("recipe", {"r.toml": b'name = "m"\nseed = 1\nsamples = 1000\nbatch = 10\nunseen = ["pose"]\nrate = 0.1\ncheckpoints = [100]\n'},
               lambda folder: read_recipe(folder / "r.toml")),
        Target("descriptions", {"d.json": dump({"cat": ["whiskers", "fur"], "dog": ["a tail"]})}, _describe),
        Target("open_clip results", {"r.csv": CLIP_TABLE}, _table("open_clip", "r.csv")),
        Target("timm results", {"results-imagenet.csv": TIMM_TABLE}, _table("timm", "results-imagenet.csv")),
        Target("robustbench results", {"r.csv": b"model,a,a,a,a,a\n,1,2,3,4,5\nAlexNet,0.5,0.4,0.3,0.2,0.1\n"}, _table("robustbench", "r.csv")),
        Target("model soups results", {"r.jsonl": dump({"model_name": "m", "ImageNet": 0.7, "ImageNetV2": 0.6})}, _table("model_soups", "r.jsonl")),
    ]  # fmt: skip


def _describe(folder: Path) -> None:
    (folder / "names.txt").write_text("cat\ndog\n")
    file_descriptions(folder / "d.json", read_classes(folder / "names.txt"))(["cat", "dog"])


def _table(kind: str, name: str) -> Callable[[Path], object]:
    return lambda folder: TABLES.get(kind)(open_tables([str(folder / name)]))


def models() -> list[Target]:
    """Models and vectors."""
    ids, vectors = np.array(["a", "b"]), np.eye(2, 3, dtype=np.float32)
    arrays = npz(image_ids=ids, image_vectors=vectors, texts=ids, text_vectors=vectors, logit_scale=np.array(10.0))
    columns = io.BytesIO()
    pq.write_table(pa.table({"id": ["a", "b"], "vector": [[1.0, 2.0], [2.0, 1.0]]}), columns)
    model = Path(str(files("eyechart.world") / "default_model"))
    kept = {name: (model / name).read_bytes() for name in ("model.json", "tokenizer.json")}
    networks = kept | {name: (model / name).read_bytes() for name in ("image.onnx", "text.onnx", "model.safetensors")}
    kept |= dict.fromkeys(("image.onnx", "text.onnx"), b"")
    with tempfile.TemporaryDirectory() as work:
        tensors = Path(work) / "t.safetensors"
        write_tensors(tensors, {"a": vectors, "b": np.arange(3)}, {"about": "x"})
        classifier = Path(work) / "c.safetensors"
        two = Classifier(("cat", "dog"), ("cat", "dog"), vectors, 100.0, 0.0, 1.0, np.zeros(2), about={"model": "m"})
        two.save(classifier)
        two.save(classifier.with_suffix(".json"))
        saved = {path.name: path.read_bytes() for path in (tensors, classifier, classifier.with_suffix(".json"))}
    return [
        Target("vectors (npz)", {"v.npz": arrays}, lambda folder: _open(f"vectors:{folder / 'v.npz'}", folder)),
        Target("vectors (parquet)", {"images.parquet": columns.getvalue()}, lambda folder: _open(f"vectors:{folder}", folder)),
        Target(
            "network (onnx)", networks, lambda folder: _encode_text(folder), ("model.json", "tokenizer.json", "image.onnx"), 0.02
        ),
        Target("model.json", kept, lambda folder: read_model_json(folder), ("image.onnx", "text.onnx", "tokenizer.json")),
        *(
            Target(f"classifier ({n[2:]})", {n: saved[n]}, lambda folder, n=n: Classifier.load(folder / n))
            for n in ("c.safetensors",)
        ),
        Target(
            "predictions (csv)",
            {"p.csv": b"id,label,score\na,cat,0.9\nb,dog,0.5\n"},
            lambda folder: _predictions(folder / "p.csv"),
        ),
        Target(
            "predictions (jsonl)",
            {
                "p.jsonl": b'{"id": "a", "labels": ["cat", "dog"], "scores": [0.9, 0.1]}\n{"id": "b", "labels": ["cow"], "scores": [1]}\n'
            },
            lambda folder: _predictions(folder / "p.jsonl"),
        ),
        Target("safetensors", {"t.safetensors": saved["t.safetensors"]}, lambda folder: read_tensors(folder / "t.safetensors")),
    ]


def _open(spec: str, folder: Path) -> None:
    model = open_model(spec, hashes=HashMemory())
    for name in ("look_up_images", "look_up_texts"):
        if hasattr(model, name):
            getattr(model, name)(["a", "b"])


def _encode_text(folder: Path) -> None:
    model = open_model(f"onnx:{folder}", hashes=HashMemory(), threads=1)
    model.encode_texts(model.tokenize(["a red cone"]).ids)


def _predictions(file: Path) -> None:
    open_model(f"predictions:{file}", hashes=HashMemory()).look_up_predictions(["a", "b"])


def examinations(out: Path) -> list[Target]:
    """A finished examination, read for its verdict, its summary and its page."""
    kept: Files = {}
    for file in sorted(path for path in out.rglob("*") if path.is_file()):
        if not {"report", "journal"} & set(file.relative_to(out).parts):
            kept[os.fspath(file.relative_to(out))] = file.read_bytes()
    # Without the hashes of the other files, as an older version wrote it: else every change of them is refused at once.
    findings = pq.read_table(io.BytesIO(kept["findings.parquet"]))
    without = io.BytesIO()
    pq.write_table(findings.replace_schema_metadata(None), without)
    kept["findings.parquet"] = without.getvalue()
    steady = tuple(name for name in kept if name.startswith("."))
    return [Target("examination", kept, read_results, steady), Target("page", kept, write_report, steady, 0.2)]


def read_results(folder: Path) -> None:
    run = read_run(folder)
    summary_rows(run)
    for model in run.models:
        one_model(run, verdict_of(run, model))
    if run.predictions_file.is_file():
        run.predictions.to_pylist()
        list(select_predictions(run.open_predictions(), PredictionQuery(model="demo", prompts="single", sort="margin", limit=3)))
