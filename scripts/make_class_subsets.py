"""Write the class lists of ImageNet-A, ImageNet-R and ImageNet-Vid-Robust as parts of imagenet-1k.

    python scripts/make_class_subsets.py PATH/TO/timm/data/_info PATH/TO/rev_class_idx_map.json

The first folder comes with timm (Apache-2.0) and holds `imagenet_a_indices.txt` and `imagenet_r_indices.txt`; the file is that of
github.com/modestyachts/imagenet-testbed (MIT), src/eval_settings/imagenet-vid-robust_metadata.
"""

import json
import sys
from pathlib import Path

LISTS = Path(__file__).parent.parent / "src" / "eyechart" / "data" / "class_lists"
# The 30 categories of ILSVRC2015 VID in the order of its development kit.
VIDEO = (
    "airplane", "antelope", "bear", "bicycle", "bird", "bus", "car", "cattle", "dog", "domestic cat", "elephant", "fox",
    "giant panda", "hamster", "horse", "lion", "lizard", "monkey", "motorcycle", "rabbit", "red panda", "sheep", "snake",
    "squirrel", "tiger", "train", "turtle", "watercraft", "whale", "zebra",
)  # fmt: skip


def main() -> None:
    info, groups = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    imagenet = json.loads((LISTS / "imagenet-1k.json").read_text(encoding="utf-8"))
    for letter in "ar":
        indices = [int(line) for line in (info / f"imagenet_{letter}_indices.txt").read_text(encoding="utf-8").split()]
        source = f"the 200 classes of timm, data/_info/imagenet_{letter}_indices.txt; {imagenet['source']}"
        write(f"imagenet-{letter}", source, imagenet["license"], [imagenet["classes"][i] for i in indices])
    wnids = [row["wnid"] for row in imagenet["classes"]]
    rows = [
        {"label": name, "name": name, "same_as": [wnids[i] for i in groups[str(number)]]} for number, name in enumerate(VIDEO)
    ]
    source = (
        "categories of ILSVRC2015 VID; their ImageNet classes: github.com/modestyachts/imagenet-testbed, "
        "src/eval_settings/imagenet-vid-robust_metadata/rev_class_idx_map.json"
    )
    write("imagenet-vid-robust", source, "MIT (the testbed); WordNet license (Princeton University)", rows)


def write(name: str, source: str, license: str, rows: list[dict[str, object]]) -> None:
    lines = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    head = json.dumps({"name": name, "source": source, "license": license}, indent=2, ensure_ascii=False).removesuffix("\n}")
    (LISTS / f"{name}.json").write_text(f'{head},\n  "classes": [\n    {lines}\n  ]\n}}\n', encoding="utf-8")
    print(f"{len(rows)} classes in {name}.json")


if __name__ == "__main__":
    main()
