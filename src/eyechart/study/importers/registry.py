"""The tables that `eyechart study add --from` can import, by name."""

from eyechart.registry import Registry

_PACKAGE = "eyechart.study.importers"
TABLES = Registry(
    "table",
    {
        "open_clip": f"{_PACKAGE}.open_clip:read_open_clip_results",
        "timm": f"{_PACKAGE}.timm:read_timm_results",
        "testbed": f"{_PACKAGE}.testbed:read_testbed",
        "model_soups": f"{_PACKAGE}.model_soups:read_model_soups",
        "robustbench": f"{_PACKAGE}.robustbench:read_robustbench",
        "imagenet_x": f"{_PACKAGE}.imagenet_x:read_imagenet_x",
        "per_class": f"{_PACKAGE}.per_class:read_per_class",
    },
)
FINDINGS = "findings"  # a folder rather than a table
