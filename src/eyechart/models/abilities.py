"""The abilities of a model, found without evaluating its properties, which could load a network."""

from inspect import getattr_static

from eyechart.models.encoder import Model

# Each ability with the groups of members that provide it; any one group is enough.
_GRANTED_BY: dict[str, tuple[tuple[str, ...], ...]] = {
    "images": (("prepare", "encode_images"), ("look_up_images",)),
    "pictures": (("prepare", "encode_images"), ("look_up_images",), ("log_likelihoods",)),
    "texts": (("tokenize", "encode_texts"), ("look_up_texts",)),
    "logit_scale": (("logit_scale", "logit_bias"),),
    "patches": (("patches",),),
    "attention": (("attention",),),
    "class_scores": (("class_scores",),),
    "answers": (("answer", "answer_decoding"),),
    "likelihoods": (("log_likelihoods",),),
    "predictions": (("look_up_predictions",),),
}
LACKING = {
    "images": "it has no image encoder",
    "pictures": "it has no image encoder, and gives no log-likelihoods of answers",
    "texts": "it has no text encoder",
    "logit_scale": "it has no logit scale, so its cosines are not probabilities",
    "patches": "it gives no patch tokens",
    "attention": "it gives no attention weights",
    "class_scores": "it gives no class scores",
    "answers": "it does not answer questions in words",
    "likelihoods": "it gives no log-likelihoods of answers",
    "predictions": "it is a model, and not a file of predictions",
}


def has_members(model: Model, *names: str) -> bool:
    nothing = object()
    return all(getattr_static(model, name, nothing) is not nothing for name in names)


def lacks(model: Model, ability: str) -> str | None:
    """Why the model lacks this ability; None where it has it."""
    if any(has_members(model, *group) for group in _GRANTED_BY[ability]):
        return None
    return LACKING[ability]


def abilities(model: Model) -> list[str]:
    """The abilities of a model; "pictures" is left out, since it follows from others."""
    return [ability for ability in _GRANTED_BY if ability != "pictures" and lacks(model, ability) is None]
