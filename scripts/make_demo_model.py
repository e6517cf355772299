#!/usr/bin/env python3
"""Make the small dual encoder that ships with Eyechart: src/eyechart/world/demo_model/.

    python scripts/make_demo_model.py [FOLDER]        # needs onnx; a few seconds

Image tower: what is colourful is told from the ground, two layers of fixed random filters go over it, and one linear map,
fitted by ridge regression, takes what they find to the vectors of the pictures' captions. Text tower: word vectors weighted
by how much a word says of a picture, summed and bent. The pictures it is fitted on have a seed of their own and are in no
exam. It is meant to be good at some shapes and poor at others.
"""

import io
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

from eyechart.models.preprocessing import Preprocessing
from eyechart.world.drawn import BACKGROUNDS, COLORS, SIZES, SYNONYMS, drawn_pictures
from eyechart.world.shapes import SHAPES

FOLDER = Path(__file__).resolve().parent.parent / "src" / "eyechart" / "world" / "demo_model"
FIT_SEED, TUNE_SEED, WEIGHT_SEED = 7001, 7002, 20
FIT_PER_CLASS, TUNE_PER_CLASS = 100, 40
SIDE, WIDTH, FILTERS, MAPS, CONTEXT = 48, 64, 8, 32, 32
RIDGE = 0.003
GAIN, BEND = 4.0, 1.0
PREPROCESSING = Preprocessing(SIDE, mean=(0.5, 0.5, 0.5), std=(0.25, 0.25, 0.25), interpolation="bilinear")

# How much of a caption's vector each kind of word makes up. The rest of the vocabulary is filler: it moves a vector a little,
# so that wording matters, as it does for real models.
WEIGHTS = {"shape": 1.0, "color": 0.55, "size": 0.3, "background": 0.25, "filler": 0.12, "letter": 0.15}
FILLER = """
a an the of on in with and photo picture image drawing painting sketch rendering art cartoon tattoo sculpture origami plastic
toy plushie graffiti embroidered doodle bad good blurry bright dark cropped low resolution high quality clean dirty close up
jpeg corrupted pixelated black white many my i one weird nice cool hard to see itap video game there is background it this that
shape object
"""


def vocabulary() -> tuple[dict[str, int], np.ndarray, np.ndarray]:
    """Words with their ids, [V, d] vectors and [V] weights."""
    rng = np.random.default_rng(WEIGHT_SEED)
    kinds = {"[UNK]": "letter", "[BOS]": None, "[EOS]": None}
    for kind, words in (
        ("shape", SHAPES),
        ("color", COLORS),
        ("size", SIZES),
        ("background", BACKGROUNDS.values()),
        ("filler", FILLER.split()),
    ):
        kinds |= dict.fromkeys(words, kind)
    synonyms = {other.split()[0]: shape for shape, others in SYNONYMS.items() for other in others}
    kinds |= dict.fromkeys(synonyms, "shape")
    letters = [chr(c) for c in range(33, 127)]
    kinds |= {piece: "letter" for letter in letters for piece in (letter.lower(), f"##{letter.lower()}") if piece not in kinds}
    ids = {word: number for number, word in enumerate(kinds)}
    vectors = rng.normal(size=(len(ids), WIDTH))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for word, shape in synonyms.items():
        vectors[ids[word]] = 0.85 * vectors[ids[shape]] + 0.5 * vectors[ids[word]]
    weights = np.array([WEIGHTS[kind] if kind else 0.0 for kind in kinds.values()])
    return ids, vectors.astype(np.float32), weights.astype(np.float32)


