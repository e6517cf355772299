"""Models: what they can do, how they are opened, and what an author of a new model source needs.

A model is any object with a `spec`, a `card` and a `fingerprint`. Each further ability is a small protocol: `EncodesImages`,
`EncodesTexts`, `ScoresPairs` and so on. A probe that needs an ability skips models without it.

A package adds a source, `PREFIX:NAME`, with an entry point of the group `eyechart.models`:

    [project.entry-points."eyechart.models"]
    mine = "my_package.models:SOURCE"

`SOURCE` is a `ModelSource`, whose target names a function: `open(name, hashes, device, precision, threads)` returns the model.
"""

from typing import TYPE_CHECKING

from eyechart.exports import lazy_exports

if TYPE_CHECKING:
    from eyechart.models.answering import AnswersQuestions, GivesLikelihoods, PictureQuestion, Reply
    from eyechart.models.card import ModelCard
    from eyechart.models.composed import ComposedModel
    from eyechart.models.encoder import (
        EncodesImages,
        EncodesTexts,
        GivesAttention,
        GivesBlockAttention,
        GivesClassScores,
        GivesPatches,
        KnowsItsWindow,
        LooksUpImages,
        LooksUpPredictions,
        LooksUpTexts,
        Model,
        PicturePrediction,
        ScoresPairs,
        TokenizedTexts,
    )
    from eyechart.models.open import open_model
    from eyechart.models.preprocessing import Preprocessing
    from eyechart.models.sources import ModelSource, model_sources

_ENCODER = (
    "EncodesImages",
    "EncodesTexts",
    "GivesAttention",
    "GivesBlockAttention",
    "GivesClassScores",
    "GivesPatches",
    "KnowsItsWindow",
    "LooksUpImages",
    "LooksUpPredictions",
    "LooksUpTexts",
    "Model",
    "PicturePrediction",
    "ScoresPairs",
    "TokenizedTexts",
)
# Importing this package loads nothing: each name comes from its module when it is first used.
_MODULES = dict.fromkeys(_ENCODER, "encoder") | {
    "AnswersQuestions": "answering",
    "ComposedModel": "composed",
    "GivesLikelihoods": "answering",
    "ModelCard": "card",
    "ModelSource": "sources",
    "PictureQuestion": "answering",
    "Preprocessing": "preprocessing",
    "Reply": "answering",
    "model_sources": "sources",
    "open_model": "open",
}
__all__ = [
    "AnswersQuestions",
    "ComposedModel",
    "EncodesImages",
    "EncodesTexts",
    "GivesAttention",
    "GivesBlockAttention",
    "GivesClassScores",
    "GivesLikelihoods",
    "GivesPatches",
    "KnowsItsWindow",
    "LooksUpImages",
    "LooksUpPredictions",
    "LooksUpTexts",
    "Model",
    "ModelCard",
    "ModelSource",
    "PicturePrediction",
    "PictureQuestion",
    "Preprocessing",
    "Reply",
    "ScoresPairs",
    "TokenizedTexts",
    "model_sources",
    "open_model",
]

__getattr__, __dir__ = lazy_exports(__name__, {name: f"eyechart.models.{home}" for name, home in _MODULES.items()})
