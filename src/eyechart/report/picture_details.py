"""What the page shows of single pictures besides their prediction: neighbors, attributes, and which pictures to look at first."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from eyechart.errors import StoreError
from eyechart.findings.run import Run
from eyechart.report.data_files import DataFiles
from eyechart.report.thumbnails import Place

NEIGHBORS = "neighbors"  # how the name of the exhibit begins


@dataclass(frozen=True)
class PictureDetail:
    """One picture.

    id: Its id.
    true: The true class; None where it is unknown.
    predicted: The predicted class.
    neighbors: The pictures with the most similar vectors, nearest first.
    cosines: Their cosines.
    attributes: Attributes of the picture as text.
    """

    id: str
    true: str | None
    predicted: str
    neighbors: tuple[str, ...]
    cosines: tuple[float, ...]
    attributes: str

    @property
    def wrong(self) -> bool:
        return self.true is not None and self.true != self.predicted


def picture_details(run: Run, model: str, dataset: str) -> list[PictureDetail]:
    """The pictures that the run has neighbors of, errors first; empty where it has none."""
    return list(_details(run, model, dataset))


def _details(run: Run, model: str, dataset: str) -> Iterator[PictureDetail]:
    wanted = {"id", "ids", "true", "predicted", "cosines", "attributes"}
    for placed in run.exhibits:
        mine = (placed.model, placed.dataset) == (model, dataset) and placed.exhibit.name.startswith(NEIGHBORS)
        if not mine or not wanted.issubset(placed.exhibit.table.column_names):
            continue
        schema = placed.exhibit.table.schema
        if not all(pa.types.is_list(schema.field(name).type) for name in ("ids", "cosines")):
            raise StoreError(f"the exhibit {placed.exhibit.name} has no lists of neighbors; examine again to write it")
        for row in placed.exhibit.table.to_pylist():
            near, cosines = row["ids"] or (), row["cosines"] or ()
            yield PictureDetail(row["id"], row["true"], row["predicted"], tuple(near), tuple(cosines), row["attributes"] or "")


def write_details(
    name: str, details: list[PictureDetail], dataset: str, thumbnails: dict[Place, str], files: DataFiles
) -> str | None:
    """Write neighbors and attributes by id; the name of the file, None where there is nothing."""
    if not details:
        return None
    content = {
        d.id: {
            "attributes": d.attributes,
            "neighbors": [
                [near, thumbnails.get((dataset, near), ""), round(float(cosine), 3)]
                for near, cosine in zip(d.neighbors, d.cosines, strict=False)
            ],
        }
        for d in details
    }
    return files.write(name, content)
