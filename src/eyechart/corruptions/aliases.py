"""Names that other sets use for corruptions: ImageNet-C (Hendrycks and Dietterich, 2019) and ImageNet-3DCC (Kar et al., 2022)."""

ALIASES = {
    "gaussian_noise": "noise",
    "iso_noise": "noise",
    "jpeg_compression": "jpeg",
    "color_quant": "color_quantization",
    "motion_blur": "xy_motion_blur",
    "zoom_blur": "z_motion_blur",
}

# Corruptions of ImageNet-C without a counterpart here.
ABSENT = frozenset({"elastic_transform", "frost", "glass_blur", "impulse_noise", "saturate", "snow", "spatter", "speckle_noise"})
