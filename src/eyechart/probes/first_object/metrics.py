"""The metrics of the probe `first_object`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(
        name="first_object_lead",
        title="first-object share minus the mean of later objects (TOR)",
        short="lead of the first object",
        difference=True,
        higher_is_better=None,
        limits=Limits(
            area="words and objects",
            at_least=-0.1,
            at_most=0.1,
            low="Its text encoder favors later objects of a caption over the first, by more than {limit}.",
            high="Its text encoder favors the first object of a caption, by more than {limit}.",
            good="Its text encoder favors no object position: the first object leads or trails the others by less than {limit}.",
            unclear="whether its text encoder favors the first object of a caption by more than {limit}",
            presumes="top_n_recall",
        ),
    ),
    Metric(
        name="first_object_lead_real_captions",
        title="first-object share minus the mean of later objects, real captions (TOR)",
        difference=True,
        higher_is_better=None,
    ),
    Metric(name="first_object_share", title="first-object share (TOR)", higher_is_better=None),
    Metric(
        name="first_object_share_conditional",
        title="first-object share where all objects are retrieved (conditional TOR)",
        higher_is_better=None,
    ),
    Metric(name="all_objects_retrieved", title="captions with all objects retrieved"),
    Metric(name="object_share", title="share of an object position (TOR)", higher_is_better=None),
    Metric(
        name="object_share_conditional",
        title="share of an object position where all objects are retrieved (conditional TOR)",
        higher_is_better=None,
    ),
    Metric(name="top_n_recall", title="objects retrieved among the n nearest names", chance="top_n_recall_chance"),
    Metric(name="top_n_recall_chance", title="objects retrieved among n random names", higher_is_better=None),
)
