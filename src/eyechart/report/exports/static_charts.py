"""Every chart of a report as an SVG or PNG file, drawn offline."""

from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from eyechart.errors import MissingExtra
from eyechart.files.atomic import atomic_path, remove_abandoned
from eyechart.findings.exhibit import PlacedExhibit, slug
from eyechart.findings.run import Run, read_run
from eyechart.report.html.drawing import TABLE, rows, specification, theme
from eyechart.report.sections.headline import comparison

Kind = Literal["svg", "png"]
WIDTH = 640
_FONT = "sans-serif"  # a file cannot rely on the system fonts of the page
_MAJOR = "6."  # the version of the page's runtime; the converter supports several


def require_charts() -> None:
    """Raise MissingExtra where charts cannot be written as files; call it before the work, not after it."""
    _converter()


def write_charts(folder: Path, kind: Kind = "svg", run: Run | None = None) -> list[Path]:
    """Write each chart of the run in `folder` to `folder`/report/charts/, in light colors on white."""
    require_charts()
    run = run or read_run(folder)
    return draw_charts((*comparison(run), *run.exhibits), folder / "report" / "charts", kind)


def draw_charts(exhibits: Iterable[PlacedExhibit], place: Path, kind: Kind) -> list[Path]:
    """Write the charts of the exhibits to the folder `place`."""
    converter = _converter()
    place.mkdir(parents=True, exist_ok=True)
    remove_abandoned(place, below=False)
    paths: list[Path] = []
    for placed in exhibits:
        if placed.exhibit.kind == "chart":
            path = place / f"{_file_name(placed, len(paths) + 1)}.{kind}"
            drawn = _draw(converter, placed, kind)
            with atomic_path(path) as unfinished:
                unfinished.write_bytes(drawn)
            paths.append(path)
    return paths


def _file_name(placed: PlacedExhibit, number: int) -> str:
    """Numbered, because different names may have the same slug."""
    return f"{number:03d}-{slug('-'.join(p for p in (placed.probe, placed.exhibit.name, placed.model, placed.dataset) if p))}"


def _draw(converter: ModuleType, placed: PlacedExhibit, kind: str) -> bytes:
    spec: dict[str, Any] = specification(placed) | {"datasets": {TABLE: rows(placed.exhibit.table)}, "background": "white"}
    if spec.get("width") == "container":
        spec["width"] = WIDTH
    config = theme()["light"] | {"font": _FONT}
    version = max((v for v in converter.get_vegalite_versions() if v.startswith(_MAJOR)), key=_number)
    # No allowed addresses: nothing is ever fetched.
    if kind == "png":
        png: bytes = converter.vegalite_to_png(spec, vl_version=version, config=config, scale=2, allowed_base_urls=[])
        return png
    svg: str = converter.vegalite_to_svg(spec, vl_version=version, config=config, allowed_base_urls=[])
    return svg.encode()


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _converter() -> ModuleType:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("writing charts as files", "charts") from None
    converter: ModuleType = vl_convert
    return converter
