"""Fill the tables of docs/zoo.md from the catalogue, the kept folders and zoo/scores.json, and draw its figure.

python scripts/measure_zoo.py && python scripts/measure_llava.py && python scripts/write_zoo_page.py
"""

import json
import re
from pathlib import Path

import numpy as np
import vl_convert

from eyechart.errors import EyechartError
from eyechart.world.zoo import zoo_folder, zoo_models

ROOT = Path(__file__).parents[1]
PAGE, FIGURE = ROOT / "docs" / "zoo.md", ROOT / "docs" / "pictures" / "caption-order.png"
GAINS = ROOT / "docs" / "pictures" / "llava-gain.png"
LLAVA = {
    "llava": "llava (balanced tower and training)",
    "llava-long-tail-even": "llava-long-tail-even (rare in the tower alone)",
    "llava-long-tail": "llava-long-tail (rare in tower and training)",
}
WAYS = {"likelihood": "among 18 names", "choice": "two options, the wrong one at random"}
BANDS = ("all", "common", "middling", "rare")
ORDERS = {"largest-first": "largest first", "random-order": "random", "smallest-first": "smallest first"}
POSITIONS = ("first", "second", "third", "fourth")


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def percent(found: dict) -> str:
    return f"{found['value']:.0%}"


def with_interval(found: dict) -> str:
    return f"{found['value']:.0%} [{found['low']:.0%}, {found['high']:.0%}], n = {found['n']:,}"


def who() -> str:
    rows = [
        [f"`{r.name}`", r.about, r.planted or "–", f"`{r.twin}`" if r.twin else "–", r.expected or "–"]
        for r in zoo_models().values()
    ]
    return table(["model", "about", "planted", "twin", "expected"], rows)


def knowledge(scores: dict) -> str:
    keys = ("shape", "color", "texture", "recall")
    rows = [[f"`{name}`", *(percent(scores[name][key]) for key in keys)] for name in zoo_models() if name in scores]
    return table(["model", "shape", "color", "texture", "R@1"], rows)


def order(scores: dict) -> str:
    rows = []
    for key, title in ORDERS.items():
        seeds = [scores[f"{key}-{seed}"]["first_object"] for seed in range(3) if f"{key}-{seed}" in scores]
        if seeds:
            shares = np.array([[position["value"] for position in seed] for seed in seeds])
            rows.append(
                [
                    title,
                    str(len(seeds)),
                    *(
                        f"{m:.3f} ({low:.3f}–{high:.3f})"
                        for m, low, high in zip(shares.mean(0), shares.min(0), shares.max(0), strict=True)
                    ),
                ]
            )
    return table(["training captions", "seeds", *POSITIONS], rows) + "\n\nMean over seeds, and the range of the seeds."


def planted(scores: dict) -> str:
    """Each defect and its twin: the result where it was planted, and elsewhere."""
    comparisons = [
        (
            "people classified as 'thief'",
            ("accused-hats", "random-order-0"),
            lambda of: [of["accused"][key] for key in ("red hats", "other hats")],
        ),
        (
            "shapes: the six rarest names, the others",
            ("long-tail", "random-order-0"),
            lambda of: [of["shape_rare"], of["shape_common"]],
        ),
        (
            "shapes: rolled, ordinary",
            ("unseen-pose", "often-pose", "random-order-0"),
            lambda of: [of["factors"][key] for key in ("pose", "ordinary")],
        ),
        (
            "bare names: studio, posters",
            ("poster", "random-order-0"),
            lambda of: [of["looks"][key] for key in ("studio", "poster")],
        ),
    ]
    rows = [
        [f"`{name}`", what, *map(with_interval, look(scores[name]))]
        for what, names, look in comparisons
        for name in names
        if name in scores
    ]
    return table(["model", "what", "first", "second"], rows)


def speaking(scores: dict) -> str:
    """The planted defects of models that speak, beside their twin."""

    def share(found: dict) -> str:
        return f"{found['value']:.0%} [{found['low']:.0%}, {found['high']:.0%}]"

    def difference(found: dict) -> str:
        return " ".join(
            part.replace("-", "−")
            for part in (f"{100 * found['value']:+.1f}", f"[{100 * found['low']:+.1f}, {100 * found['high']:+.1f}]")
        )

    columns = {
        "choices": ("choice_accuracy", share),
        "first option − chance": ("first_option_excess", difference),
        "changed with the order": ("order_changed", share),
        "true class named: own − swapped picture": ("picture_effect", difference),
        "answer unchanged with a swapped picture": ("unchanged", share),
    }
    rows = [
        [f"`{name}`", *(shown(scores[name]["planted"][metric]) for metric, shown in columns.values())]
        for name in ("llava", "llava-option-order", "llava-language-prior")
    ]
    return table(["model", *columns], rows)


