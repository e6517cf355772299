"""One more picture: its classes, its OOD score among those of the dataset, and the most similar known pictures."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pyarrow.compute as pc
from PIL import Image

from eyechart.arrays import Floats
from eyechart.data.picture import Decoding
from eyechart.errors import ModelError
from eyechart.metrics.vectors import unit
from eyechart.models.abilities import has_members
from eyechart.models.encoder import EncodesImages
from eyechart.workbench.design_desk import DesignDesk
from eyechart.workbench.gallery import Gallery
from eyechart.workbench.live_design import LiveDesign, from_dataset
from eyechart.workbench.threshold_desk import ThresholdDesk

MOST_BYTES = 20_000_000
MOST_PIXELS = 50_000_000
SHOWN_CLASSES, NEIGHBORS = 8, 8


@dataclass(frozen=True, eq=False)
class TriedPicture:
    """A picture that was dropped.

    picture: Its pixels.
    vector: Its unit vector; None for a model without vectors, which scores it when a class list is known.
    """

    picture: Image.Image
    vector: Floats | None


def encode_picture(desk: DesignDesk, data: bytes) -> TriedPicture:
    """Decode and encode a picture, as the examination did.

    Raises:
        BrokenPicture: If it is no picture, or too large.
        ModelError: If the model has no image encoder.
    """
    model = desk.opened.model
    decoding: Decoding = replace(desk.opened.decoding, max_pixels=MOST_PIXELS)
    if desk.opened.names is not None:
        return TriedPicture(decoding.decode(data), None)
    if not has_members(model, "encode_images"):
        raise ModelError(f"{desk.opened.name}: it is a table of vectors and cannot encode a new picture")
    picture, encoder = decoding.decode(data), cast(EncodesImages, model)
    vector = unit(np.asarray(encoder.encode_images(encoder.prepare(picture)[None]), np.float32))[0]
    return TriedPicture(picture, vector)


def vector_of(desk: DesignDesk, design: LiveDesign, tried: TriedPicture) -> Floats:
    """The vector of a dropped picture, or its scores for the classes of a list."""
    if tried.vector is not None:
        return tried.vector
    assert desk.opened.names is not None
    return desk.opened.names.row(tried.picture, [(c.names, design.templates) for c in design.classes])


def picture_answer(
    desk: DesignDesk, design: LiveDesign, gallery: Gallery, thresholds: ThresholdDesk, tried: TriedPicture
) -> dict[str, Any]:
    """What the screen shows of a picture.

    Args:
        desk: The model and dataset.
        design: The class list.
        gallery: The known pictures under this list.
        thresholds: The OOD scores under this list.
        tried: The picture.
    """
    vectors, duplicates = desk.class_vectors(design)
    vector = vector_of(desk, design, tried)
    cosines = (vectors[duplicates] @ vector).astype(np.float64)
    scale = desk.opened.logits[0]
    best = np.argsort(-cosines, kind="stable")[:SHOWN_CLASSES]
    p = None if scale is None else _softmax(scale * cosines)
    mcm = float(_softmax(cosines).max())
    near = gallery.like_vector(vector)
    least = float(np.quantile(gallery.top.mcm, 0.05))  # 95% of the known pictures reach it
    rows = np.argsort(-near, kind="stable")[:NEIGHBORS]
    return {
        "classes": [
            {"name": design.classes[int(c)].name, "cosine": float(cosines[c]), "p": None if p is None else float(p[c])}
            for c in best
        ],
        "ood": {
            "score": mcm,
            "below": float((gallery.top.mcm < mcm).mean()),
            "at95": least,
            "n": len(gallery.ids),
            "fpr": _accepted_outside(desk, design, thresholds, least),
        },
        "neighbors": [{**gallery.row(int(row)), "cosine": float(near[row])} for row in rows],
    }


def _accepted_outside(desk: DesignDesk, design: LiveDesign, thresholds: ThresholdDesk, least: float) -> Mapping[str, Any] | None:
    """The share of out-of-distribution pictures that the threshold accepts; with the interval of the run for its own classes."""
    found = thresholds.accepted_outside("mcm", least)
    classes = desk.pictures.dataset.classes
    if found is None or classes is None or design.classes != from_dataset(classes, design.templates).classes:
        return found
    where = {"convention": "id-quantile", "score": "mcm", "prompts": desk.opened.prompts(desk.dataset).name}
    rows = desk.opened.run.findings
    mine = pc.and_(pc.equal(rows["model"], desk.opened.name), pc.equal(rows["dataset"], desk.dataset))
    for row in rows.filter(pc.and_(mine, pc.equal(rows["metric"], "fpr95"))).to_pylist():
        if json.loads(row["slice"]) == where and abs(row["value"] - found["value"]) < 1e-9:
            return {**found, "low": row["low"], "high": row["high"]}
    return found


def _softmax(values: Any) -> Any:
    e = np.exp(values - values.max())
    return e / e.sum()
