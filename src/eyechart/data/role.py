"""The role of a dataset in an examination. In a file of its own, so that plans and flags need not load pyarrow."""

from typing import Literal

Role = Literal["exam", "shift", "ood", "gallery"]
