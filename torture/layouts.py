# ruff: noqa: E501 - one input a line
"""Small valid inputs of every kind that Eyechart reads, and the call that reads each. The fuzzer mutates them."""

import io
import json
import tarfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image
from scipy.io import savemat

from eyechart.data.open import open_dataset
from eyechart.data.picture import BrokenPicture, decode_picture

Files = dict[str, bytes]


@dataclass(frozen=True)
class Target:
    """What is read.

    name: Its name in the figures.
    files: A valid input: the content of every file by its path.
    use: Reads the folder of such files.
    steady: Files that are not mutated, such as pictures beside a table.
    share: Inputs compared with other targets; less than 1 where each takes long.
    """

    name: str
    files: Files
    use: Callable[[Path], object]
    steady: tuple[str, ...] = ()
    share: float = 1.0

    def mutable(self) -> list[str]:
        return sorted(set(self.files) - set(self.steady))


def picture(kind: str = "PNG", size: int = 6, mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    Image.new(mode, (size, size + 1), 90 if mode in ("L", "I;16") else "teal").save(out, kind)
    return out.getvalue()


def dump(content: Any) -> bytes:
    return json.dumps(content).encode()


def read_all(spec: str, **options: Any) -> None:
    """Open a dataset and read it as an examination does: ids, labels, attributes and the first pictures."""
    dataset = open_dataset(spec, **options)
    dataset.ids()
    dataset.label_indices()
    dataset.table.to_pylist()
    if dataset.pairs is not None:
        dataset.pairs.to_pylist()
    for row in range(min(3, len(dataset))):
        dataset.pictures.place(row)
        dataset.pictures.identity(row)
        with suppress(OSError, BrokenPicture):  # a picture that cannot be read is set aside
            decode_picture(dataset.pictures.read(row))


def _dataset(name: str, files: Files, spec: str = "", published: str = "", **options: Any) -> Target:
    pictures = tuple(file for file in files if file.endswith((".png", ".jpg", ".JPEG")))
    pictures = pictures if len(pictures) < len(files) else ()

    def use(folder: Path) -> None:
        read_all(f"{published}:{folder}" if published else str(folder / spec), **options)

    in_child = any(file.endswith((".mat", ".arrow")) for file in files)
    return Target(name, files, use, pictures, 0.02 if in_child else 1.0)


def _parquet(columns: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def _arrow(columns: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    table = pa.table(columns)
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def _tar(files: Files) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def _mat(**content: Any) -> bytes:
    out = io.BytesIO()
    savemat(out, content)
    return out.getvalue()


def npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


PNG, JPEG = picture(), picture("JPEG")
INLINE = {
    "image": [{"bytes": PNG, "path": "a.png"}, {"bytes": JPEG, "path": "b.jpg"}],
    "label": ["cat", "dog"],
    "caption": ["a cat", "a dog"],
    "id": ["1", "2"],
    "hat": [True, False],
}
PAIRS = {"id_a": ["a.png"], "id_b": ["b.png"], "points_a": [[[1.0, 2.0]]], "points_b": [[[1.0, 2.0]]], "turn": [3.0]}


def generic_datasets() -> list[Target]:
    """The formats that are not tied to a published set."""
    table = b"path,label,caption_1,caption_2,hat\na.png,cat,a cat,one cat,1\nb.png,dog,a dog,one dog,2.5\n"
    rows = b'{"path": "a.png", "label": "cat", "captions": ["a", "b"], "hat": 1}\n{"path": "b.png", "label": "dog", "captions": ["c"]}\n'
    beside = {"a.png": PNG, "b.png": PNG}
    named = {"path": ["a.png", "b.png"], "label": ["cat", "dog"], "captions": [["a"], ["b", "c"]], "age": [1, 2]}
    sample = {"a.png": PNG, "a.json": dump({"label": "cat", "n": 1}), "b.jpg": JPEG, "b.cls": b"dog", "b.txt": b"a dog"}
    state = {"_data_files": [{"filename": "data-0.arrow"}], "_split": "train"}
    info = {"features": {"label": {"names": ["cat", "dog"], "_type": "ClassLabel"}, "image": {"_type": "Image"}}}
    saved = _arrow({"image": INLINE["image"], "label": [0, 1]})
    return [
        _dataset("folder", {"cat/1.png": PNG, "dog/2.jpg": JPEG, "dog/x/3.png": PNG}),
        _dataset("picture", {"a.png": PNG}),
        _dataset("csv", {"t.csv": table, **beside}, "t.csv"),
        _dataset("tsv", {"t.tsv": table.replace(b",", b"\t"), **beside}, "t.tsv"),
        _dataset("jsonl", {"t.jsonl": rows, **beside}, "t.jsonl"),
        _dataset("parquet with bytes", {"t.parquet": _parquet(INLINE)}, "t.parquet"),
        _dataset("parquet with paths", {"t.parquet": _parquet(named), **beside}, "t.parquet"),
        _dataset("pairs", {"t.parquet": _parquet(named), "pairs.parquet": _parquet(PAIRS), **beside}, "t.parquet"),
        _dataset("parquet folder", {"data/train-00000-of-00001.parquet": _parquet(INLINE), "data/test-0.parquet": _parquet(INLINE)}, split="test"),
        _dataset("webdataset", {"s.tar": _tar(sample)}, "s.tar"),
        _dataset("saved dataset", {"state.json": dump(state), "dataset_info.json": dump(info), "data-0.arrow": saved}),
    ]  # fmt: skip


def published_datasets() -> list[Target]:
    """Layouts of published sets."""
    images = [{"id": 1, "file_name": "a.png", "width": 6, "height": 7}, {"id": 2, "file_name": "b.png", "width": 6, "height": 7}]
    marks = [{"image_id": 1, "category_id": 3, "bbox": [0, 0, 3, 3], "area": 9.0, "iscrowd": 0}]
    coco = {"images": images, "annotations": marks, "categories": [{"id": 3, "name": "cat"}]}
    captions = {"annotations": [{"image_id": 1, "caption": "a cat"}]}
    split = [{"filename": "a.png", "split": "test", "sentences": [{"raw": "a cat"}, {"raw": "one cat"}]}]
    foil = {"caption": "a cat", "foil": "a dog", "image_file": "a.png", "mturk": {"caption": 3, "foil": 0}}
    box = {"bbox_x": 0, "bbox_y": 0, "bbox_w": 3, "bbox_h": 3}
    aro = [{"image_path": "a.png", "true_caption": "a", "false_caption": "b", **box}]
    up = [{"image_path": "x/a.png", "caption_options": ["a on b", "b on a"]}]
    sugar = {"0": {"filename": "a.png", "caption": "a", "negative_caption": "b"}}
    wino = {"id": 0, "image_0": "a", "image_1": "b", "caption_0": "a b", "caption_1": "b a", "collapsed_tag": "Object"}
    prompts = b'picture,prompt,objects,detected\na.png,a cat and a dog,cat;dog,"[{""name"": ""cat"", ""box"": [1, 2, 3, 4]}]"\n'
    faces = b"file,age,gender,race,service_test\nval/1.jpg,3-9,Male,White,True\nval/2.jpg,20-29,Female,Black,False\n"
    pair = {
        "category": "cat", "src_imname": "a.jpg", "trg_imname": "b.jpg", "src_kps": [[1, 2], [3, 4]], "trg_kps": [[1, 2], [3, 4]],
        "trg_bndbox": [0, 0, 5, 5], "viewpoint_variation": 1,
    }  # fmt: skip
    cars = np.array([("1.jpg", 1), ("2.jpg", 2)], dtype=[("fname", "O"), ("class", "O")])
    frame = "val/ILSVRC2015_val_00000000/{}.JPEG"
    sets = {frame.format("000001"): [frame.format("000002")]}
    labels = {frame.format("000001"): [0], frame.format("000002"): [1, 2]}
    question = b"image_dir\tgt_category\ttop1_pred_cate\ttop2_pred_cate\nbackground/backpack/1.png\tbackpack\tbench\tmug\n"
    objects = {
        "mappings/folder_to_objectnet_label.json": dump({"alarm_clock": "Alarm clock"}),
        "mappings/objectnet_to_imagenet_1k.json": dump({"Alarm clock": "analog clock; digital clock"}),
        "mappings/pytorch_to_imagenet_2012_id.json": dump({"409": 0, "530": 1}),
        "mappings/imagenet_to_label_2012_v2": b"analog clock\ndigital clock\n",
    }
    return [
        _dataset("aircraft", {"data/images_variant_test.txt": b"1 707-320\n2 A310\n", "data/images/1.jpg": JPEG, "data/images/2.jpg": JPEG}, published="aircraft"),
        _dataset("sun397", {"Testing_01.txt": b"/a/abbey/1.jpg\n/b/bar/2.jpg\n", "a/abbey/1.jpg": JPEG, "b/bar/2.jpg": JPEG}, published="sun397", split="testing_01"),
        _dataset("imagenet-d", {"questions/background.csv": question, "background/backpack/1.png": PNG}, published="imagenet-d"),
        _dataset("objectnet", {**objects, "images/alarm_clock/1.png": PNG}, published="objectnet"),
        _dataset("coco", {"annotations/instances_val.json": dump(coco), "annotations/captions_val.json": dump(captions), "val/a.png": PNG,
                          "val/b.png": PNG}, published="coco"),
        _dataset("karpathy", {"dataset_flickr30k.json": dump({"images": split, "dataset": "flickr30k"}), "images/a.png": PNG}, published="flickr30k"),
        _dataset("valse", {"plurals.json": dump({"k": foil}), "a.png": PNG}, published="valse"),
        _dataset("aro", {"visual_genome_relation.json": dump(aro), "images/a.png": PNG}, published="aro"),
        _dataset("whatsup", {"controlled_images_dataset.json": dump(up), "coco_qa_two_obj.json": dump([[1, "a", "b"]]), "a.png": PNG}, published="whatsup"),
        _dataset("sugarcrepe", {"swap_obj.json": dump(sugar), "a.png": PNG}, published="sugarcrepe"),
        _dataset("winoground", {"examples.jsonl": dump(wino), "images/a.png": PNG, "images/b.png": PNG}, published="winoground"),
        _dataset("generated", {"prompts.csv": prompts, "a.png": PNG}, published="generated"),
        _dataset("fairface", {"fairface_label_val.csv": faces, "val/1.jpg": JPEG, "val/2.jpg": JPEG}, published="fairface"),
        _dataset("spair", {"PairAnnotation/test/1.json": dump(pair), "JPEGImages/cat/a.jpg": JPEG, "JPEGImages/cat/b.jpg": JPEG}, published="spair"),
        _dataset("flowers", {"imagelabels.mat": _mat(labels=[1, 2, 2]), "setid.mat": _mat(tstid=[1, 3]), "jpg/image_00001.jpg": JPEG,
                             "jpg/image_00003.jpg": JPEG}, published="flowers102"),
        _dataset("cars", {"cars_test_annos_withlabels.mat": _mat(annotations=cars), "cars_test/1.jpg": JPEG, "cars_test/2.jpg": JPEG}, published="cars"),
        _dataset("pets", {"annotations/test.txt": b"Abyssinian_1 1 1 1\nBengal_2 2 1 1\n", "images/Abyssinian_1.jpg": JPEG, "images/Bengal_2.jpg": JPEG},
                 published="pets"),
        _dataset("video frames", {"metadata/pmsets.json": dump(sets), "metadata/labels.json": dump(labels), frame.format("000001"): JPEG,
                                  frame.format("000002"): JPEG}, published="imagenet-vid-robust"),
    ]  # fmt: skip
