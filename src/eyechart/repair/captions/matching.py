"""Right captions against wrong ones, in several ways to say them: the trials of the probe `matching`."""

from typing import Any

import numpy as np

from eyechart.arrays import Flags
from eyechart.data.dataset import Dataset
from eyechart.errors import DataError
from eyechart.probes.matching.trials import KINDS, LINK, MatchTrials, made_trials
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.objects import object_scenes
from eyechart.repair.captions.settings import CaptionSettings
from eyechart.repair.captions.trials import Tried, all_ways
from eyechart.repair.captions.vectors import listing_vectors
from eyechart.repair.captions.wordings import Listing


def matching_trials(dataset: Dataset, settings: CaptionSettings) -> MatchTrials:
    made = made_trials(dataset, pictures=settings.pictures, absent=settings.absent, seed=settings.seed)
    linked = next((name for name in object_scenes(dataset).names if LINK in name), None) if len(made) else None
    if linked is not None:
        raise DataError(f"{dataset.name}: a thing is called {linked!r}; rename it, for {LINK.strip()!r} parts things in captions")
    return made


def of_names(caption: str) -> Listing:
    """A caption of these trials, which is names and nothing else."""
    names = tuple(caption.split(LINK))
    return Listing(names, ("", *[LINK] * (len(names) - 1), ""))


def match(inputs: ProbeInput[Any], trials: MatchTrials, settings: CaptionSettings) -> list[Tried]:
    """Every kind of trial: passed where the right caption is nearer than the wrong one, strictly."""
    distinct = trials.texts
    number = {text: place for place, text in enumerate(distinct)}
    listings = [of_names(text) for text in distinct]
    pictures = inputs.images[trials.rows]
    hits: dict[str, dict[str, Flags]] = {kind: {} for kind in KINDS}
    for way in all_ways(settings):
        vectors = listing_vectors(listings, way, inputs.texts, settings.most)
        for kind in KINDS:
            right, wrong = (
                np.einsum("td,td->t", pictures, vectors[[number[text] for text in said[kind]]])
                for said in (trials.right, trials.wrong)
            )
            hits[kind][way] = right > wrong
    return [Tried("matching", kind, hits[kind], trials.rows) for kind in KINDS]
