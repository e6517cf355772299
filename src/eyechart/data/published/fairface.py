"""FairFace (Kärkkäinen and Joo, 2021): faces with age, gender and race as annotated.

`fairface_label_val.csv` (or `_train`) holds `file,age,gender,race,service_test`; files are relative to the folder:
`val/1.jpg`. Copies saved by a spreadsheet have "03-Sep" for the age 3-9 and "Oct-19" for 10-19; both are read as ages."""

import csv
import io
from pathlib import Path

import pyarrow as pa

from eyechart.data.file_pictures import file_pictures
from eyechart.data.paths import check_paths
from eyechart.data.published.published_set import PublishedSet
from eyechart.data.reading import RawDataset, check_ids
from eyechart.errors import DataError, did_you_mean
from eyechart.files.text import nearest_sibling, read_text
from eyechart.notice import Notice, counted

AGES = ("0-2", "3-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "more than 70")
# Ages that spreadsheets turned into dates.
_DATES = {
    "03-sep": "3-9", "3-sep": "3-9", "sep-03": "3-9", "sep-3": "3-9", "09-mar": "3-9", "9-mar": "3-9",
    "mar-09": "3-9", "mar-9": "3-9",
    "oct-19": "10-19", "19-oct": "10-19", "feb-00": "0-2", "02-jan": "0-2",
}  # fmt: skip
_COLUMNS = ("file", "age", "gender", "race")


def read_fairface(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Read the split "val" (the default) or "train"."""
    path = folder / f"fairface_label_{split or 'val'}.csv"
    if not path.is_file():
        raise DataError(f"{folder}: it contains no {path.name}{nearest_sibling(path)}; give the folder of FairFace's label files")
    rows = list(csv.DictReader(io.StringIO(read_text(path))))
    missing = [column for column in _COLUMNS if not rows or column not in rows[0]]
    if missing:
        raise DataError(f"{path}: column {missing[0]!r} is missing; it should have {', '.join(_COLUMNS)}")

    def where(row: int) -> str:
        return f"{path}:{row + 2}"

    repaired = 0
    ages = []
    for number, row in enumerate(rows):
        age, was_date = _age(row["age"] or "", where(number))
        ages.append(age)
        repaired += was_date
    table = pa.table(
        {
            "id": pa.array([row["file"] for row in rows], pa.string()),
            "attr.age": pa.array(ages, pa.string()),
            "attr.gender": pa.array([row["gender"] for row in rows], pa.string()),
            "attr.race": pa.array([row["race"] for row in rows], pa.string()),
        }
    )
    check_ids(table.column("id"), where, "every file must be listed once")
    base = root or folder
    check_paths(table.column("id"), base, where, root)
    what = f"{counted(repaired, 'age')} that a spreadsheet had turned into dates, read as age groups"
    return RawDataset(
        where_all=str(path),
        table=table,
        pictures=file_pictures(base, table.column("id")),
        where=where,
        notices=(Notice(str(path), what, "download the original file to be safe"),) if repaired else (),
        reader={"kind": "fairface", "split": split or "val"},
        benchmark="fairface",
    )


def _age(cell: str, where: str) -> tuple[str, bool]:
    age = cell.strip()
    if age in AGES:
        return age, False
    age_of_date = _DATES.get(age.lower())
    if age_of_date is None:
        hint = did_you_mean(age, AGES)
        raise DataError(f"{where}: age {cell!r} is not an age group of FairFace{hint} (there are: {', '.join(AGES)})")
    return age_of_date, True


SET = PublishedSet(
    name="fairface",
    read=read_fairface,
    n=10_954,
    license="CC BY 4.0",
    about="Faces annotated with age, gender and race.",
    layout="fairface_label_val.csv, val/*",
    example="fairface:fairface/",
    citation="Kärkkäinen and Joo, 2021",
)
