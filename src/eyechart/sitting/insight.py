"""What a model gives besides vectors, to probes that ask for it: patch tokens, attention weights, class scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import cast

from eyechart.data.picture import Decoding
from eyechart.encode.close_look import PictureLost, look_closely
from eyechart.encode.engine import Engine, LostPicture, PictureWork
from eyechart.encode.shelf import Key, Shelf
from eyechart.models.abilities import has_members
from eyechart.models.encoder import EncodesImages, Floats, GivesClassScores, Model
from eyechart.progress import Progress

Look = Callable[[Sequence[int]], Floats]


@dataclass(frozen=True)
class Insight:
    """Each takes rows of the usable pictures; None where the model does not give it. Nothing is computed before it is called."""

    patches: Look | None = None
    attention: Look | None = None
    class_scores: Look | None = None


def insight_of(
    model: Model,
    pictures: Sequence[PictureWork],
    *,
    engine: Engine,
    decoding: Decoding,
    progress: Progress,
    scores: Callable[[], Shelf],
) -> Insight:
    """`pictures` are the usable ones, in the order of rows. Class scores are vectors like others, and kept on the shelf that
    `scores` gives; patches and attention of a dataset would fill a disk, and are computed anew each time."""

    def look(ability: str) -> Look | None:
        if not has_members(model, ability, "prepare"):
            return None
        return partial(_look, cast(EncodesImages, model), ability, pictures, decoding, engine.batch_size)

    @cache
    def scored() -> tuple[Shelf, dict[Key, LostPicture]]:
        """The shelf with the scores of all pictures, and those that have none."""
        giver, shelf = cast(GivesClassScores, model), scores()
        compute, decode = giver.class_scores, decoding.decode
        report = engine.encode_pictures(giver, pictures, shelf, decode=decode, progress=progress, compute=compute)
        return shelf, {lost.key: lost for lost in report.lost}

    def class_scores(rows: Sequence[int]) -> Floats:
        shelf, lost = scored()
        wanted = [pictures[row].key for row in rows]
        for key in wanted:
            if key in lost:
                raise PictureLost(f"{lost[key].place}: {lost[key].reason}")
        return shelf.get(wanted)

    gives_scores = has_members(model, "class_scores", "prepare")
    return Insight(look("patches"), look("attention"), class_scores if gives_scores else None)


def _look(
    model: EncodesImages, ability: str, pictures: Sequence[PictureWork], decoding: Decoding, batch_size: int, rows: Sequence[int]
) -> Floats:
    wanted = [pictures[row] for row in rows]
    return look_closely(model, wanted, compute=getattr(model, ability), decode=decoding.decode, batch_size=batch_size)
