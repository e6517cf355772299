"""FairFace (Kärkkäinen and Joo, 2021): faces with age, gender and race as annotated.

`fairface_label_val.csv` (or `_train`) holds `file,age,gender,race,service_test`; files are relative to the folder:
`val/1.jpg`. Copies saved by a spreadsheet have "03-Sep" for the age 3-9 and "Oct-19" for 10-19; both are read as ages."""

import csv
import io
import re
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
_OLDEST = {"70+", ">70", "> 70", "over 70", "70 or more"}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# Ages that spreadsheets turned into dates: the month and the other number, a day or a year. "3-9" is read as a day of September
# or of March, "10-19" as October of 2019, and "0-2" as February of 2000 or as a day of January.
_DATES = {(9, 3): "3-9", (3, 9): "3-9", (10, 19): "10-19", (2, 0): "0-2", (1, 2): "0-2"}
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
    if age.lower() in _OLDEST:
        return AGES[-1], False
    age_of_date = _age_of_date(age.lower())
    if age_of_date is None:
        hint = did_you_mean(age, AGES)
        raise DataError(f"{where}: age {cell!r} is not an age group of FairFace{hint} (there are: {', '.join(AGES)})")
    return age_of_date, True


def _age_of_date(cell: str) -> str | None:
    """The age group that a spreadsheet turned into a date, such as 3-sep, sep-03, oct 19, 2019-10-01 or 9/3/2024."""
    if iso := re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ t]00:00(?::00)?)?", cell):
        year, month, day = map(int, iso.groups())
        return _DATES.get((month, day)) or (_DATES.get((month, year % 100)) if day == 1 else None)
    if named := re.fullmatch(r"(?:(\d{1,2})[-/ ])?([a-z]{3})[a-z]*[-/ ]?(\d{2}|\d)?(?:[-/ ]\d{2,4})?", cell):
        before, name, after = named.groups()
        month = _MONTHS.index(name) + 1 if name in _MONTHS else 0
        return next((_DATES[month, int(n)] for n in (before, after) if n and (month, int(n)) in _DATES), None)
    if slashed := re.fullmatch(r"(\d{1,2})/(\d{1,2})(?:/\d{2,4})?", cell):
        return _DATES.get((int(slashed[1]), int(slashed[2])))
    return None


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
