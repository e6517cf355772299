"""Small folders in the layouts of published sets."""

import json

import numpy as np
from PIL import Image

from eyechart.data.class_file import read_classes

WNIDS = [c.label for c in read_classes("imagenet-1k")]


def draw(path, seed=0, size=(12, 10)):
    """A small picture; the ending of its name says which kind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path)
    return pixels


def in_folders(folder, names, files=("a.png", "b.png")):
    for i, name in enumerate(names):
        for j, file in enumerate(files):
            draw(folder / name / file, 10 * i + j)
    return folder


def objectnet(folder):
    """Three classes: one that is one class of ImageNet, one that is two, one that is none; with the red border of two pixels."""
    lines = [f"name {i}" for i in range(1000)]
    place = {number: (number * 7) % 1000 for number in range(1000)}  # ImageNet's numbers are not the lines' numbers
    lines[place[409]], lines[place[530]], lines[place[770]] = "analog clock", "digital clock", "running shoe"
    mappings = folder / "mappings"
    mappings.mkdir(parents=True)
    (mappings / "imagenet_to_label_2012_v2").write_text("\n".join(lines) + "\n")
    files = {
        "pytorch_to_imagenet_2012_id.json": {str(number): line for number, line in place.items()},
        "folder_to_objectnet_label.json": {"alarm_clock": "Alarm clock", "shoe": "Running shoe", "tray": "Tray"},
        "objectnet_to_imagenet_1k.json": {"Alarm clock": "analog clock; digital clock", "Running shoe": "running shoe"},
    }
    for name, content in files.items():
        (mappings / name).write_text(json.dumps(content))
    for label in ("alarm_clock", "shoe", "tray"):
        pixels = draw(folder / "images" / label / "1.png")
        framed = np.full((14, 16, 3), (255, 0, 0), np.uint8)
        framed[2:-2, 2:-2] = pixels
        Image.fromarray(framed).save(folder / "images" / label / "1.png")
    return folder


def vid_robust(folder):
    """Two anchors; the second shows a cat and a monkey, and one frame stands near both."""
    frames = [f"val/ILSVRC2015_val_00000000/{n:06d}.JPEG" for n in range(10, 16)]
    pmsets = {frames[1]: [frames[0], frames[2], frames[3]], frames[4]: [frames[3], frames[5]]}
    labels = {frame: [26] if i < 4 else [9, 17] for i, frame in enumerate(frames)}
    (folder / "metadata").mkdir(parents=True)
    for name, content in (("pmsets.json", pmsets), ("labels.json", labels)):
        (folder / "metadata" / name).write_text(json.dumps(content))
    for i, frame in enumerate(frames):
        draw(folder / frame, i)
    return folder
