"""The predictions that a finding counts, as an address of the gallery."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from eyechart.findings.attributes import attribute_text
from eyechart.findings.run import Run
from eyechart.report.missed_queries import TRIALS, Missed, MissedQueries
from eyechart.report.ood_galleries import accepted_text
from eyechart.report.picture_groups import Galleries, Gallery
from eyechart.report.view import view_key

OF_CLASS = ("classes", "harmful")  # attributes of the predicted class of a design
FACTOR = "factor."  # how the attribute of a factor begins where there is an attribute of the same name too
FACTOR_KEYS = ("factor", "and")  # slice keys that name a factor, or a value of an attribute
_SHOW = {"wrong": "wrong", "below_top5": "below-5"}  # the filter of the gallery
_WORDS_OF_SHIFT = ("corruption", "shift")  # slice keys that name a value of the attribute `shift`, or a shifted dataset


@dataclass(frozen=True)
class CountedRows:
    """Rows of one gallery.

    gallery: The gallery.
    filters: The parameters `true`, `predicted` and `show` of an address.
    where: The attributes that rows have, as "name=value".
    """

    gallery: Gallery | MissedQueries
    filters: Mapping[str, str] = field(default_factory=dict)
    where: tuple[str, ...] = ()


def counted_rows(run: Run, galleries: Galleries, finding: Mapping[str, Any], missed: Missed | None = None) -> CountedRows | None:
    """The rows that a finding counts; None where the page does not have them.

    Args:
        run: The run.
        galleries: The galleries of the page.
        finding: A row of the findings: model, dataset, probe, metric, unit, slice, value and n.
        missed: The missed queries of the page.
    """
    counted = run.metric(finding["probe"], finding["metric"], finding["unit"]).rows
    if not counted:
        return None
    where = dict(json.loads(finding["slice"]))
    galleries = _under(galleries, where.pop("prompts", None))
    if counted == "missed":
        return _missed(missed or {}, finding, where)
    if counted == "accepted":
        return _accepted(run, galleries, finding, where)
    filters = {name: str(where.pop(key)) for name, key in (("true", "class"), ("predicted", "predicted")) if key in where}
    filters |= {"show": _SHOW[counted]} if counted in _SHOW else {}
    conditions = [*_conditions(where), *([_Condition("harmful", "true")] if counted == "harmful" else [])]
    by_design = any(condition.name in OF_CLASS for condition in conditions)
    found = [
        (gallery, wanted)
        for gallery in _candidates(run, galleries, finding, by_design=by_design)
        if (wanted := _of_gallery(gallery, conditions)) is not None
    ]
    if len(found) != 1:  # none has all attributes, or it is not clear which dataset is meant
        return None
    gallery, wanted = found[0]
    # A number over a part of these pictures, such as a held-out half, is not that of the rows that would be shown.
    if wanted and counted in _SHOW and gallery.count_labeled(wanted) != finding["n"]:
        return None
    return CountedRows(gallery, filters, wanted)


def _under(galleries: Galleries, prompts: str | None) -> Galleries:
    """The galleries of a prompt set; without one, of the leading prompt set and of classifiers without prompts."""
    return {
        title: gallery
        for title, gallery in galleries.items()
        if (gallery.leads if prompts is None else gallery.group.prompts == prompts)
    }


def _missed(missed: Missed, finding: Mapping[str, Any], where: Mapping[str, Any]) -> CountedRows | None:
    """The queries that an R@k counts as missed, whose name ends with k; or the trials that an accuracy of captions does."""
    metric = str(finding["metric"])
    direction, _, k = (metric, "", "1") if metric in TRIALS else metric.rpartition("_r")
    queries = missed.get((finding["model"], finding["dataset"], direction))
    if queries is None or finding["value"] is None:
        return None
    wanted = [
        name if (name := f"{FACTOR}{key}={attribute_text(value)}") in queries.attributes else f"{key}={attribute_text(value)}"
        for key, value in where.items()
    ]
    count = queries.count(int(k), tuple(wanted))
    if not count or abs(1 - count / finding["n"] - finding["value"]) > 1e-9:  # nothing is missed, or not all rows are stored
        return None
    return CountedRows(queries, {} if k == "1" else {"show": f"below-{k}"}, tuple(wanted))


def _accepted(run: Run, galleries: Galleries, finding: Mapping[str, Any], where: Mapping[str, Any]) -> CountedRows | None:
    """The out-of-distribution pictures that an FPR95 counts, which are marked by its score; by the leading one in the headline.

    They are marked by the threshold that 95% of the in-distribution pictures reach. A rate by the convention of MCM has rows only
    where it counts the same number of pictures; that of OpenOOD counts in-distribution pictures, and has none.
    """
    if where.get("convention") == "openood":
        return None
    found = [
        (gallery, where.get("score", scores[0]), wanted)
        for gallery in galleries.values()
        if (gallery.group.model, gallery.group.of) == (finding["model"], finding["dataset"])
        and (scores := gallery.accepting_scores)
        and (wanted := _of_set(gallery, where)) is not None
    ]
    if len(found) != 1:  # a rate over several sets counts the rows of all of them
        found = [one for one in found if one[0].joins_sets]
    if len(found) != 1:
        return None
    gallery, score, wanted = found[0]
    accepted, rejected = (gallery.count((accepted_text(score, accepted=flag), *wanted)) for flag in (True, False))
    if not accepted + rejected or finding["value"] is None:
        return None
    if abs(accepted / (accepted + rejected) - finding["value"]) > 1e-9:  # another convention
        return None
    return CountedRows(gallery, where=(accepted_text(score), *wanted))


def _of_set(gallery: Gallery, where: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The attributes of the out-of-distribution set and of the kind that a slice names; None where the gallery has not.

    In a dataset of its own, the pictures are one set and have the attribute `kind`. In an examined table, `kind` is the set, and
    `shows` the kind.
    """
    inside = gallery.group.role == "exam"
    wanted = []
    if "ood" in where and not (gallery.group.role == "ood" and gallery.group.dataset == where["ood"]):
        if not inside:
            return None
        wanted.append(f"kind={where['ood']}")
    if "class" in where:
        wanted.append(f"{'shows' if inside else 'kind'}={where['class']}")
    return tuple(wanted) if set(wanted) <= gallery.attributes else None


