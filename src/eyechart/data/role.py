"""What a dataset is for in an examination. A file of its own, since plans and flags name roles without loading any table."""

from typing import Literal

Role = Literal["exam", "shift", "ood", "targets"]
