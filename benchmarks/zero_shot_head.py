"""Zero-shot head of ImageNet classes × 80 templates: ours against open_clip's builder, same weights, same threads.

    python benchmarks/zero_shot_head.py [--classes 10] [--rounds 3] [--threads 2]

Both sides begin with class names and templates and end with the head, tokenizing included; they take turns, so that a
busy moment of the machine does not favor one of them. Prints the median ratio and the largest difference of vectors.
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
from safetensors.torch import save_file

from eyechart.files.hashing import HashMemory
from eyechart.models.open_clip import OpenClipModel
from eyechart.models.open_clip import open as open_model

ARCHITECTURE = "ViT-B-32"


def our_head(model: OpenClipModel, classes: list[str], templates: list[Callable[[str], str]]) -> np.ndarray:
    """Sorted prompts in one call, as the engine hands them over, then the mean of the normalized vectors of each class."""
    prompts = sorted({template(name) for name in classes for template in templates})
    vectors = model.encode_texts(model.tokenize(prompts).ids)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    place = {prompt: i for i, prompt in enumerate(prompts)}
    head = np.stack([vectors[[place[template(name)] for template in templates]].mean(axis=0) for name in classes])
    return head / np.linalg.norm(head, axis=1, keepdims=True)


def timed(run: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    network = open_clip.create_model(ARCHITECTURE).eval()
    tokenizer = open_clip.get_tokenizer(ARCHITECTURE)
    names = open_clip.IMAGENET_CLASSNAMES
    classes = [names[i * len(names) // args.classes] for i in range(args.classes)]
    templates = list(open_clip.OPENAI_IMAGENET_TEMPLATES)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "weights.safetensors"
        save_file({k: v.contiguous() for k, v in network.state_dict().items()}, path)
        model = open_model(f"{ARCHITECTURE}/{path}", HashMemory(), "cpu", "float32", args.threads)
        our_head(model, classes[:1], templates)
        open_clip.build_zero_shot_classifier(network, tokenizer, classes[:1], templates)
        times: dict[str, list[float]] = {"ours": [], "open_clip": []}
        for _ in range(args.rounds):
            seconds, ours = timed(lambda: our_head(model, classes, templates))
            times["ours"].append(seconds)
            seconds, theirs = timed(
                lambda: open_clip.build_zero_shot_classifier(network, tokenizer, classes, templates).T.numpy()
            )
            times["open_clip"].append(seconds)
        prompts = [template(name) for name in classes[:2] for template in templates]
        with torch.inference_mode():
            expected = network.encode_text(tokenizer(prompts), normalize=True).numpy()
        found = model.encode_texts(model.tokenize(prompts).ids)
        found /= np.linalg.norm(found, axis=1, keepdims=True)

    ratios = [theirs_s / ours_s for ours_s, theirs_s in zip(times["ours"], times["open_clip"], strict=True)]
    print(
        json.dumps(
            {
                "prompts": len(classes) * len(templates),
                "threads": args.threads,
                "seconds_ours": round(statistics.median(times["ours"]), 3),
                "seconds_open_clip": round(statistics.median(times["open_clip"]), 3),
                "ratio_median": round(statistics.median(ratios), 1),
                "ratios": [round(ratio, 1) for ratio in ratios],
                "largest_difference_of_vectors": float(np.abs(found - expected).max()),
                "largest_difference_of_heads": float(np.abs(ours - theirs).max()),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
