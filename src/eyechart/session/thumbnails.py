"""Small copies of the pictures that exhibits show, so that the page works without the dataset."""

import io
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
from PIL import Image

from eyechart.data.dataset import Dataset
from eyechart.data.picture import BrokenPicture, Decoding, memory_for
from eyechart.encode.cores import usable_cores
from eyechart.findings.exhibit import Exhibit, PlacedExhibit
from eyechart.progress import Task

SIDE = 224  # pixels of the longer side
MOST_ROWS = 400  # of one exhibit; the page shows no more of them as pictures


def wanted_pictures(exhibits: Iterable[PlacedExhibit]) -> dict[str, list[str]]:
    """Dataset → ids of pictures that exhibits show, in the order they are shown."""
    wanted: dict[str, dict[str, None]] = {}
    for placed in exhibits:
        if placed.exhibit.kind != "pictures":
            continue
        for row in placed.exhibit.table.slice(0, MOST_ROWS).to_pylist():
            ids = [*(row.get("ids") or ()), *([row["id"]] if row.get("id") is not None else ())]
            wanted.setdefault(row.get("dataset") or placed.dataset, {}).update(dict.fromkeys(ids))
    return {dataset: list(ids) for dataset, ids in wanted.items() if ids}


def thumbnails(dataset: Dataset, ids: Sequence[str], decoding: Decoding, task: Task) -> Exhibit:
    """The exhibit that the page takes its pictures from. A picture that is no longer there is left out.

    Args:
        dataset: The dataset.
        ids: Its pictures that are copied.
        decoding: How pictures are decoded.
        task: Where each of them is reported.
    """
    row_of: Mapping[str, int] = {id: row for row, id in enumerate(dataset.ids())}

    def made(id: str) -> bytes | None:
        try:
            data = dataset.pictures.read(row_of[id])
            with memory_for(data):
                return _jpeg(decoding.decode(data))
        except (OSError, BrokenPicture):
            return None  # precomputed vectors may come without pictures; the page then shows the id alone

    rows = []
    with ThreadPoolExecutor(usable_cores(), thread_name_prefix="eyechart-thumbnails") as pool:
        try:
            for id, jpeg in zip(ids, pool.map(made, ids), strict=True):
                task.advance()
                if jpeg is not None:
                    rows.append({"dataset": dataset.name, "id": id, "jpeg": jpeg})
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    schema = pa.schema([("dataset", pa.string()), ("id", pa.string()), ("jpeg", pa.binary())])
    sentence = "Small copies of the pictures that other exhibits show."
    return Exhibit(f"pictures-{dataset.name}", "Pictures", sentence, pa.Table.from_pylist(rows, schema), "table")


def _jpeg(picture: Image.Image) -> bytes:
    """A small JPEG. The picture itself is made small: a copy of a large one takes as much memory again."""
    picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS, reducing_gap=3.0)
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=80)
    return out.getvalue()
