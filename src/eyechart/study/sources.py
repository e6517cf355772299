"""Sources of tables: files, folders or https addresses, read as text files for the importers."""

from collections.abc import Sequence
from pathlib import Path

from eyechart.errors import DataError
from eyechart.files.text import nearest_sibling, read_text
from eyechart.study.fetching import fetch, file_name, is_url
from eyechart.study.importers.text_files import TextFile

_ENDINGS = (".csv", ".json", ".jsonl")
_MOST_BYTES = 256 << 20


def open_tables(sources: Sequence[str]) -> list[TextFile]:
    """All table files of the sources; for a folder, those directly in it."""
    return [file for source in sources for file in (_fetched(source) if is_url(source) else _read(Path(source).expanduser()))]


def _read(path: Path) -> list[TextFile]:
    if not path.exists():
        raise DataError(f"{path}: no such file or folder{nearest_sibling(path)}")
    paths = sorted(p for p in path.iterdir() if p.suffix in _ENDINGS) if path.is_dir() else [path]
    for each in paths:
        if each.stat().st_size > _MOST_BYTES:
            raise DataError(f"{each}: larger than {_MOST_BYTES >> 20} MB, so it is not a table of results; give the table itself")
    return [TextFile(p.name, str(p), read_text(p)) for p in paths]


def _fetched(url: str) -> list[TextFile]:
    data = fetch(url)
    try:
        return [TextFile(file_name(url), url, data.decode("utf-8-sig"))]
    except UnicodeDecodeError:
        raise DataError(f"{url}: its content is not text; give the address of the raw file") from None
