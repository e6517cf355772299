import hashlib
import json
from importlib.resources import files

import pytest

RUNTIME = files("eyechart.report") / "runtime"
ENTRIES = json.loads((RUNTIME / "runtime.json").read_text("utf-8"))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["package"])
def test_each_bundled_file_is_the_pinned_one(entry):
    assert hashlib.sha256((RUNTIME / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]


def test_the_licence_of_each_bundled_package_is_there():
    licences = (RUNTIME / "LICENSES.txt").read_text("utf-8")
    assert all(f"{e['package']} {e['version']} (BSD-3-Clause)" in licences for e in ENTRIES)
    assert licences.count("Redistribution and use in source and binary forms") == len(ENTRIES)
