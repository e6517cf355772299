"""The reliability diagram: accuracy against confidence, with the diagonal of a calibrated model and the share per bin."""

from eyechart.findings.charts import Spec, field, histogram, line_with_band

_WHOLE = {"domain": [0, 1]}


def reliability_diagram(
    *, start: str, end: str, share: str, confidence: str, accuracy: str, low: str, high: str, color: str | None = None
) -> Spec:
    """One row per bin: a bar from `start` to `end` with the `share` of pictures as its height, and a dot at (`confidence`,
    `accuracy`) with the interval from `low` to `high`; larger dots have more pictures. All values are fractions. `color` overlays
    several classifiers. Dots are not joined, because a line between bins with few pictures would show noise.
    """
    bars = histogram(start=start, end=end, count=share, color=color, unit="fraction", count_unit="fraction")
    curve = line_with_band(x=confidence, y=accuracy, color=color, x_unit="fraction", diagonal=True)
    diagonal, line = curve["layer"]
    of_dot = line["encoding"]
    upright = {**of_dot, "y": {**of_dot["y"], "field": field(low)}, "y2": {"field": field(high)}}
    size = {"field": field(share), "type": "quantitative", "legend": None, "scale": {"domain": [0, 1], "range": [30, 200]}}
    layers: list[Spec] = [
        {"mark": {**bars["mark"], "opacity": 0.3}, "encoding": bars["encoding"]},
        diagonal,
        {"mark": {"type": "rule", "style": "interval"}, "encoding": upright},
        {"mark": {"type": "point", "filled": True, "opacity": 1}, "encoding": {**of_dot, "size": size}},
    ]
    for layer in layers:
        for side, title in (("x", confidence), ("y", f"{accuracy}; bars: {share}")):
            layer["encoding"][side] = {**layer["encoding"][side], "title": title, "scale": _WHOLE}
    return {"layer": layers, "height": 340}
