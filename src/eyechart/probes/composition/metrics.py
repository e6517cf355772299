"""The metrics of the probe `composition`."""

from eyechart.findings.metric import Limits, Metric

METRICS = (
    Metric(name="chance", title="chance level", higher_is_better=None),
    Metric(
        name="caption_accuracy",
        title="true caption preferred to its foils",
        short="true caption preferred",
        chance="chance",
        rows="missed",
        limits=Limits(
            area="words and objects",
            at_least=0.9,
            by="kind",
            low="It prefers false captions to true ones too often: accuracy is below {limit} for some kind.",
            good="It prefers true captions to false ones in more than {limit} of the cases of every kind.",
            unclear="whether it prefers true captions to false ones in more than {limit} of the cases of every kind",
        ),
    ),
    Metric(name="text_score", title="text score (every picture prefers its caption)", chance="text_score_chance"),
    Metric(name="image_score", title="image score (every caption prefers its picture)", chance="image_score_chance"),
    Metric(name="group_score", title="group score (text and image score together)", chance="group_score_chance"),
    Metric(name="text_score_chance", title="chance level of the text score", higher_is_better=None),
    Metric(name="image_score_chance", title="chance level of the image score", higher_is_better=None),
    Metric(name="group_score_chance", title="chance level of the group score", higher_is_better=None),
    Metric(name="text_only_accuracy", title="true captions closer to each other than to the foil, by text alone"),
)
