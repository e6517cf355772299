# ruff: noqa: E501 - commands and figures, one a line
"""Further commands that write, for crash points and faults of the disk: each on the smallest input that it accepts."""

import json
import shutil
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from PIL import Image

from torture.crashes import Command, examination_of, files_in
from torture.photos import write_photos

_PLAN = 'models = ["demo:"]\ndatasets = ["photos"]\nprompts = ["single"]\nprobes = ["zero_shot"]\n'
_EXPORTS = {"eval-results": ("--hub-dataset", "photos=owner/name"), "every-eval-ever": ("--organization", "us"), "fiftyone": ()}


def more_commands(work: Path) -> list[Command]:
    """Commands beside examinations. `work` holds what `examine_once` made."""
    photos, out, store = work / "photos", work / "out", work / "store"
    many, package, coco = write_photos(work / "many", each=20, side=8), _package(work / "package"), _coco(work / "coco")
    (work / "plan.toml").write_text(_PLAN)
    endpoint = f"http://127.0.0.1:{_language_model()}/v1"
    return [
        Command("run", ("run", "plan.toml", "--out", "out", "--workers", "1", "--quiet"), examination_of, prepare=(photos, work / "plan.toml")),
        Command("lint", ("lint", "--model", "demo:", "--data", "photos", "--out", "out", "--workers", "1", "--quiet"), examination_of, prepare=(photos,)),
        Command("repair", ("repair", "--model", "demo:", "--data", "many", "--prompts", "single", "--out", "r.safetensors", "--quiet"),
                files_in("r.safetensors", "r.json", "r-page"), prepare=(many,)),
        Command("plan --init", ("plan", "--init", "p.toml"), files_in("p.toml"), refuses=True),
        Command("generate", ("generate", "--generator", "world:no-order", "--sets", "1", "--objects", "2", "--side", "32", "--quiet", "made"), files_in("made")),
        Command("rewrite", ("rewrite", "--data", "coco:coco", "--endpoint", endpoint, "--language-model", "m", "orders.csv"),
                files_in("orders.csv", "orders-replies"), prepare=(coco,), refuses=True),
        Command("docs --html", ("docs", "data", "--html", "pages"), files_in("pages")),
        Command("world bank", ("world", "bank", "fluent-emoji-3d", "package", "bank"), files_in("bank"), prepare=(package,), refuses=True),
        Command("store gc", ("store", "gc", "--model", "demo:"), stored_vectors, prepare=(store,)),
        Command("store verify", ("store", "verify"), stored_vectors, prepare=(_damaged(store, work / "damaged" / "store"),)),
        Command("report --charts", ("report", "out", "--charts", "svg"), files_in("out/report"), prepare=(out,)),
        Command("report --markdown", ("report", "out", "--markdown"), files_in("out"), prepare=(out,)),
        Command("report --model-card", ("report", "out", "--model-card"), files_in("out"), prepare=(out,)),
        *(Command(f"report --export {kind}", ("report", "out", "--export", kind, "--to", "exported", *options), _exported, prepare=(out, photos))
          for kind, options in _EXPORTS.items()),
        Command("predictions --csv", ("predictions", "out", "--csv", "p.csv"), files_in("p.csv"), prepare=(out,)),
        Command("study add --from findings", ("study", "add", "--from", "findings", "out"), files_in("study.parquet"), prepare=(out,)),
        Command("study trend --out", ("study", "trend", "--y", "imagenet-v2", "--resamples", "10", "--out", "trend"), files_in("trend")),
    ]  # fmt: skip


def stored_vectors(place: Path) -> list[tuple[str, int]]:
    """How many vectors of each role are in the store of a trial."""
    from eyechart.store import Store

    counted = {
        shelf.label.role: sum(len(b.keys) for s in shelf.refresh() for b in s.blocks)
        for shelf in Store(place / "store").shelves()
    }
    return sorted(counted.items())


def _exported(place: Path) -> Any:
    """The names of exported files: their content has the time of the export."""
    return sorted(path.relative_to(place).parts[:-1] for path in (place / "exported").rglob("*") if path.is_file())


def _package(folder: Path) -> Path:
    """A package of pictures for `world bank`."""
    from eyechart.world.packaged_bank import names_and_files

    (folder / "assets").mkdir(parents=True, exist_ok=True)
    for file in names_and_files("fluent-emoji-3d").values():
        (folder / "assets" / file).write_bytes(file.encode())
    return folder


def _coco(folder: Path) -> Path:
    """Two pictures with a large cat and a small dog, and captions of both."""
    (folder / "annotations").mkdir(parents=True, exist_ok=True)
    (folder / "val").mkdir(exist_ok=True)
    images = [{"id": number, "file_name": f"{number}.png", "width": 40, "height": 40} for number in (1, 2)]
    boxes = {1: [0, 0, 30, 30], 2: [30, 30, 5, 5]}
    marks = [
        {"id": 10 * image + kind, "image_id": image, "category_id": kind, "bbox": box, "area": box[2] * box[3], "iscrowd": 0}
        for image in (1, 2)
        for kind, box in boxes.items()
    ]
    captions = [
        {"id": 1, "image_id": 1, "caption": "a cat and a dog"},
        {"id": 2, "image_id": 2, "caption": "a dog and a big cat"},
    ]
    kinds = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
    for name, content in (
        ("instances", {"images": images, "annotations": marks, "categories": kinds}),
        ("captions", {"images": images, "annotations": captions}),
    ):
        (folder / "annotations" / f"{name}_val.json").write_text(json.dumps(content))
    for image in images:
        Image.new("RGB", (40, 40)).save(folder / "val" / str(image["file_name"]))
    return folder


def _damaged(store: Path, copy: Path) -> Path:
    """A store with one damaged segment, which `store verify` moves away."""
    shutil.copytree(store, copy, dirs_exist_ok=True)
    segment = max((path for path in copy.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 1
    segment.write_bytes(content)
    return copy


def _language_model() -> int:
    """The port of a server on this machine that gives every request the same answer."""
    reply = json.dumps({"first": "a cat and a dog", "last": "a dog and a cat"})
    body = json.dumps(
        {"choices": [{"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}]}
    ).encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )
    listening = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_answer, args=(listening, answer), daemon=True).start()
    port: int = listening.getsockname()[1]
    return port


def _answer(listening: socket.socket, answer: bytes) -> None:
    while True:
        connection, _ = listening.accept()
        with connection, suppress(OSError):  # a client that was killed
            connection.settimeout(1)
            connection.recv(65536)
            connection.sendall(answer)
