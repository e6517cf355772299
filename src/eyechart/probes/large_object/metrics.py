"""The metrics of the probe `large_object`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(name="top_n_recall", title="objects retrieved among the n nearest targets", higher_is_better=None),
    Metric(name="all_objects_retrieved", title="scenes with all objects retrieved", higher_is_better=None),
    Metric(
        name="large_object_share_conditional",
        title="large-object share where all objects are retrieved (conditional IOR)",
        higher_is_better=None,
    ),
    Metric(name="large_object_share", title="large-object share (IOR)", higher_is_better=None),
    Metric(
        name="object_share", title="share of scenes nearest to the object of this size rank or place (IOR)", higher_is_better=None
    ),
    Metric(
        name="object_share_conditional",
        title="share of scenes nearest to the object of this size rank or place, where all are retrieved (conditional IOR)",
        higher_is_better=None,
    ),
    Metric(
        name="own_object_share",
        title="share of scenes nearest to the object of this size rank or place, among the scene's own objects",
        higher_is_better=None,
    ),
    Metric(name="map", title="mean average precision of the scene's objects among all targets (MAP)"),
    Metric(name="ndcg", title="normalized discounted cumulative gain of the scene's objects among all targets (NDCG)"),
    Metric(name="other_object_share", title="scenes nearest to an object they do not show", higher_is_better=None),
    Metric(
        name="smaller_object_share",
        title="scenes nearest to one of their smaller objects (IOR)",
        higher_is_better=None,
    ),
    Metric(
        name="odds_ratio_center",
        title="odds ratio of being the nearest, center against either end of the row",
        unit="number",
        higher_is_better=None,
    ),
    Metric(
        name="odds_ratio_right",
        title="odds ratio of being the nearest, right end against left end of the row",
        unit="number",
        higher_is_better=None,
    ),
    Metric(
        name="odds_ratio_double_area",
        title="odds ratio of being the nearest, for twice the area, by target set",
        unit="number",
        higher_is_better=None,
    ),
    Metric(
        name="large_object_odds_ratio",
        title="odds ratio of being the nearest, for twice the area",
        short="odds ratio of double area",
        unit="number",
        higher_is_better=None,
        limits=Limits(
            area="words and objects",
            at_most=1.5,
            high="Its image encoder favors large objects: "
            "twice the area raises the odds of being the nearest more than {limit}-fold.",
            good="Its image encoder hardly favors large objects: "
            "twice the area raises the odds of being the nearest less than {limit}-fold.",
            unclear="whether twice the area raises the odds of being the nearest more than {limit}-fold",
        ),
    ),
)
