"""Picture file to vector, ViT-B-32: the local engine, the bare network on ready tensors, and open_clip's loop over a DataLoader.

    python benchmarks/picture_to_vector.py [--pictures 512] [--rounds 3] [--threads 2] [--batch 32]

All three run the same weights on the same threads and take turns. The engine reads, hashes, decodes, encodes and stores;
the bare network starts from tensors that lie ready. Prints the rates, the engine's rate against the other two (medians of
the rounds' ratios) and the smallest cosine to open_clip's vectors.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import open_clip
import torch
from PIL import Image
from safetensors.torch import save_file
from torch.utils.data import DataLoader, Dataset

from eyechart.data.open import open_dataset
from eyechart.data.picture import Decoding
from eyechart.encode.engine import work_of
from eyechart.encode.keys import picture_keys
from eyechart.encode.local import LocalEngine
from eyechart.files.hashing import HashMemory
from eyechart.models.open_clip import open as open_model
from eyechart.progress import SilentProgress
from eyechart.store import Store

ARCHITECTURE = "ViT-B-32"


class Files(Dataset):
    def __init__(self, paths: list[Path], transform: Callable[[Image.Image], torch.Tensor]) -> None:
        self.paths, self.transform = paths, transform

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, row: int) -> torch.Tensor:
        return self.transform(Image.open(self.paths[row]))


def draw_pictures(folder: Path, count: int) -> list[Path]:
    """JPEGs of about 400 × 300 pixels with as much detail as photographs have."""
    rng = np.random.default_rng(0)
    paths = []
    for i in range(count):
        width, height = int(rng.integers(360, 440)), int(rng.integers(270, 330))
        coarse = Image.fromarray(rng.integers(0, 256, (height // 12, width // 12, 3), dtype=np.uint8))
        pixels = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC), dtype=np.float32)
        noisy = np.clip(pixels + rng.normal(0, 8, pixels.shape), 0, 255).astype(np.uint8)
        path = folder / f"class{i % 4}" / f"{i:05}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(noisy).save(path, quality=90)
        paths.append(path)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=32)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    network, _, transform = open_clip.create_model_and_transforms(ARCHITECTURE)
    network.eval()

    with tempfile.TemporaryDirectory() as home:
        pictures = Path(home) / "pictures"
        pictures.mkdir()
        paths = draw_pictures(pictures, args.pictures)
        weights = Path(home) / "weights.safetensors"
        save_file({k: v.contiguous() for k, v in network.state_dict().items()}, weights)
        model = open_model(f"{ARCHITECTURE}/{weights}", HashMemory(), "cpu", "float32", args.threads)
        dataset = open_dataset(str(pictures))
        ready = [
            torch.stack([transform(Image.open(p)) for p in paths[i : i + args.batch]]) for i in range(0, len(paths), args.batch)
        ]
        loader = DataLoader(Files(paths, transform), batch_size=args.batch, num_workers=args.threads)
        stores = iter(range(1_000_000))

        @torch.inference_mode()
        def bare() -> np.ndarray:
            return np.concatenate([network.encode_image(batch).numpy() for batch in ready])

        @torch.inference_mode()
        def eager() -> np.ndarray:
            return np.concatenate([network.encode_image(batch).numpy() for batch in loader])

        def ours() -> np.ndarray:
            shelf = Store(Path(home) / f"store{next(stores)}").shelf(model.fingerprint, "image")
            keys = picture_keys(dataset, HashMemory(), SilentProgress()).keys
            engine = LocalEngine(batch_size=args.batch, workers=args.threads)
            engine.encode_pictures(model, work_of(dataset, keys), shelf, decode=Decoding().decode, progress=SilentProgress())
            return shelf.get([key for key in keys if key is not None])

        sides = {"ours": ours, "bare": bare, "eager": eager}
        model.encode_images(ready[0].numpy())
        seconds: dict[str, list[float]] = {name: [] for name in sides}
        vectors: dict[str, np.ndarray] = {}
        for turn in range(args.rounds):
            names = list(sides)
            for name in names[turn % 3 :] + names[: turn % 3]:
                start = time.perf_counter()
                vectors[name] = sides[name]()
                seconds[name].append(time.perf_counter() - start)
        order = [paths.index(Path(dataset.pictures.place(row))) for row in range(len(dataset))]

    unit = {name: v / np.linalg.norm(v, axis=1, keepdims=True) for name, v in vectors.items()}
    against = {
        other: statistics.median(b / a for a, b in zip(seconds["ours"], seconds[other], strict=True))
        for other in ("bare", "eager")
    }
    print(
        json.dumps(
            {
                "pictures": args.pictures,
                "threads": args.threads,
                "batch": args.batch,
                "rates": {name: round(args.pictures / statistics.median(times), 2) for name, times in seconds.items()},
                "ours_of_bare_network": round(against["bare"], 3),
                "ours_of_eager_loop": round(against["eager"], 3),
                "smallest_cosine": float((unit["ours"] * unit["eager"][order]).sum(axis=1).min()),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
