"""The devices and precisions that can be chosen."""

from eyechart.errors import UsageError, did_you_mean

DEVICES = ("cpu", "auto", "mps", "cuda")
PRECISIONS = ("float32", "bfloat16", "float16")


def check_choices(device: str, precision: str) -> None:
    """Raise UsageError for an unknown device or precision. A model source may support fewer, and then raises its own error."""
    kind, colon, number = device.partition(":")
    if kind not in DEVICES or (colon and (kind != "cuda" or not (number.isascii() and number.isdigit()))):
        hint = did_you_mean(device, DEVICES)
        raise UsageError(f"there is no device {device!r}{hint} (there are: {', '.join(DEVICES)}, cuda:N)")
    if precision not in PRECISIONS:
        hint = did_you_mean(precision, PRECISIONS)
        raise UsageError(f"there is no precision {precision!r}{hint} (there are: {', '.join(PRECISIONS)})")
