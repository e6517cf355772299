"""Captions of four names to vectors: ours against open_clip's padded path, same weights, same threads.

    python benchmarks/caption_encoding.py [--captions 480] [--rounds 3] [--threads 2]

Both sides begin with captions and end with vectors, tokenizing included, and take turns. Prints the median ratio and the largest
difference of unit vectors. Asked is a ratio of 5.
"""

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import open_clip
import torch
from safetensors.torch import save_file

from eyechart.arrays import Floats
from eyechart.files.hashing import HashMemory
from eyechart.metrics.vectors import unit
from eyechart.models.open_clip import open as open_model
from eyechart.probes.tasks.name_lists import NameList, read_names
from eyechart.probes.tasks.template_captions import template_captions

ARCHITECTURE, BATCH, ASKED = "ViT-B-32", 64, 5.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--captions", type=int, default=480)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    network = open_clip.create_model(ARCHITECTURE).eval()
    tokenizer = open_clip.get_tokenizer(ARCHITECTURE)
    names = NameList("comco-90", read_names("comco-90"))
    captions = sorted(template_captions(names, 4, "bare", order="balanced", captions=args.captions, seed=0).texts)

    def padded() -> Floats:
        with torch.inference_mode():
            parts = [network.encode_text(tokenizer(captions[i : i + BATCH])) for i in range(0, len(captions), BATCH)]
        return unit(torch.cat(parts).numpy())

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "weights.safetensors"
        save_file({k: v.contiguous() for k, v in network.state_dict().items()}, path)
        model = open_model(f"{ARCHITECTURE}/{path}", HashMemory(), "cpu", "float32", args.threads)
        model.encode_texts(model.tokenize(captions[:8]).ids)
        ratios, difference = [], 0.0
        for _ in range(args.rounds):
            start = time.perf_counter()
            ours = unit(model.encode_texts(model.tokenize(captions).ids))
            middle = time.perf_counter()
            theirs = padded()
            ratios.append((time.perf_counter() - middle) / (middle - start))
            difference = max(difference, float(np.abs(ours - theirs).max()))
    found = {
        "captions": len(captions),
        "ratio_median": round(statistics.median(ratios), 1),
        "ratios": [round(ratio, 1) for ratio in ratios],
        "largest_difference_of_vectors": difference,
    }
    print(json.dumps(found))
    return int(statistics.median(ratios) < ASKED)


if __name__ == "__main__":
    raise SystemExit(main())
