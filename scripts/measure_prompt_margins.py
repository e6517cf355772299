"""Does the class-wise matching margin of the worst classes predict the quality of a template better than that of all classes?

    python scripts/measure_prompt_margins.py

For every template of the pool: the mean margin over classes (CMM) and over the worst tenth of them, by pseudo labels of the
uniform ensemble, against the accuracy of that template alone, over all classes and the worst tenth. Spearman's correlation.
"""

import numpy as np
from scipy.stats import spearmanr

from eyechart.metrics.classification.margins import class_margins, picture_margins
from eyechart.metrics.classification.predictions import best_classes
from eyechart.metrics.classification.worst_classes import worst_count, worst_mean
from eyechart.metrics.vectors import unit
from eyechart.models.open import open_model
from eyechart.prompts.library import load_prompts
from eyechart.world.datasets.open import open_world

MODELS = ("long-tail", "random-order-0")


def measure(name: str) -> None:
    model, dataset = open_model(f"zoo:{name}"), open_world("world-long-tail", n=360)
    images = unit(np.concatenate([_encoded(model, dataset, row) for row in range(len(dataset))]))
    classes, truth = [c.name for c in dataset.classes], dataset.label_indices()
    templates = load_prompts("pool-164").templates
    vectors = [unit(model.encode_texts(model.tokenize([t.format(c) for c in classes]).ids)) for t in templates]
    numbers, k = np.arange(len(classes)), worst_count(len(classes))
    labels = best_classes(images, unit(np.mean(vectors, axis=0).astype(np.float32)), numbers)
    rows = []
    for of in vectors:
        margins = class_margins(picture_margins(images, of, labels), labels, len(classes))
        right = best_classes(images, of, numbers) == truth
        accuracy = np.array([right[truth == c].mean() for c in numbers])
        rows.append((margins.values.mean(), margins.worst(k), right.mean(), float(worst_mean(accuracy, k))))
    table = np.array(rows)
    found = [spearmanr(table[:, a], table[:, b]).statistic for b in (2, 3) for a in (0, 1)]
    print(f"| `{name}` | {found[0]:.2f} | {found[1]:.2f} | {found[2]:.2f} | {found[3]:.2f} |", flush=True)


def _encoded(model, dataset, row):
    from eyechart.data.picture import decode_picture

    return model.encode_images(model.prepare(decode_picture(dataset.pictures.read(row)))[None])


if __name__ == "__main__":
    print("| model | accuracy: CMM | accuracy: worst-k CMM | worst@k: CMM | worst@k: worst-k CMM |")
    print("| --- | --- | --- | --- | --- |")
    for each in MODELS:
        measure(each)