def address(run: Run, counted: CountedRows) -> str:
    """The address of the rows on the page, without the leading #."""
    group = counted.gallery.group
    query = [*counted.filters.items(), *(("where", text) for text in counted.where)]
    exams = [name for name in run.datasets if name not in run.companions]
    if group.dataset not in exams or group.design is not None or not counted.gallery.leads:
        query.append(("gallery", counted.gallery.key))
    main = group.of if group.of in exams else _main(run, group.dataset)
    return f"{view_key(run, group.model, main)}/pictures?{urlencode(query, quote_via=quote)}"


def _main(run: Run, dataset: str) -> str:
    """The examined dataset that a dataset belongs to: itself, or the one it is a companion of."""
    if dataset not in run.companions:
        return dataset
    of = run.dataset_facts(dataset).get("of")
    exams = [name for name in run.datasets if name not in run.companions]
    return str(of) if of in exams else exams[0]


def _candidates(run: Run, galleries: Galleries, finding: Mapping[str, Any], *, by_design: bool) -> Iterator[Gallery]:
    """Galleries of the dataset, then of the shifted datasets that it is compared with."""
    model, dataset = finding["model"], finding["dataset"]
    if dataset in run.companions:
        return
    for gallery in galleries.values():
        group = gallery.group
        if group.model != model or (group.design is not None) != by_design or group.of not in (dataset, group.dataset):
            continue
        if group.dataset == dataset or (group.role == "shift" and run.dataset_facts(group.dataset).get("of") in (None, dataset)):
            yield gallery


@dataclass(frozen=True)
class _Condition:
    """What a slice says of pictures.

    name: An attribute, a factor, or one of `_WORDS_OF_SHIFT`.
    value: Its value as text.
    is_factor: It is a factor: `factor.NAME` where there is an attribute NAME too.
    """

    name: str
    value: str
    is_factor: bool = False


def _conditions(where: Mapping[str, Any]) -> Iterator[_Condition]:
    for key, value in where.items():
        if key == "attribute" and "group" in where:
            yield _Condition(str(value), attribute_text(where["group"]))
        elif key == "group" and "attribute" in where:
            continue
        elif key in FACTOR_KEYS:
            yield _by_title(str(value))
        else:
            yield _Condition(key, attribute_text(value))


def _by_title(title: str) -> _Condition:
    """A factor or an attribute by its title in a slice: "pose", "not pose" or "color: red"."""
    name, is_value, value = title.partition(": ")
    if is_value:
        return _Condition(name, value)
    negated = title.startswith("not ")
    return _Condition(title.removeprefix("not "), "false" if negated else "true", is_factor=True)


def _of_gallery(gallery: Gallery, conditions: Sequence[_Condition]) -> tuple[str, ...] | None:
    """The conditions as "name=value", as this gallery's pictures have them; None where they have not."""
    wanted = []
    for condition in conditions:
        name, value = condition.name, condition.value
        if name in _WORDS_OF_SHIFT:
            if value == gallery.group.dataset:
                continue
            name = "shift"
        if condition.is_factor and f"{FACTOR}{name}={value}" in gallery.attributes:
            name = f"{FACTOR}{name}"
        wanted.append(f"{name}={value}")
    if gallery.group.role == "shift" and not any(condition.name in _WORDS_OF_SHIFT for condition in conditions):
        return None  # a number of the examined dataset itself
    # Of a class design any group of classes may be predicted, and some are not: a rate of 0 has no rows.
    of_design = {text for text in wanted if gallery.group.design is not None and text.partition("=")[0] in OF_CLASS}
    return tuple(wanted) if set(wanted) - of_design <= gallery.attributes else None
