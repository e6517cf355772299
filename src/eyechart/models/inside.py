"""Files that a model's files refer to: they must be inside the model's folder, or any file of the machine could be read."""

from pathlib import Path

from eyechart.errors import ModelError


def file_inside(folder: Path, name: str, what: str) -> Path:
    """The file, with links resolved. `what` begins the error message where the name leads out of the folder or does not exist."""
    real = folder.resolve()
    try:
        inside = (real / name).resolve()
        leads_out = Path(name).is_absolute() or ".." in Path(name).parts or not inside.is_relative_to(real)
        there = not leads_out and inside.is_file()
    except (ValueError, OSError, RuntimeError) as error:  # a null byte, a lone surrogate, too long a name, or a loop of links
        raise ModelError(f"{what} {name[:100]!r}, which cannot be the name of a file ({error}); name one in {folder}") from None
    if leads_out:
        raise ModelError(f"{what} {name!r}, which leads out of the folder; copy the file into {folder}")
    if not there:
        raise ModelError(f"{what} {name!r}, and there is no such file in {folder}; copy it there or export again")
    return inside
