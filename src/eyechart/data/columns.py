"""The roles of a table's columns: picture, label, captions, id. All other columns become attributes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.types as pt

from eyechart.errors import DataError, UsageError, did_you_mean

PATH = ("path", "file", "filename", "file_name", "image", "image_path", "filepath")
INLINE = ("image", "img", "picture", "photo", "jpg", "jpeg", "png", "webp", "bytes")
ID = ("id", "__key__")
LABEL = ("label", "class", "target", "category", "class_name", "label_name", "wnid", "synset", "fine_label")
CAPTIONS = ("captions", "caption", "sentences", "text", "txt")
ROLES = ("path", "image", "id", "label", "captions")
KEPT = frozenset({"foils", "objects", "depth", "camera"})


@dataclass(frozen=True)
class Roles:
    """The columns of a table by their role.

    path: The column of file names; None where there is none.
    image: The column of picture bytes, or of {bytes, path}; None where there is none.
    id: The column of ids; None where there is none.
    label: The column of labels; None where there is none.
    captions: The columns of captions.
    attributes: Every attribute with the column that it comes from.
    unread: Columns that are not read: bytes and lists of numbers.
    """

    path: str | None
    image: str | None
    id: str | None
    label: str | None
    captions: tuple[str, ...]
    attributes: Mapping[str, str]
    unread: tuple[str, ...]

    def describe(self) -> dict[str, object]:
        found = {"path": self.path, "image": self.image, "id": self.id, "label": self.label, "captions": list(self.captions)}
        return {role: name for role, name in found.items() if name}

    @property
    def read(self) -> list[str]:
        """Every column except the picture bytes."""
        found = [self.path, self.id, self.label, *self.captions, *self.attributes.values()]
        return list(dict.fromkeys(name for name in found if name))


def find_roles(
    schema: pa.Schema, where: str, given: Mapping[str, str] | None = None, features: Mapping[str, str] | None = None
) -> Roles:
    """Find the roles by the columns' names and types.

    `given` maps roles to columns and takes precedence; `features` maps columns to Hugging Face feature types."""
    if repeated := [name for name in schema.names if schema.names.count(name) > 1]:
        raise DataError(f"{where}: two columns are called {repeated[0]!r}; rename one")
    chosen = _chosen(schema, where, given or {})
    features = features or {}
    inline = [field.name for field in schema if is_inline(field.type)]
    texts = [field.name for field in schema if is_text(field.type)]
    plain = [field.name for field in schema if _is_plain(field.type)]
    image = chosen.get("image") or (None if "path" in chosen else _inline(inline, features, where))
    path = chosen.get("path") or _first(PATH, texts)
    if image is not None and image not in inline:
        raise DataError(
            f"{where}: column {image!r} holds {schema.field(image).type}, not picture bytes; give file names as 'path'"
        )
    if path is not None and path not in texts:
        raise DataError(
            f"{where}: column {path!r} holds {schema.field(path).type}, not file names; give picture bytes as 'image'"
        )
    if path is None and image is None:
        listed = ", ".join(f"{field.name} ({field.type})" for field in schema)
        raise DataError(
            f"{where}: no column of pictures among {listed}; call one {' or '.join(PATH[:4])}, "
            "or choose one with --column path=NAME (the first row must contain the column names)"
        )
    label = chosen.get("label") or _first(LABEL, plain) or _only(name for name in plain if features.get(name) == "ClassLabel")
    captions = (chosen["captions"],) if "captions" in chosen else _captions(schema)
    id_column = chosen.get("id") or _first(ID, plain)
    own = {path, image, id_column, label, *captions}
    attributes: dict[str, str] = {}
    unread = []
    for field in schema:
        if field.name in own:
            continue
        name = field.name if field.name.startswith(("attr.", "factor.")) or field.name in KEPT else f"attr.{field.name}"
        if name == f"attr.{field.name}" and (is_inline(field.type) or _is_long(field.type)):
            unread.append(field.name)
        elif name in attributes:
            raise DataError(f"{where}: columns {attributes[name]!r} and {field.name!r} would both be called {name!r}; rename one")
        else:
            attributes[name] = field.name
    return Roles(path, image, id_column, label, captions, attributes, tuple(unread))


def _chosen(schema: pa.Schema, where: str, given: Mapping[str, str]) -> dict[str, str]:
    chosen = {("captions" if role == "caption" else role): name for role, name in given.items()}
    for role, name in chosen.items():
        if role not in ROLES:
            raise UsageError(f"columns: there is no role {role!r}{did_you_mean(role, ROLES)} (there are: {', '.join(ROLES)})")
        if name not in schema.names:
            raise DataError(
                f"{where}: there is no column {name!r}{did_you_mean(name, schema.names)} (there are: {', '.join(schema.names)})"
            )
    return chosen


def _inline(inline: Sequence[str], features: Mapping[str, str], where: str) -> str | None:
    pictures = [name for name in inline if features.get(name) == "Image"] or list(inline)
    if len(pictures) <= 1:
        return pictures[0] if pictures else None
    if named := _first(INLINE, pictures):
        return named
    raise DataError(f"{where}: columns {', '.join(pictures)} could all hold the pictures; choose one with --column image=NAME")


def _captions(schema: pa.Schema) -> tuple[str, ...]:
    able = [f.name for f in schema if is_text(f.type) or (_is_list(f.type) and is_text(f.type.value_type))]
    numbered = sorted((int(m[1]), name) for name in able if (m := re.fullmatch(r"captions?_?(\d+)", name.lower())))
    if (one := _first(CAPTIONS, able)) and (one.lower().startswith("caption") or not numbered):
        return (one,)
    return tuple(name for _, name in numbered)


def _first(wanted: Sequence[str], there: Sequence[str]) -> str | None:
    lower = {name.lower().strip(): name for name in reversed(there)}
    return next((lower[name] for name in wanted if name in lower), None)


def _only(names: Iterable[str]) -> str | None:
    found = list(names)
    return found[0] if len(found) == 1 else None


def is_text(kind: pa.DataType) -> bool:
    return bool(
        pt.is_string(kind)
        or pt.is_large_string(kind)
        or pt.is_string_view(kind)
        or (pt.is_dictionary(kind) and is_text(kind.value_type))
    )


def is_inline(kind: pa.DataType) -> bool:
    if pt.is_struct(kind):
        index = kind.get_field_index("bytes")
        return index >= 0 and is_inline(kind.field(index).type)
    return bool(pt.is_binary(kind) or pt.is_large_binary(kind) or pt.is_binary_view(kind))


def _is_plain(kind: pa.DataType) -> bool:
    return is_text(kind) or bool(pt.is_integer(kind) or pt.is_boolean(kind) or pt.is_floating(kind) or pt.is_dictionary(kind))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pt.is_list(kind) or pt.is_large_list(kind) or pt.is_fixed_size_list(kind))


def _is_long(kind: pa.DataType) -> bool:
    """Lists of numbers are vectors, masks or pixels: large, and useless as attributes."""
    return _is_list(kind) and not is_text(kind.value_type)
