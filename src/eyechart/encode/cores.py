"""The number of CPU cores that this process may use; in a container often fewer than the machine has."""

import os


def usable_cores() -> int:
    """The number of usable cores."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
