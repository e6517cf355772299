import hashlib
import json
from importlib.resources import files

import pytest

RUNTIME = files("eyechart.report") / "runtime"
ENTRIES = json.loads((RUNTIME / "runtime.json").read_text("utf-8"))
LICENSES = (RUNTIME / "LICENSES.txt").read_text("utf-8")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["package"])
def test_each_bundled_file_is_the_pinned_one(entry):
    assert hashlib.sha256((RUNTIME / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["package"])
def test_the_license_of_each_bundled_package_is_there(entry):
    assert f"{entry['package']} {entry['version']} (BSD-3-Clause)" in LICENSES


# What the source map of vega-embed.min.js names, and dependencies that the package.json of vega's parts name.
@pytest.mark.parametrize(
    "package",
    [
        "fast-json-patch (MIT)", "json-stringify-pretty-compact (MIT)", "semver (ISC)", "vega-interpreter (BSD-3-Clause)",
        "vega-schema-url-parser (BSD-3-Clause)", "vega-themes (BSD-3-Clause)", "vega-tooltip (BSD-3-Clause)",
        "vega-util (BSD-3-Clause)", "d3-array (ISC)", "d3-geo-projection (ISC)", "delaunator (ISC)", "internmap (ISC)",
        "robust-predicates (Unlicense)", "topojson-client (ISC)", "tslib (0BSD)",
    ],
)  # fmt: skip
def test_packages_within_the_bundles_are_named_with_their_license(package):
    assert f"\n{package}\n" in LICENSES


@pytest.mark.parametrize("holder", ["Ariya Hidayat", "Jason Davies", "Evgeny Poberezkin", "Mike Bostock", "Isaac Z. Schlueter"])
def test_those_whose_code_is_within_are_named(holder):
    assert holder in LICENSES
