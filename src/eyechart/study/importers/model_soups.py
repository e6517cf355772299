"""model-soups: 72 fine-tunings of CLIP ViT-B/32 on ImageNet, and averages of them, on six test sets (*_results.jsonl)."""

from collections.abc import Sequence

from eyechart.errors import DataError
from eyechart.files.records import parse_json
from eyechart.models.names.model_names import read_open_clip
from eyechart.study.facts import facts_from_card
from eyechart.study.importers.text_files import ExcludedRows, Imported, TextFile, none_recognized, share
from eyechart.study.measures import measure_of
from eyechart.study.table import Value, to_table

ORIGIN = "model_soups"
_NAME = "model_name"


def read_model_soups(files: Sequence[TextFile]) -> Imported:
    """Every line of the JSON-lines files. All models were fine-tuned from one, so they are one family."""
    lines = [file for file in files if file.name.endswith(".jsonl")]
    if not lines:
        raise none_recognized(files, "model-soups' individual_model_results.jsonl or the like")
    excluded = ExcludedRows(", ".join(file.name for file in lines))
    card = read_open_clip("ViT-B-32", "openai") | {"fine_tuning": "ImageNet-1k"}
    values, known = [], set[str]()
    for file in lines:
        for number, text in enumerate(file.text.splitlines(), start=1):
            if not text.strip():
                continue
            row = _row(text)
            name = row.get(_NAME) if row else None
            if row is None or not isinstance(name, str) or name in known:
                excluded.note("not a JSON object with a unique model_name", f"line {number} of {file.name}")
                continue
            known.add(name)
            facts = facts_from_card(f"model_soups:{name}", card)
            for column, value in row.items():
                if column != _NAME and (fraction := share(str(value))) is not None:
                    measure = measure_of(ORIGIN, column)
                    values.append((facts, Value(measure.name, fraction, measure.count(ORIGIN))))
    return Imported(to_table(values, ORIGIN), excluded.notices())


def _row(text: str) -> dict[str, object] | None:
    try:
        row = parse_json(text, "a line", unique=False)
    except DataError:
        return None
    return row if isinstance(row, dict) else None
