"""Fingerprints of the two towers of a model: what its picture vectors depend on, and what its text vectors depend on.

A model may know them apart (`image_fingerprint`, `text_fingerprint`). Then a change that concerns one tower, or neither, such as
another logit scale, leaves the stored vectors of the other as they are.
"""

from eyechart.models.encoder import Model


def image_fingerprint(model: Model) -> str:
    """What picture vectors and class scores depend on: weights, preprocessing, precision."""
    return str(getattr(model, "image_fingerprint", model.fingerprint))


def text_fingerprint(model: Model) -> str:
    """What text vectors depend on: weights, tokenizer, precision."""
    return str(getattr(model, "text_fingerprint", model.fingerprint))
