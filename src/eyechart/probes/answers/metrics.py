"""The metrics of the probe `answers`."""

from eyechart.findings.metric import Limits, Metric
from eyechart.probes.tasks.reply_counts import REPLY_METRICS

WAYS = {"choice": "choices", "free": "free answers", "likelihood": "likelihoods"}


def _of_way(way: str, title: str) -> tuple[Metric, ...]:
    return (
        Metric(
            name=f"{way}_accuracy",
            title=f"accuracy of {title}",
            chance=f"{way}_chance",
            limits=Limits(
                area="accuracy",
                at_least="chance",
                low=f"The accuracy of {title} is not above chance.",
                good=f"The accuracy of {title} is above chance.",
                unclear=f"whether the accuracy of {title} is above chance",
            ),
        ),
        Metric(name=f"{way}_chance", title=f"chance accuracy of {title}", higher_is_better=None),
        Metric(name=f"{way}_class_accuracy", title=f"accuracy of {title} for a class"),
        Metric(name=f"{way}_tower_accuracy", title=f"accuracy of the tower on the questions of {title}", higher_is_better=None),
        Metric(name=f"{way}_gain", title=f"accuracy of {title} − accuracy of the tower", difference=True),
        Metric(name=f"{way}_both_right", title=f"model and tower right ({title})"),
        Metric(name=f"{way}_only_model_right", title=f"only the model right ({title})", higher_is_better=None),
        Metric(name=f"{way}_only_tower_right", title=f"only the tower right ({title})", higher_is_better=False),
        Metric(name=f"{way}_both_wrong", title=f"model and tower wrong ({title})", higher_is_better=False),
    )


METRICS = (
    *(metric for way, title in WAYS.items() for metric in _of_way(way, title)),
    Metric(
        name="order_changed", title="choices that change with the order of the options", short="order", higher_is_better=False
    ),
    Metric(name="first_option", title="choices of the first option", higher_is_better=None, chance="choice_chance"),
    Metric(
        name="first_option_excess",
        title="choices of the first option − chance",
        difference=True,
        higher_is_better=None,
        limits=Limits(
            area="words and objects",
            at_least=-0.1,
            at_most=0.1,
            low="The model prefers options that are listed last.",
            high="The model prefers options that are listed first.",
            good="Choices do not depend on which option is listed first.",
            unclear="whether the model prefers options by their place in the list",
        ),
    ),
    Metric(name="mapped", title="free answers mapped to a class", higher_is_better=None),
    Metric(name="unmapped", title="free answers mapped to no class", higher_is_better=False),
    Metric(name="published_accuracy", title="accuracy under the published protocol of ImageNet-D", higher_is_better=None),
    Metric(name="published_dropped", title="replies that the published protocol drops", higher_is_better=None),
    *REPLY_METRICS,
)
