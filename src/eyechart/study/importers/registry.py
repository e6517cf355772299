"""The tables that can be imported, by the name that `eyechart study add --from` takes."""

from eyechart.registry import Registry

_ROOM = "eyechart.study.importers"
TABLES = Registry(
    "table",
    {
        "open_clip": f"{_ROOM}.open_clip:read_open_clip_results",
        "timm": f"{_ROOM}.timm:read_timm_results",
        "testbed": f"{_ROOM}.testbed:read_testbed",
        "model_soups": f"{_ROOM}.model_soups:read_model_soups",
        "imagenet_x": f"{_ROOM}.imagenet_x:read_imagenet_x",
    },
)
FINDINGS = "findings"  # a folder rather than a table
