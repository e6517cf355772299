"""What the captions of a dataset can be asked, known before anything is encoded."""

from dataclasses import dataclass

from eyechart.data.dataset import Dataset
from eyechart.errors import DataError
from eyechart.probes.matching.trials import MatchTrials
from eyechart.repair.captions.matching import matching_trials, of_names
from eyechart.repair.captions.retrieval import Queries, queries_of
from eyechart.repair.captions.settings import CaptionSettings
from eyechart.repair.captions.vectors import wordings
from eyechart.repair.captions.wordings import Listing

LEAST = 40  # pictures: with fewer, a share of the held-out half is a matter of one


@dataclass(frozen=True, eq=False)
class CaptionQuestions:
    """`trials` of matching, `queries` of retrieval; None where there are none."""

    trials: MatchTrials | None
    queries: Queries | None

    @property
    def captions(self) -> list[str]:
        """As they are."""
        return [*(self.trials.texts if self.trials else ()), *(self.queries.texts if self.queries else ())]

    @property
    def listings(self) -> list[Listing]:
        """Those that can be said in another way."""
        found = [of_names(text) for text in self.trials.texts] if self.trials else []
        return found + [one for one in self.queries.listings if one is not None] if self.queries else found

    def said(self, settings: CaptionSettings) -> list[str]:
        """Every text that is asked for."""
        anew = (
            text
            for one in self.listings
            for way in settings.ways
            for of_mean in wordings(one, way, settings.most)
            for text in of_mean
        )
        return list(dict.fromkeys([*self.captions, *anew]))


def caption_questions(dataset: Dataset, settings: CaptionSettings) -> CaptionQuestions:
    if len(dataset) < LEAST:
        raise DataError(f"{dataset.name}: {len(dataset)} pictures are too few; half are looked at, so give {LEAST} or more")
    trials = matching_trials(dataset, settings)
    queries = queries_of(dataset) if dataset.has("captions") else None
    asked = CaptionQuestions(trials if len(trials) else None, queries if queries and queries.lists.any() else None)
    if asked.trials is None and asked.queries is None:
        raise DataError(
            f"{dataset.name}: neither things that pictures show (column objects) nor captions that list things, such as "
            "'a cube and a star'; there is nothing to say in another order"
        )
    if settings.purpose == "matching" and asked.trials is None:
        raise DataError(f"{dataset.name}: no pictures of two named things, which matching needs; try --purpose retrieval")
    if settings.purpose == "retrieval" and asked.queries is None:
        raise DataError(f"{dataset.name}: no captions that list things, which retrieval needs; try --purpose matching")
    return asked
