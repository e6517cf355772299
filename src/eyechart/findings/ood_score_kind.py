"""Which OOD score a record of predictions holds. Scores of two kinds have different scales."""

from typing import Literal

FREE_ANSWER = "free answer"  # the prompts of predictions that are free answers, mapped to classes
NAME_LIKELIHOOD = "likelihood of the name"  # and of those by the log-likelihoods of class names

OodScoreKind = Literal["MCM", "MSP"]


def ood_score_kind(prompts: str | None) -> OodScoreKind | None:
    """MCM, a softmax of cosines, under a prompt set; MSP, a softmax of logits, by class scores or log-likelihoods. A free answer
    is mapped to a class or to none, which is no score that a threshold can be chosen on.

    Args:
        prompts: The prompt set of the predictions; None for a classifier without prompts.

    >>> ood_score_kind("openai-80"), ood_score_kind(None), ood_score_kind(FREE_ANSWER)
    ('MCM', 'MSP', None)
    """
    if prompts == FREE_ANSWER:
        return None
    return "MSP" if prompts in (None, NAME_LIKELIHOOD) else "MCM"
