"""Datasets that identify people: nobody is recognized by name unless a user says so."""

from eyechart.data.dataset import Dataset

COLUMNS = ("identity", "person_name", "celebrity")  # columns with the identity of a person


def identity_column(dataset: Dataset) -> str | None:
    """The column that says who is in a picture: an attribute, or the column of the label itself; None where there is none.

    A folder for each person, without such a column, is not recognized.
    """
    columns = dataset.reader.get("columns")
    label = str(columns.get("label", "")) if isinstance(columns, dict) else ""
    return next((name for name in COLUMNS if dataset.has(f"attr.{name}") or label.lower() == name), None)


def why_refused(dataset: Dataset) -> str | None:
    """Why pictures are not classified by their labels, in one sentence; None where nothing speaks against it."""
    column = identity_column(dataset)
    if column is None:
        return None
    return f"the dataset identifies people (column {column}); --identify classifies by its labels all the same"
