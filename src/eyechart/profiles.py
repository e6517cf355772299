"""Profiles: lists of probes that belong together. A probe declares its profiles itself (`@probe(profiles=…)`)."""

from collections.abc import Mapping
from typing import Literal

Profile = Literal["classify", "retrieval", "audit", "objects", "paper", "answers", "all"]

PROFILES: Mapping[Profile, str] = {
    "classify": "Accuracy by class, confidence, prompts, robustness and out-of-distribution pictures; for labeled pictures.",
    "retrieval": "Search with captions, and captions with wrongly combined words; for pictures with captions.",
    "audit": "Harmful classes, labels and accuracy by group; for pictures of people with attributes such as age or gender.",
    "objects": "Preference for large and for first-named objects, attention and keypoints; for pictures with known objects.",
    "paper": "The experiments of five published analyses of CLIP (docs/profiles.md), those on texts alone included.",
    "answers": "Questions in words: accuracy, self-agreement, use of the picture, hallucination; for multimodal models.",
    "all": "Every probe, those of installed packages included.",
}
