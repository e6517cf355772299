"""The mark of a folder that holds an examination: what tells it from everybody else's folders."""

from pathlib import Path

MARK = ".eyechart-examination"


def is_examination(folder: Path) -> bool:
    return (folder / MARK).is_file()


def mark(folder: Path) -> None:
    (folder / MARK).write_text("Eyechart keeps an examination in this folder.\n", encoding="utf-8")
