"""Answers and vectors by id: one row of a file stands for one picture, not for pictures of two datasets."""

from collections.abc import Sequence

from eyechart.errors import DataError
from eyechart.models.encoder import Model
from eyechart.session.keyed_dataset import KeyedDataset, reads_pictures

_OTHER_PICTURES = ("shift", "ood")  # roles of datasets that are compared with the examined one


def check_ids_differ(model: Model, datasets: Sequence[KeyedDataset]) -> None:
    """Refuse a shifted or out-of-distribution dataset that shares rows of the model's file with another dataset.

    Its pictures would get the answers of other pictures: a shift would change nothing. The same file in two datasets is one
    picture.

    Raises:
        DataError: Names the first such picture.
    """
    if reads_pictures(model):
        return
    row_of = getattr(model, "row_of", lambda id: id)
    owners: dict[str, tuple[str, str, str]] = {}
    # Examined datasets first, so that the message names the compared one as the second.
    for keyed in sorted(datasets, key=lambda keyed: keyed.dataset.role in _OTHER_PICTURES):
        dataset = keyed.dataset
        for row, id in enumerate(dataset.ids()):
            place = dataset.pictures.place(row)
            owner, its_id, its_place = owners.setdefault(row_of(id), (dataset.name, id, place))
            if owner != dataset.name and place != its_place and dataset.role in _OTHER_PICTURES:
                raise DataError(
                    f"{model.spec}: one row would be the answer for {its_id!r} of {owner} and for {id!r} of {dataset.name}, "
                    f"which are different pictures; give those of {dataset.name} other ids, and rows of their own"
                )
