"""The trials of the probe `matching`, with captions encoded in several ways."""

from typing import Any

import numpy as np

from eyechart.arrays import Flags
from eyechart.data.dataset import Dataset
from eyechart.errors import DataError
from eyechart.probes.contract import ProbeInput
from eyechart.probes.matching.trials import KINDS, LINK, MatchTrials, made_trials
from eyechart.probes.tasks.objects import object_scenes
from eyechart.repair.captions.listings import Listing
from eyechart.repair.captions.settings import CaptionSettings
from eyechart.repair.captions.trial_results import TrialResults, all_ways
from eyechart.repair.captions.vectors import listing_vectors


def matching_trials(dataset: Dataset, settings: CaptionSettings) -> MatchTrials:
    """The trials of a dataset; DataError where the name of an object contains the separator of the captions."""
    made = made_trials(dataset, pictures=settings.pictures, absent=settings.absent, seed=settings.seed)
    linked = next((name for name in object_scenes(dataset).names if LINK in name), None) if len(made) else None
    if linked is not None:
        raise DataError(f"{dataset.name}: an object is named {linked!r}; rename it, since {LINK.strip()!r} separates objects")
    return made


def names_listing(caption: str) -> Listing:
    """The listing of a caption of these trials, which consists of names only."""
    names = tuple(caption.split(LINK))
    return Listing(names, ("", *[LINK] * (len(names) - 1), ""))


def match(inputs: ProbeInput[Any], trials: MatchTrials, settings: CaptionSettings) -> list[TrialResults]:
    """Every kind of trial: passed where the true caption is strictly closer than the false one."""
    distinct = trials.texts
    number = {text: place for place, text in enumerate(distinct)}
    listings = [names_listing(text) for text in distinct]
    pictures = inputs.images[trials.rows]
    hits: dict[str, dict[str, Flags]] = {kind: {} for kind in KINDS}
    for way in all_ways(settings):
        vectors = listing_vectors(listings, way, inputs.texts, settings.most)
        for kind in KINDS:
            true, false = (
                np.einsum("td,td->t", pictures, vectors[[number[text] for text in captions[kind]]])
                for captions in (trials.right, trials.wrong)
            )
            hits[kind][way] = true > false
    return [TrialResults("matching", kind, hits[kind], trials.rows) for kind in KINDS]
