"""Corruptions of pictures: pure functions of picture, depth, severity and seed.

The depth-based ones follow 3D Common Corruptions (Kar et al., CVPR 2022), the others ImageNet-C (Hendrycks and Dietterich, ICLR
2019). Formulas and strengths are our own and are listed in docs/corruptions.md."""

from eyechart.corruptions.corruption import SEVERITIES, Corruption, Depth, Picture
from eyechart.corruptions.registry import CORRUPTIONS, CORRUPTIONS_VERSION, corrupt, find_corruption

__all__ = ["CORRUPTIONS", "CORRUPTIONS_VERSION", "SEVERITIES", "Corruption", "Depth", "Picture", "corrupt", "find_corruption"]
