"""Corruptions of pictures, each a pure function of picture, depth, severity and seed: focus, fog, flash, motion, noise, …

The depth-based ones follow the idea of 3D Common Corruptions (Kar et al., CVPR 2022), the others that of ImageNet-C (Hendrycks
and Dietterich, ICLR 2019); formulas and strengths are our own and are listed in docs/corruptions.md."""

from eyechart.corruptions.corruption import SEVERITIES, Corruption, Depth, Picture
from eyechart.corruptions.registry import CORRUPTIONS, CORRUPTIONS_VERSION, corrupt, find_corruption

__all__ = ["CORRUPTIONS", "CORRUPTIONS_VERSION", "SEVERITIES", "Corruption", "Depth", "Picture", "corrupt", "find_corruption"]
