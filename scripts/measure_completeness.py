"""Is a text encoder with a more complete representation less biased towards a position? Theorem 1 of Abbasi et al. (2025) is used
to predict that. Measured on models of the zoo, by 400 captions of four names each.

    python scripts/measure_completeness.py            # a row for each model: recall of all names, share of the first, widest gap
"""

from eyechart.data.class_file import read_classes
from eyechart.metrics.scenes.object_ranks import object_ranks
from eyechart.metrics.vectors import unit
from eyechart.models.open import open_model
from eyechart.probes.tasks.name_lists import NameList
from eyechart.probes.tasks.template_captions import template_captions
from eyechart.world.zoo import present

MODELS = (
    *(f"{order}-{seed}" for order in ("random-order", "largest-first", "smallest-first") for seed in range(3)),
    *("pairs-3k", "pairs-12k", "pairs-48k", "bidirectional", "sigmoid"),
)


def measure(model: str) -> tuple[float, list[float]]:
    """The share of names among the four nearest, and how often each position is the nearest of the four."""
    opened = open_model(f"zoo:{model}")
    names = NameList("simco-18", tuple(c.name for c in read_classes("simco-18")))
    captions = template_captions(names, 4, "bare", order="balanced", captions=400, seed=0)

    def encode(texts: list[str]):
        return unit(opened.encode_texts(opened.tokenize(texts).ids))

    ranks = object_ranks(encode(list(captions.texts)), encode(list(names.names)), captions.objects)
    return float(ranks.recall.mean()), [float(share) for share in ranks.own.mean(axis=0)]


def main() -> None:
    print("| model | names retrieved | first, second, third, fourth nearest | largest minus smallest |")
    print("| --- | --- | --- | --- |")
    for model in MODELS:
        if model in present():
            recall, shares = measure(model)
            listed = ", ".join(f"{100 * share:.0f}" for share in shares)
            print(f"| `{model}` | {recall:.1%} | {listed}% | {100 * (max(shares) - min(shares)):.0f} points |", flush=True)


if __name__ == "__main__":
    main()
