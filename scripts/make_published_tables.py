"""Condense published tables of results to the small files that ship with Eyechart, with their sources and licenses.

python scripts/make_published_tables.py REFDATA

REFDATA has a folder per source (open_clip/, timm/, imagenet-testbed/, model-soups/, robustbench/) with the files as published.
Only tables under a license that permits it are made: ImageNet-X is CC-BY-NC, so it is not among them.
"""

import hashlib
import json
import sys
from pathlib import Path

import pyarrow.parquet as pq

from eyechart.study.importers.registry import TABLES
from eyechart.study.sources import open_tables

OUT = Path(__file__).parents[1] / "src" / "eyechart" / "study" / "published"
MIT = """Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
# Origin → folder of the reference data, and what NOTICE.txt says. A revision is given where it was recorded.
SOURCES = {
    "open_clip": (
        "open_clip",
        {
            "title": "zero-shot classification and retrieval of CLIP models",
            "address": "https://github.com/mlfoundations/open_clip",
            "license": "MIT",
            "copyright": "Copyright (c) 2012-2021 Gabriel Ilharco, Mitchell Wortsman, Nicholas Carlini, Rohan Taori, Achal Dave, "
            "Vaishaal Shankar, John Miller, Hongseok Namkoong, Hannaneh Hajishirzi, Ali Farhadi, Ludwig Schmidt",
            "revision": None,
        },
    ),
    "timm": (
        "timm",
        {
            "title": "ImageNet classifiers on ImageNet and its test sets",
            "address": "https://github.com/huggingface/pytorch-image-models",
            "license": "Apache-2.0",
            "copyright": "Copyright 2025 Ross Wightman",
            "revision": None,
        },
    ),
    "testbed": (
        "imagenet-testbed",
        {
            "title": "ImageNet classifiers under natural and synthetic shifts",
            "address": "https://github.com/modestyachts/imagenet-testbed",
            "license": "MIT",
            "copyright": "Copyright (c) 2020 Rohan Taori, Achal Dave, Vaishaal Shankar, Nicholas Carlini, Benjamin Recht, "
            "Ludwig Schmidt",
            "revision": None,
        },
    ),
    "model_soups": (
        "model-soups",
        {
            "title": "ImageNet fine-tunings of CLIP ViT-B/32 and their averages",
            "address": "https://github.com/mlfoundations/model-soups",
            "license": "MIT",
            "copyright": "Copyright (c) the authors of model-soups (Mitchell Wortsman et al.)",
            "revision": None,
        },
    ),
    "robustbench": (
        "robustbench",
        {
            "title": "ImageNet classifiers on ImageNet-3DCC",
            "address": "https://github.com/RobustBench/robustbench",
            "license": "MIT",
            "copyright": "Copyright (c) 2020 Francesco Croce, Maksym Andriushchenko, Vikash Sehwag",
            "revision": None,
        },
    ),
}


def main(refdata: Path) -> None:
    OUT.mkdir(exist_ok=True)
    records = {}
    for origin, (folder, about) in SOURCES.items():
        table = TABLES.get(origin)(open_tables([str(refdata / folder)])).table
        pq.write_table(table, OUT / f"{origin}.parquet", compression="zstd", compression_level=19)
        used = [file for file in sorted((refdata / folder).iterdir()) if file.suffix in (".csv", ".jsonl")]
        records[origin] = about | {"files": {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in used}}
        models = len(table["model"].unique())
        print(f"{origin}: {table.num_rows:,} values of {models:,} models, {(OUT / f'{origin}.parquet').stat().st_size:,} bytes")
    (OUT / "tables.json").write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    (OUT / "NOTICE.txt").write_text(notice(records), encoding="utf-8")


def notice(records: dict[str, dict]) -> str:
    """The sources and licenses, as a text."""
    parts = [
        "Tables of published results that ship with Eyechart. Each was converted from the published files to one Parquet table:\n"
        "models and measures were renamed to one scheme, facts were read from the names of models, and broken or repeated rows\n"
        "were left out. The values are those that were published.\n"
    ]
    for origin, record in records.items():
        hashes = "".join(f"    {name}  sha256:{digest}\n" for name, digest in record["files"].items())
        parts.append(
            f"{origin}.parquet: {record['title']}\n  source: {record['address']}\n  license: {record['license']}\n"
            f"  {record['copyright']}\n  revision: {record['revision'] or 'not recorded; the files were'}\n{hashes}"
        )
    parts.append(f"The MIT License, under which all tables but timm's are published:\n\n{MIT}")
    parts.append(
        "timm's results are licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0, and the\n"
        "file LICENSE of Eyechart.\n"
    )
    return "\n".join(parts)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
