"""Memory and disk of stored vectors: made as shards, then opened, looked up and gathered by another process.

python benchmarks/cluster_scale.py --pictures 1000000 [--width 512] [--precision float16]
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from eyechart.encode.shards import Shard, shard_size
from eyechart.store import Store

MODEL = "5c" * 32


def rss() -> float:
    """Megabytes of this process alone, without pages of mapped files."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return int(fields["RssAnon"].split()[0]) / 1024


def peak() -> float:
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return int(fields["VmHWM"].split()[0]) / 1024


def keys_of(pictures: int) -> list[bytes]:
    return sorted(hashlib.sha256(number.to_bytes(8, "big")).digest() for number in range(pictures))


def write(store: Path, pictures: int, width: int, variant: str) -> None:
    shelf, keys, rng = Store(store).shelf(MODEL, "image", variant), keys_of(pictures), np.random.default_rng(0)
    size = shard_size(pictures)
    for start in range(0, pictures, size):
        part = keys[start : start + size]
        vectors = rng.standard_normal((len(part), width), dtype=np.float32)
        shelf.put_shard(Shard(MODEL, variant, tuple(part)).id, part, vectors)


def read(store: Path, pictures: int, variant: str) -> None:
    shelf, keys = Store(store).shelf(MODEL, "image", variant), keys_of(pictures)
    before = rss()
    assert not shelf.missing(keys).any()
    opened = rss()
    vectors = shelf.get(keys)
    assert len(vectors) == pictures
    print(f"keys {before:.0f} MB, index +{opened - before:.0f} MB, vectors +{rss() - opened:.0f} MB, peak {peak():.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=10_000)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--precision", choices=("float32", "float16"), default="float32")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    variant = "x.float16" if args.precision == "float16" else "x"
    if args.read:
        read(args.read, args.pictures, variant)
        return
    with tempfile.TemporaryDirectory() as work:
        write(Path(work), args.pictures, args.width, variant)
        files = [path for path in Path(work).rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(
            f"{args.pictures:,} pictures: {size / 1e6:,.1f} MB in {len(files)} files, {size / args.pictures:.0f} bytes a picture"
        )
        again = [sys.executable, __file__, "--pictures", str(args.pictures), "--precision", args.precision, "--read", work]
        subprocess.run(again, check=True, env=os.environ)


if __name__ == "__main__":
    main()
