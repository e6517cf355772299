"""The marker file of a folder that holds an examination."""

from pathlib import Path

MARK = ".eyechart-examination"


def is_examination(folder: Path) -> bool:
    return (folder / MARK).is_file()


def mark(folder: Path) -> None:
    (folder / MARK).write_text("This folder holds an Eyechart examination.\n", encoding="utf-8")
