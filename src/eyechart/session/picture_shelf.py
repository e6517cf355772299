"""The shelf of a model's picture vectors: it depends on how pictures are decoded."""

import hashlib
import json

from eyechart.data.picture import Decoding
from eyechart.store.label import HALF
from eyechart.store.shelf import StoredShelf
from eyechart.store.store import Store


def picture_shelf(
    store: Store, fingerprint: str, decoding: Decoding, role: str = "image", *, precision: str = "float32"
) -> StoredShelf:
    """The shelf of what a model gives for pictures: "image" for vectors, "class_scores" for those of its own classifier.

    Vectors in half precision are on a shelf of their own: they are other numbers."""
    return store.shelf(fingerprint, role, variant_of(decoding, precision))


def variant_of(decoding: Decoding, precision: str = "float32") -> str:
    """How shelves of this way of decoding are told from others."""
    choices = json.dumps(decoding.describe(), sort_keys=True)
    half = HALF if precision == "float16" else ""
    return hashlib.sha256(choices.encode()).hexdigest()[:16] + half
