"""The data files of a gallery, which the page loads when it is opened."""

import math
import shlex
from typing import Any

from eyechart.report.data_files import DataFiles
from eyechart.report.ood_galleries import accepted_text
from eyechart.report.picture_groups import Gallery
from eyechart.report.thumbnails import Place

CHUNK = 10_000  # rows of one data file


def write_gallery(gallery: Gallery, thumbnails: dict[Place, str], files: DataFiles) -> dict[str, Any]:
    """Write the rows in chunks; what the page must know of the gallery."""
    table = gallery.table
    code = {name: place for place, name in enumerate(gallery.classes)}
    attributes = sorted(gallery.attributes)
    tag = {text: place for place, text in enumerate(attributes)}
    chunks = math.ceil(gallery.kept / CHUNK)
    for chunk in range(chunks):
        rows = table.slice(chunk * CHUNK, min(CHUNK, gallery.kept - chunk * CHUNK))
        ids = rows["id"].to_pylist()
        names = rows["picture" if "picture" in rows.column_names else "id"].to_pylist()
        top = [[code[name] for name in best if name is not None] for best in rows["top5_classes"].to_pylist()]
        shares = [[_thousandths(p) for p in of if p is not None] for of in rows["top5_probabilities"].to_pylist()]
        content = {
            "id": ids,
            "true": [-1 if name is None else code[name] for name in rows["class"].to_pylist()],
            "predicted": [code[name] for name in rows["predicted_class"].to_pylist()],
            "rank": rows["rank"].to_pylist(),
            "confidence": [_thousandths(v) for v in rows["confidence"].to_pylist()],
            "margin": [_thousandths(v) for v in rows["margin"].to_pylist()],
            "ood": [float(f"{v:.4g}") if math.isfinite(v) else None for v in rows["ood_score"].to_pylist()],
            "top": top,
            "shares": shares,
            "attributes": [[tag[text] for text in texts] for texts in rows["attributes"].to_pylist()],
            "picture": [_file(thumbnails.get(place, "")) for place in zip(rows["dataset"].to_pylist(), names, strict=True)],
        }
        files.write(f"{gallery.key}-{chunk}", content)
    return {
        "key": gallery.key,
        "dataset": gallery.group.dataset,
        "model": gallery.group.model,
        "role": gallery.group.role,
        "design": gallery.group.design,
        "classes": list(gallery.classes),
        "attributes": attributes,
        "chunks": chunks,
        "kept": gallery.kept,
        "total": table.num_rows,
        "wrong": gallery.wrong,
        "labeled": gallery.labeled,
        "command": list_command(gallery),
        "listed": listed(gallery),
    }


def confusion_cells(gallery: Gallery) -> list[list[int]]:
    """[true class, predicted class, pictures] of every pair of classes that occurs; all rows are counted."""
    code = {name: place for place, name in enumerate(gallery.classes)}
    counted = (
        gallery.table.select(["class", "predicted_class"]).group_by(["class", "predicted_class"]).aggregate([([], "count_all")])
    )
    rows = zip(*(counted[name].to_pylist() for name in ("class", "predicted_class", "count_all")), strict=True)
    return sorted([code[true], code[taken], n] for true, taken, n in rows if true is not None)


def list_command(gallery: Gallery) -> str:
    """The command that lists the predictions of a gallery."""
    group = gallery.group
    command = f"eyechart predictions RUN --model {shlex.quote(group.model)}"
    prompts = f" --prompts {shlex.quote(group.prompts)}" if group.prompts and not gallery.leads else ""
    if gallery.joins_sets:
        return f"{command}{prompts} --where {accepted_text(gallery.accepting_scores[0])}"
    design = f" --design {shlex.quote(group.design)}" if group.design else ""
    return f"{command} --dataset {shlex.quote(group.dataset)}{design}{prompts}"


def listed(gallery: Gallery) -> str:
    """What the command lists."""
    return f"all that {gallery.accepting_scores[0]} accepts" if gallery.joins_sets else "every prediction"


def _file(path: str) -> str:
    return path.removeprefix("pictures/").removesuffix(".jpg")


def _thousandths(value: float | None) -> int | None:
    return None if value is None or not math.isfinite(value) else round(1000 * value)
