"""What the outcomes of a verdict mean, as page and terminal say it."""

from eyechart.findings.metric import LEAST_N

OUTCOMES = (
    "Bad: the 95% interval of a dataset is entirely beyond the target. For a class, the interval after Bonferroni's "
    "correction for the number of classes is beyond it, or the class is never right although the mean over classes makes "
    "that improbable, or the mean over classes is below the target. For worst@k, the value is beyond the target and beyond "
    "95% of what equally accurate classes give by chance. Good: the intervals of all datasets are within it. Inconclusive: "
    "everything else, and every value over too few different pictures: copies and versions of a picture count once. "
    f"The minimum of {LEAST_N}, and of 10 for a class, is a convention of Eyechart: with {LEAST_N} pictures the 95% interval "
    "of a share is up to 34 points wide (Wilson), with 10 up to 53. "
    "Targets are defaults unless you set them (--target top1=0.8)."
)