def write_tokenizer(path: Path, ids: dict[str, int]) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=60))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = [("[BOS]", ids["[BOS]"]), ("[EOS]", ids["[EOS]"])]
    tokenizer.post_processor = processors.TemplateProcessing(single="[BOS] $A [EOS]", special_tokens=special)
    path.write_text(json.dumps(json.loads(tokenizer.to_str()), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def save(path: Path, nodes: list, inputs: list, outputs: list, weights: dict[str, np.ndarray]) -> None:
    graph = helper.make_graph(
        nodes, "eyechart-demo", inputs, outputs, [numpy_helper.from_array(value, name) for name, value in weights.items()]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="eyechart")
    model.ir_version = 9
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def write_text_tower(path: Path, vectors: np.ndarray, weights: np.ndarray) -> None:
    """Running sum of weighted word vectors, read at the last token and bent: bending makes the words of a text act upon each
    other, so that the wording of a prompt changes how classes compare."""
    mix = np.random.default_rng(WEIGHT_SEED + 2).normal(0, BEND / WIDTH**0.5, (WIDTH, WIDTH))
    save(
        path,
        [
            helper.make_node("Gather", ["words", "input_ids"], ["word"]),
            helper.make_node("CumSum", ["word", "axis"], ["state"]),
            helper.make_node("Gather", ["state", "last"], ["end"], axis=1),
            helper.make_node("MatMul", ["end", "mix"], ["mixed"]),
            helper.make_node("Tanh", ["mixed"], ["bent"]),
            helper.make_node("Add", ["end", "bent"], ["text_embeds"]),
        ],
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])],
        [helper.make_tensor_value_info("text_embeds", TensorProto.FLOAT, ["texts", WIDTH])],
        {
            "words": GAIN * vectors * weights[:, None],
            "axis": np.array(1, dtype=np.int64),
            "last": np.array(-1, dtype=np.int64),
            "mix": mix.astype(np.float32),
        },
    )


