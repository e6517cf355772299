"""`eyechart doctor`: show what works on this machine, and what to install for the rest."""

import argparse
import os
import platform
import sys
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version

from eyechart.cli.options import add_json, add_store
from eyechart.cli.printing import print_json, print_table
from eyechart.notice import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_store(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    checks = [*_machine(), *_models(), *_datasets(), *_probes(), _charts(), _store(args)]
    if args.json:
        print_json([{"what": w, "works": ok, "details": d} for w, ok, d in checks])
    else:
        print_table(["", "what", "details"], [["ok" if ok else "--", what, details] for what, ok, details in checks])
    return 0


def _machine() -> list[tuple[str, bool, str]]:
    from eyechart import __version__

    rows = [("eyechart", True, __version__), ("python", sys.version_info >= (3, 11), platform.python_version())]
    rows += [(name, True, _version(name)) for name in ("numpy", "pyarrow", "pillow", "onnxruntime")]
    import onnxruntime

    devices = ", ".join(p.removesuffix("ExecutionProvider") for p in onnxruntime.get_available_providers())
    return [*rows, ("processors", True, f"{os.cpu_count()} cores"), ("onnxruntime devices", True, devices), _torch()]


def _torch() -> tuple[str, bool, str]:
    if _version("torch") == "not installed":
        return "torch", False, "not installed; only needed for open_clip:, hf:, timm: and sbert: models"
    import torch

    cuda = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "no CUDA device"
    mps = ", Apple MPS" if torch.backends.mps.is_available() else ""
    return "torch", True, f"{torch.__version__}, {cuda}{mps}"


def _models() -> list[tuple[str, bool, str]]:
    from eyechart.models.sources import usable_sources

    sources, failures = usable_sources()
    rows = [(f"models {s.prefix}:", s.installed, s.description if s.installed else s.remedy) for s in sources]
    return rows + [(f"models {f.name}:", False, str(f)) for f in failures]


def _datasets() -> list[tuple[str, bool, str]]:
    from eyechart.data.open import dataset_kinds

    return [(f"data: {k.title}", k.installed, k.description if k.installed else k.remedy) for k in dataset_kinds()]


def _probes() -> list[tuple[str, bool, str]]:
    """One row for all probes that work, and one for each probe of an installed package that does not."""
    from eyechart.probes.registry import usable_probes

    probes, failures = usable_probes()
    return [("probes", True, counted(len(probes), "probe")), *((f"probe {f.name}", False, str(f)) for f in failures)]


def _charts() -> tuple[str, bool, str]:
    found = _version("vl-convert-python")
    if found == "not installed":
        return "charts as PNG and SVG", False, "pip install 'eyechart[charts]' (not needed for the page)"
    return "charts as PNG and SVG", True, f"vl-convert {found}"


def _store(args: argparse.Namespace) -> tuple[str, bool, str]:
    from eyechart.errors import StoreError
    from eyechart.store.store import Store

    try:
        with closing(Store(args.store)) as store:
            shelves = store.ls()
            size = sum(s.bytes for s in shelves)
            return "store", True, f"{store.path}: {sum(s.vectors for s in shelves):,} vectors, {size / 1e6:.1f} MB"
    except StoreError as error:
        return "store", False, str(error)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