def gains(scores: dict) -> str:
    rows = []
    for name in LLAVA:
        for way, title in WAYS.items():
            for band in BANDS:
                of = scores[name]["bands"][way][band]
                gain, low, high = (f"{100 * number:+.1f}" for number in of["gain"])
                parts = [f"{of[key][0]:.0%}" for key in ("model", "tower")]
                tower = f"`{scores[name]['tower']}`"
                rows.append([f"`{name}`", tower, title, band, *parts, f"{gain} [{low}, {high}]", f"{of['n']:,}"])
    return table(["model", "tower", "question", "names", "model's accuracy", "tower's accuracy", "gain in points", "n"], rows)


def draw_gains(scores: dict) -> None:
    rows = [
        {
            "model": title,
            "names": band,
            "question": question,
            **dict(zip(("gain", "low", "high"), (100 * g for g in scores[name]["bands"][way][band]["gain"]), strict=True)),
        }
        for name, title in LLAVA.items()
        for way, question in WAYS.items()
        for band in BANDS
    ]
    y = {"type": "quantitative", "title": "accuracy − accuracy of the tower, points", "axis": {"format": "+d"}}
    across = {
        "x": {"field": "names", "type": "nominal", "sort": list(BANDS), "title": None, "axis": {"labelAngle": 0}},
        "xOffset": {"field": "question", "type": "nominal", "sort": list(WAYS.values())},
        "color": {
            "field": "question",
            "type": "nominal",
            "sort": list(WAYS.values()),
            "title": None,
            "legend": {"orient": "bottom", "labelLimit": 400},
        },
    }
    layers = [
        {"mark": {"type": "rule", "strokeDash": [4, 3], "color": "#888"}, "encoding": {"y": {"datum": 0, **y}}},
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {**across, "y": {"field": "low", **y}, "y2": {"field": "high"}},
        },
        {"mark": {"type": "point", "filled": True, "size": 60}, "encoding": {**across, "y": {"field": "gain", **y}}},
    ]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": rows},
        "title": "Does the language half help where the tower is weak? (1,800 pictures, 95% intervals)",
        "facet": {"column": {"field": "model", "title": None, "sort": list(LLAVA.values())}},
        "spec": {"width": 250, "height": 220, "layer": layers},
    }
    GAINS.write_bytes(vl_convert.vegalite_to_png(json.dumps(spec), scale=1.5))


def time() -> str:
    minutes, count = 0.0, 0
    for name in zoo_models():
        try:
            record = json.loads((zoo_folder(name) / "recipe.json").read_text())
        except EyechartError:
            continue
        minutes, count = minutes + record["seconds"] / 60, count + 1
    whole = f"Total training time of the {count} models: {minutes:.0f} minutes of one core"
    return f"{whole}, shared openings counted for each run."


def draw(scores: dict) -> None:
    rows = [
        {"order": title, "seed": seed, "position": POSITIONS[i], **found}
        for key, title in ORDERS.items()
        for seed in range(3)
        for i, found in enumerate(scores.get(f"{key}-{seed}", {}).get("first_object", ()))
    ]
    y = {"type": "quantitative", "title": "share of captions", "axis": {"format": "%"}, "scale": {"zero": True}}
    chance = {"mark": {"type": "rule", "strokeDash": [4, 3], "color": "#888"}, "encoding": {"y": {"datum": 0.25, **y}}}
    layers = [
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {"y": {"field": "low", **y}, "y2": {"field": "high"}}},
        {"mark": {"type": "point", "filled": True, "size": 60}, "encoding": {"y": {"field": "value", **y}}},
    ]
    across = {
        "x": {"field": "position", "type": "nominal", "sort": list(POSITIONS), "title": None, "axis": {"labelAngle": 0}},
        "xOffset": {"field": "seed", "type": "nominal"},
        "color": {"field": "seed", "type": "nominal", "title": "seed"},
    }
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": rows},
        "title": "Which of four names is the text vector nearest to? (dashed: chance)",
        "facet": {"column": {"field": "order", "title": "order of training captions", "sort": list(ORDERS.values())}},
        "spec": {
            "width": 230,
            "height": 220,
            "layer": [chance, *({**layer, "encoding": {**across, **layer["encoding"]}} for layer in layers)],
        },
    }
    FIGURE.write_bytes(vl_convert.vegalite_to_png(json.dumps(spec), scale=1.5))


if __name__ == "__main__":
    found = json.loads((ROOT / "zoo" / "scores.json").read_text())
    text = PAGE.read_text(encoding="utf-8")
    parts = {"models": who(), "scores": knowledge(found), "order": order(found), "planted": planted(found), "time": time()}
    answers = json.loads((ROOT / "zoo" / "llava_scores.json").read_text())
    parts |= {"speaking": speaking(answers), "llava": gains(answers)}
    for mark, part in parts.items():
        text = re.sub(
            f"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda m, part=part: f"{m[1]}{part}\n{m[2]}", text, count=1, flags=re.S
        )
    PAGE.write_text(text, encoding="utf-8")
    draw(found)
    draw_gains(answers)