def text_vectors(folder: Path, texts: list[str]) -> np.ndarray:
    """What the text tower of the folder gives, unit length."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    session = ort.InferenceSession(str(folder / "text.onnx"), providers=["CPUExecutionProvider"])
    rows = [session.run(None, {"input_ids": np.array([tokenizer.encode(text).ids], dtype=np.int64)})[0][0] for text in texts]
    return np.stack(rows) / np.linalg.norm(rows, axis=1, keepdims=True)


def image_features(rng: np.random.Generator) -> tuple[list, dict[str, np.ndarray]]:
    """Nodes from pixel_values to `features` [n, F], with their weights."""
    node = helper.make_node
    nodes = [
        node("ReduceMax", ["pixel_values"], ["most"], axes=[1]),
        node("ReduceMin", ["pixel_values"], ["least"], axes=[1]),
        node("Sub", ["most", "least"], ["colorful"]),
        node("AveragePool", ["colorful"], ["smooth"], kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1]),
        node("Sub", ["smooth", "threshold"], ["above"]),
        node("Mul", ["above", "sharpness"], ["evidence"]),
        node("Sigmoid", ["evidence"], ["figure"]),
        node("Conv", ["figure", "first", "first_bias"], ["edges"], pads=[2, 2, 2, 2]),
        node("Abs", ["edges"], ["strength"]),
        node("MaxPool", ["strength"], ["coarse"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["coarse", "second", "second_bias"], ["corners"], pads=[2, 2, 2, 2]),
        node("Relu", ["corners"], ["maps"]),
        node("GlobalAveragePool", ["maps"], ["mean_maps"]),
        node("GlobalMaxPool", ["maps"], ["max_maps"]),
        node("Mul", ["pixel_values", "figure"], ["colored"]),
        node("GlobalAveragePool", ["colored"], ["paint"]),
        node("GlobalAveragePool", ["figure"], ["area"]),
        node("Add", ["area", "little"], ["some_area"]),
        node("Div", ["paint", "some_area"], ["ink"]),
        node("Concat", ["mean_maps", "max_maps", "ink", "area"], ["found"], axis=1),
        node("Flatten", ["found"], ["features"]),
    ]
    weights = {
        "threshold": 1.0,
        "sharpness": 6.0,
        "little": 0.02,
        "first": filters(rng, FILTERS, 1),
        "first_bias": rng.normal(0, 0.3, FILTERS),
        "second": filters(rng, MAPS, FILTERS),
        "second_bias": rng.normal(-0.3, 0.3, MAPS),
    }
    return nodes, {name: np.asarray(value, dtype=np.float32) for name, value in weights.items()}


def filters(rng: np.random.Generator, count: int, channels: int) -> np.ndarray:
    """Random 5 × 5 filters of unit length."""
    drawn = rng.normal(size=(count, channels, 5, 5))
    return drawn / np.linalg.norm(drawn.reshape(count, -1), axis=1)[:, None, None, None]


def drawn(seed: int, n: int) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Prepared pictures, their full captions and their class numbers."""
    dataset = drawn_pictures(n, seed)
    prepared = np.stack([PREPROCESSING(Image.open(io.BytesIO(dataset.pictures.read(row)))) for row in range(len(dataset))])
    return prepared, [captions[0] for captions in dataset.table.column("captions").to_pylist()], dataset.label_indices()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ids, vectors, weights = vocabulary()
    write_tokenizer(folder / "tokenizer.json", ids)
    write_text_tower(folder / "text.onnx", vectors, weights)

    pixels = helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, ["pictures", 3, SIDE, SIDE])
    nodes, fixed = image_features(np.random.default_rng(WEIGHT_SEED + 1))
    features_only = folder / "image.onnx"
    save(
        features_only,
        nodes,
        [pixels],
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["pictures", "features"])],
        fixed,
    )
    session = ort.InferenceSession(features_only.read_bytes(), providers=["CPUExecutionProvider"])

    prepared, captions, _ = drawn(FIT_SEED, FIT_PER_CLASS)
    features = session.run(["features"], {"pixel_values": prepared})[0].astype(np.float64)
    center, spread = features.mean(0), features.std(0) + 1e-3
    design = (features - center) / spread
    target = text_vectors(folder, captions).astype(np.float64)
    middle = target.mean(0)
    solution = np.linalg.solve(
        design.T @ design / len(design) + RIDGE * np.eye(design.shape[1]), design.T @ (target - middle) / len(design)
    )
    slope = solution / spread[:, None]
    offset = middle - center @ slope
    nodes.append(helper.make_node("Gemm", ["features", "slope", "offset"], ["image_embeds"]))
    fixed |= {"slope": slope.astype(np.float32), "offset": offset.astype(np.float32)}
    output = helper.make_tensor_value_info("image_embeds", TensorProto.FLOAT, ["pictures", WIDTH])
    save(folder / "image.onnx", nodes, [pixels], [output], fixed)

    session = ort.InferenceSession(str(folder / "image.onnx"), providers=["CPUExecutionProvider"])
    prepared, _, labels = drawn(TUNE_SEED, TUNE_PER_CLASS)
    images = session.run(["image_embeds"], {"pixel_values": prepared})[0]
    images /= np.linalg.norm(images, axis=1, keepdims=True)
    heads = text_vectors(folder, [f"a photo of a {shape}" for shape in SHAPES])
    cosines = images @ heads.T
    scale = best_scale(cosines, labels)
    right = cosines.argmax(1) == labels
    print(
        f"scale {scale}, {right.mean():.1%} of {len(labels)} right;",
        {s: f"{right[labels == i].mean():.0%}" for i, s in enumerate(SHAPES)},
    )

    settings = PREPROCESSING.describe()
    model = {
        "format_version": 1,
        "image": {"file": "image.onnx", "input": "pixel_values", "output": "image_embeds", **{k: settings[k] for k in KEPT}},
        "text": {
            "file": "text.onnx",
            "input": "input_ids",
            "output": "text_embeds",
            "tokenizer": "tokenizer.json",
            "context": CONTEXT,
            "pad": "none",
            "readout": "last",
        },
        "logit_scale": scale,
        "logit_bias": 0.0,
        "card": {
            "name": "eyechart-demo",
            "architecture": f"{FILTERS} and {MAPS} random filters + ridge regression",
            "family": "demo",
            "source": "drawn pictures of Eyechart",
            "dataset_size": FIT_PER_CLASS * len(SHAPES),
            "samples_seen": FIT_PER_CLASS * len(SHAPES),
            "loss": "squared error",
            "licence": "Apache-2.0",
            "notes": ["a stand-in for demonstrations, made by scripts/make_demo_model.py; not a model to draw conclusions from"],
        },
    }
    (folder / "model.json").write_text(json.dumps(model, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for file in sorted(folder.iterdir()):
        print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


KEPT = ("size", "resize", "crop", "interpolation", "mean", "std")


def best_scale(cosines: np.ndarray, labels: np.ndarray) -> float:
    """The whole number under which held-out pictures are least surprising."""

    def surprise(scale: float) -> float:
        logits = scale * cosines
        logits -= logits.max(1, keepdims=True)
        return float(-(logits[np.arange(len(labels)), labels] - np.log(np.exp(logits).sum(1))).mean())

    return float(min(range(1, 101), key=surprise))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
