"""What the packages export for authors of models and datasets: complete, documented and light to import."""

import subprocess
import sys
from importlib import import_module

import pytest

PACKAGES = ("eyechart.models", "eyechart.data")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_exported_name_exists_and_is_documented(package):
    module = import_module(package)
    assert dir(module) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name).__doc__, name


@pytest.mark.parametrize("package", PACKAGES)
def test_an_unknown_name_is_refused(package):
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        import_module(package).nothing  # noqa: B018


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_nothing_heavy(package):
    code = f"import sys, {package}; print([m for m in ('torch', 'pyarrow', 'numpy', 'PIL') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
