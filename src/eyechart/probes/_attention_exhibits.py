"""What attention has to show: shares by size beside areas, attention per area, heads, and maps laid over scenes."""

import io
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from PIL import Image

from eyechart.data.picture import BrokenPicture, Decoding
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes._attended import Attended, masks_of
from eyechart.probes._large_object_exhibits import in_words, ordinal
from eyechart.probes.probe import Given

_SIDE = 256  # pixels of a drawn map
_COLD, _HOT = np.array([20.0, 30.0, 90.0]), np.array([255.0, 210.0, 60.0])
_LINE = np.array([255.0, 255.0, 255.0])


def share_exhibit(findings: Sequence[Finding], objects: int) -> Exhibit:
    rows = []
    for metric, what in (("attention", "attention"), ("area", "area")):
        for f in _by_rank(findings, metric, objects):
            rank = int(str(f.slice["size_rank"]))
            rows.append({"which": _which(rank, objects), "of the picture": what, "share": f.value, "low": f.low, "high": f.high})
    rows.sort(key=lambda row: [_which(k, objects) for k in range(1, objects + 1)].index(str(row["which"])))
    largest, area = (_by_rank(findings, metric, objects)[0].value for metric in ("attention", "area"))
    sentence = (
        f"The largest of {in_words(objects)} things covers {area:.1%} of the picture and gets {largest:.1%} "
        "of the class token's attention."
    )
    chart = charts.bars(
        category="which", value="share", color="of the picture", low="low", high="high", category_title="", value_title="share"
    )
    return Exhibit("attention-by-size", "Where the class token looks", sentence, pa.Table.from_pylist(rows), chart=chart)


def density_exhibit(findings: Sequence[Finding], objects: int) -> Exhibit:
    shown = _by_rank(findings, "density", objects)
    rows = [
        {"which": _which(int(str(f.slice["size_rank"])), objects), "density": f.value, "low": f.low, "high": f.high}
        for f in shown
    ]
    sentence = (
        f"For its area, the largest of {in_words(objects)} things gets {shown[0].value:.2f} times the attention of an average "
        f"spot, and the smallest {shown[-1].value:.2f} times: what is left when area is taken out."
    )
    chart = charts.dots_with_intervals(
        category="which",
        value="density",
        low="low",
        high="high",
        category_title="",
        value_title="attention over area",
        unit="",
        reference=1.0,
    )
    return Exhibit("attention-per-area", "Attention per area", sentence, pa.Table.from_pylist(rows), chart=chart)


def head_exhibit(findings: Sequence[Finding], objects: int) -> list[Exhibit]:
    """Which heads of the last block favour large things beyond their area, where it was asked for."""
    shown = [f for f in findings if f.metric == "density_lead" and "head" in f.slice and f.slice["objects"] == objects]
    if not shown:
        return []
    rows = [{"head": str(f.slice["head"]), "lead": f.value, "low": f.low, "high": f.high} for f in shown]
    most = max(shown, key=lambda f: f.value or 0.0)
    sentence = (
        f"Head {most.slice['head']} favours the largest thing most: {most.value:.2f} times the attention per area of the others."
    )
    chart = charts.dots_with_intervals(
        category="head", value="lead", low="low", high="high", value_title="largest over others, per area", unit="", reference=1.0
    )
    return [Exhibit("attention-by-head", "Heads of the last block", sentence, pa.Table.from_pylist(rows), chart=chart)]


def overlay_exhibit(given: Given, attended: Attended, names: Sequence[str], shown: int) -> list[Exhibit]:
    """The first scenes: bright where the class token looks, with the outlines of the things."""
    assert given.windows is not None
    shares, rows, ids = attended.mean_shares, [], given.dataset.ids()
    for place in range(min(shown, len(attended.scenes))):
        row = int(attended.scenes.rows[place])
        wanted = [names[number] for number in attended.scenes.objects[place]]
        outline = np.any([_edge(mask) for mask in masks_of(given, row, wanted)], axis=0)
        drawn = _overlaid(given, row, attended.maps[place], given.windows([row])[0], outline)
        if drawn is None:
            continue
        most = int(shares[place].argmax())
        rows.append(
            {"id": ids[row], "drawn": drawn, "looks most at": wanted[most], "attention": f"{shares[place, most]:.0%}",
             "largest": wanted[attended.scenes.by_size[place, 0]]}
        )  # fmt: skip
    if not rows:
        return []
    sentence = "Left the picture, right what the class token makes of it: bright where it looks, things outlined."
    return [Exhibit("attention-maps", "Attention laid over scenes", sentence, pa.Table.from_pylist(rows), "pictures")]


def _overlaid(
    given: Given, row: int, weights: npt.NDArray[np.float64], window: npt.NDArray[np.float64], outline: npt.NDArray[np.bool_]
) -> bytes | None:
    """JPEG of what the network sees, coloured by the map; None where the picture has gone or has another size."""
    try:
        picture = Decoding().decode(given.dataset.pictures.read(row)).convert("RGB")
    except (OSError, BrokenPicture):
        return None
    if picture.size != outline.shape[::-1]:
        return None
    box = tuple(float(edge) for edge in window)
    small = np.asarray(picture.resize((_SIDE, _SIDE), Image.Resampling.BICUBIC, box=_within(box, picture.size)), np.float64)
    heat = weights / weights.max()
    heat = np.asarray(Image.fromarray(heat.astype(np.float32)).resize((_SIDE, _SIDE), Image.Resampling.BILINEAR), np.float64)
    color = _COLD + heat[..., None] * (_HOT - _COLD)
    canvas = 0.45 * small.mean(axis=2, keepdims=True) + 0.55 * color
    lines = Image.fromarray((outline * 255).astype(np.uint8)).resize(
        (_SIDE, _SIDE), Image.Resampling.BICUBIC, box=_within(box, picture.size)
    )
    alpha = 0.9 * np.asarray(lines, np.float64)[..., None] / 255
    canvas = canvas * (1 - alpha) + alpha * _LINE
    out = io.BytesIO()
    Image.fromarray(np.clip(canvas, 0, 255).astype(np.uint8)).save(out, "JPEG", quality=85)
    return out.getvalue()


def _within(box: tuple[float, ...], size: tuple[int, int]) -> tuple[float, float, float, float]:
    """A window may reach an ulp beyond the picture; Pillow's box may not."""
    left, top, right, bottom = box
    return max(0.0, left), max(0.0, top), min(float(size[0]), right), min(float(size[1]), bottom)


def _edge(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Pixels inside that have a neighbour outside."""
    padded = np.pad(mask, 1)
    inner = padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    return np.asarray(mask & ~inner)


def _by_rank(findings: Sequence[Finding], metric: str, objects: int) -> list[Finding]:
    wanted = {"objects", "size_rank"}
    return [f for f in findings if f.metric == metric and set(f.slice) == wanted and f.slice["objects"] == objects]


def _which(rank: int, objects: int) -> str:
    return "largest" if rank == 1 else "smallest" if rank == objects else f"{ordinal(rank)} largest"
