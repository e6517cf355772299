"""DomainNet: pictures of 345 classes in six domains, DOMAIN/CLASS/PICTURE, such as real/cell_phone/real_065_000001.jpg.

The names of classes are read as words, and those that COCO has under another name get COCO's, so that pictures of a domain can
be targets for the objects of COCO scenes (`--gallery domainnet:FOLDER`), as in "CLIP Under the Microscope".
"""

from pathlib import Path

import pyarrow as pa

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.formats.folder import read_folder
from eyechart.data.published.published_set import PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError, did_you_mean

DOMAINS = ("clipart", "infograph", "painting", "quickdraw", "real", "sketch")
# Classes that COCO has under another name.
COCO_NAMES = {"motorbike": "motorcycle", "television": "tv", "tennis_racquet": "tennis racket"}


def read_domainnet(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """One domain (`split`), or all that are there: `label` is the class as its folder is called, `attr.domain` the domain."""
    there = [domain for domain in DOMAINS if (folder / domain).is_dir()]
    if split is not None and split not in there:
        hint = did_you_mean(split, there)
        raise DataError(f"{folder}: there is no domain {split!r}{hint} (there are: {', '.join(there) or 'none'})")
    if not there:
        raise DataError(f"{folder}: it contains none of the folders {', '.join(DOMAINS)}; give the folder above them")
    chosen = [split] if split else there
    found = read_folder(folder, root=root)
    ids: list[str] = found.table.column("id").to_pylist()
    parts = [id.split("/") for id in ids]
    rows = [row for row, part in enumerate(parts) if len(part) == 3 and part[0] in chosen]
    if not rows:
        raise DataError(f"{folder}: no picture is at DOMAIN/CLASS/PICTURE in {', '.join(chosen)}; unpack the archives there")
    labels = [parts[row][1] for row in rows]
    classes = tuple(PictureClass(label, name_of(label)) for label in sorted(set(labels)))
    return RawDataset(
        where_all=str(folder),
        table=pa.table({"id": [ids[row] for row in rows], "label": labels, "attr.domain": [parts[row][0] for row in rows]}),
        pictures=found.pictures.take(rows),
        where=lambda row: found.where(rows[row]),
        notices=found.notices,
        reader={**found.reader, "kind": "domainnet", "split": split},
        classes=ClassList("domainnet", classes, "the folders of DomainNet, with COCO's names"),
    )


def name_of(label: str) -> str:
    """The name of a class: COCO's where it has another, else its words.

    Example:
        >>> name_of("television"), name_of("cell_phone"), name_of("teddy-bear")
        ('tv', 'cell phone', 'teddy bear')
    """
    return COCO_NAMES.get(label, label.replace("_", " ").replace("-", " ").lower())


SET = PublishedSet(
    name="domainnet",
    read=read_domainnet,
    n=586_575,
    license="non-commercial research, see the set's own page",
    about="Pictures of 345 classes in six domains, from photographs to sketches; --split chooses a domain.",
    layout="DOMAIN/CLASS/PICTURE, such as real/cell_phone/real_065_000001.jpg",
    example="domainnet:domainnet/",
    citation="Peng et al., 2019",
)
