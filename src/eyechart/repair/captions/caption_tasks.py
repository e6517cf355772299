"""The trials and queries that a dataset allows; known before anything is encoded."""

from dataclasses import dataclass

from eyechart.data.dataset import Dataset
from eyechart.errors import DataError
from eyechart.notice import counted
from eyechart.probes.matching.trials import MatchTrials
from eyechart.repair.captions.listings import Listing
from eyechart.repair.captions.matching import matching_trials, names_listing
from eyechart.repair.captions.retrieval import Queries, queries_of
from eyechart.repair.captions.settings import CaptionSettings
from eyechart.repair.captions.vectors import variants

LEAST = 40  # pictures: with fewer, one picture decides a share of the held-out half


@dataclass(frozen=True, eq=False)
class CaptionTasks:
    """What a dataset allows to measure.

    trials: The trials of matching; None where there are none.
    queries: The queries of retrieval; None where there are none.
    """

    trials: MatchTrials | None
    queries: Queries | None

    @property
    def captions(self) -> list[str]:
        """The original captions."""
        return [*(self.trials.texts if self.trials else ()), *(self.queries.texts if self.queries else ())]

    @property
    def listings(self) -> list[Listing]:
        """The captions that have variants."""
        found = [names_listing(text) for text in self.trials.texts] if self.trials else []
        return found + [one for one in self.queries.listings if one is not None] if self.queries else found

    def texts(self, settings: CaptionSettings) -> list[str]:
        """Every text to encode, each once."""
        made = (
            text
            for one in self.listings
            for way in settings.ways
            for averaged in variants(one, way, settings.most)
            for text in averaged
        )
        return list(dict.fromkeys([*self.captions, *made]))


def caption_tasks(dataset: Dataset, settings: CaptionSettings) -> CaptionTasks:
    """The tasks of a dataset; DataError where it has too few pictures, or nothing to measure."""
    if len(dataset) < LEAST:
        raise DataError(
            f"{dataset.name}: {counted(len(dataset), 'picture is', 'pictures are')} too few; a caption repair needs "
            f"at least {LEAST}"
        )
    trials = matching_trials(dataset, settings)
    queries = queries_of(dataset) if dataset.has("captions") else None
    tasks = CaptionTasks(trials if len(trials) else None, queries if queries and queries.is_listing.any() else None)
    if tasks.trials is None and tasks.queries is None:
        raise DataError(
            f"{dataset.name}: it has neither objects of pictures (column objects) nor captions that list objects, such as "
            "'a cube and a star'; a caption repair needs one of them"
        )
    if settings.purpose == "matching" and tasks.trials is None:
        raise DataError(f"{dataset.name}: matching needs pictures with two or more named objects; try --purpose retrieval")
    if settings.purpose == "retrieval" and tasks.queries is None:
        raise DataError(f"{dataset.name}: retrieval needs captions that list objects; try --purpose matching")
    return tasks
