"""A gallery of all out-of-distribution pictures, where there are several sets: an FPR95 over all of them counts its rows."""

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.arrays import Flags
from eyechart.findings.attributes import attribute_lists, has_attribute
from eyechart.findings.prediction_groups import PredictionGroup
from eyechart.report.picture_groups import ACCEPTED, Galleries, Gallery, Title, make_gallery, under_prompts

ALL = "all out-of-distribution sets"
SET = "ood"  # the attribute that names the set


def accepted_text(score: str, *, accepted: bool = True) -> str:
    """The attribute of pictures that a score accepts, or rejects.

    >>> accepted_text("mcm")
    'accepted.mcm=true'
    """
    return f"{ACCEPTED}{score}={'true' if accepted else 'false'}"


def all_ood_galleries(galleries: Galleries, first: int = 0) -> dict[Title, Gallery]:
    """One gallery for each model and examined dataset with out-of-distribution pictures in several galleries.

    Args:
        galleries: The galleries of one prompt set.
        first: The number in the key of the first gallery that is made.
    """
    by_exam: dict[tuple[str, str], list[Gallery]] = {}
    for gallery in galleries.values():
        if gallery.group.design is None and gallery.accepting_scores:
            by_exam.setdefault((gallery.group.model, gallery.group.of), []).append(gallery)
    several = {exam: parts for exam, parts in by_exam.items() if len(parts) > 1}
    of_several_exams = len({of for _, of in several}) > 1
    made: dict[Title, Gallery] = {}
    for number, ((model, of), parts) in enumerate(several.items(), first):
        prompts, leads = parts[0].group.prompts, parts[0].leads
        name = f"{ALL} of {of}" if of_several_exams else ALL
        title = (model, name if leads or prompts is None else f"{name}, {under_prompts(prompts)}", None)
        group = PredictionGroup(model, title[1], of, "ood", None, prompts, ())
        made[title] = make_gallery(
            f"ood{number}", title, group, pa.concat_tables(map(_marked, parts)), parts[0].limit, leads=leads
        )
    return made


def _marked(gallery: Gallery) -> pa.Table:
    """The out-of-distribution rows of a gallery. Ids are preceded by the dataset, because two sets may use the same ids."""
    (score, *_) = gallery.accepting_scores
    texts = (accepted_text(score), accepted_text(score, accepted=False))
    table = gallery.table.filter(pa.array(_any_of(gallery.table, *texts)))
    datasets = table["dataset"].cast(pa.string())
    sets = _own_kinds(table) if gallery.group.role == "exam" else datasets
    named = attribute_lists({SET: sets.combine_chunks() if isinstance(sets, pa.ChunkedArray) else sets}, table.num_rows)
    both = [[*own, *set_] for own, set_ in zip(table["attributes"].to_pylist(), named.to_pylist(), strict=True)]
    columns = dict(zip(table.column_names, table.columns, strict=True)) | {
        "picture": table["id"],
        "id": pc.binary_join_element_wise(datasets, table["id"], "/"),
        "attributes": pa.array(both, table.schema.field("attributes").type),
    }
    return _plain(pa.table(columns))


def _any_of(table: pa.Table, *texts: str) -> Flags:
    found = has_attribute(table, texts[0])
    for text in texts[1:]:
        found |= has_attribute(table, text)
    return found


def _own_kinds(table: pa.Table) -> pa.Array:
    """The set of each row of an examined table: its attribute `kind`."""
    start = "kind="
    texts = table["attributes"].to_pylist()
    return pa.array([next((t.removeprefix(start) for t in of if t.startswith(start)), None) for of in texts], pa.string())


def _plain(table: pa.Table) -> pa.Table:
    """Without dictionaries, so that tables of several galleries can be joined."""
    fields = [field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field for field in table.schema]
    return table.cast(pa.schema(fields))
