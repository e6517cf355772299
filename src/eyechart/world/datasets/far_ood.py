"""Generated pictures of none of the given classes: single shapes, textures and empty scenes of the embedded world.

They look unlike photographs, so a model tells them apart easily: a far out-of-distribution set. Good figures on it are necessary,
not sufficient; a set of similar pictures of other classes (near OOD) is harder.
"""

import re
from collections.abc import Iterable
from itertools import islice

import pyarrow as pa

from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.notice import Notice
from eyechart.world.datasets.ood import OOD
from eyechart.world.datasets.world_dataset import Shot, Streams
from eyechart.world.scene_pictures import RENDERING_VERSION, ScenePictures

SIDE = 96  # pixels
KIND = "generated pictures"
_TITLES = {"known": "shape", "held-out shape": "shape", "empty": "empty scene", "texture": "texture"}


def far_ood(classes: ClassList, n: int, *, name: str, of: str | None = None, seed: int = 0) -> Dataset:
    """A dataset of the role "ood": `n` generated pictures that show nothing of the given classes.

    Args:
        classes: The classes. Shapes and textures with a word of a class name are left out.
        n: The number of pictures.
        name: The dataset's name.
        of: The dataset that it belongs to.
        seed: The seed of the scenes.
    """
    words = _words(text for c in classes for text in (c.label, *c.names))
    drawn = OOD.draw(Streams(seed, OOD.number))
    shots = list(islice((shot for shot in drawn if words.isdisjoint(_words([_shows(shot)]))), n))
    table = pa.table(
        {
            "id": [shot.id for shot in shots],
            "label": [_TITLES[str(shot.attributes["kind"])] for shot in shots],
            "attr.shows": [_shows(shot) for shot in shots],
        }
    )
    reader = {
        "kind": KIND,
        "n": len(shots),
        "seed": seed,
        "side": SIDE,
        "version": RENDERING_VERSION,
        "difficulty": "easy, far OOD",
    }
    easy = "an easy, far OOD set: generated pictures, which look unlike photographs; similar pictures of other classes are harder"
    return Dataset(
        name,
        table,
        ScenePictures(tuple(shot.subject for shot in shots), SIDE),
        notices=(Notice(name, easy, "give your own with --ood FOLDER"),),
        reader=reader,
        role="ood",
        of=of,
        made=True,
    )


def _shows(shot: Shot) -> str:
    return str(shot.attributes["shows"])


def _words(texts: Iterable[str]) -> set[str]:
    """The words of these texts, without an s at their end, so that a plural matches."""
    return {word.rstrip("s") for text in texts for word in re.findall(r"[^\W\d_]+", text.casefold())}
