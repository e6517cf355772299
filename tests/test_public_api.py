"""The public surface: what `dir` lists, what is documented, and examples that run."""

import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import eyechart

PACKAGE = Path(eyechart.__file__).parent
PUBLIC = ("eyechart", "eyechart.probes", "eyechart.models", "eyechart.data")


def public_objects():
    for package in PUBLIC:
        module = import_module(package)
        for name in module.__all__:
            if callable(found := getattr(module, name)) and inspect.isfunction(inspect.unwrap(found)):
                yield pytest.param(found, id=f"{package}.{name}")


@pytest.mark.parametrize("package", PUBLIC)
def test_dir_lists_the_public_names_and_nothing_else(package):
    module = import_module(package)
    assert dir(module) == sorted(module.__all__)
    assert all(getattr(module, name) is not None for name in module.__all__)


@pytest.mark.parametrize("package", PUBLIC)
def test_an_unknown_name_is_an_attribute_error(package):
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        import_module(package).nothing  # noqa: B018


@pytest.mark.parametrize("function", list(public_objects()))
def test_a_public_function_documents_its_arguments_and_shows_an_example(function):
    told = inspect.getdoc(function) or ""
    parameters = inspect.signature(function).parameters
    missing = [name for name in parameters if not re.search(rf"^ +{name}: ", told, re.M)]
    assert not parameters or "Args:" in told
    assert missing == []
    assert ">>>" in told


def public_methods():
    """Methods and properties that public classes define themselves; not the defaults of their fields."""
    seen = set()
    for package in PUBLIC:
        module = import_module(package)
        for found in (getattr(module, name) for name in module.__all__):
            if not inspect.isclass(found) or found in seen:
                continue
            seen.add(found)
            for name, member in vars(found).items():
                function = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
                if not name.startswith("_") and inspect.isfunction(function) and f"{found.__name__}." in function.__qualname__:
                    protocol = getattr(found, "_is_protocol", False)
                    yield pytest.param(function, protocol, id=f"{found.__name__}.{name}")


@pytest.mark.parametrize(("method", "protocol"), list(public_methods()))
def test_a_public_method_has_a_docstring_that_names_its_arguments(method, protocol):
    told = inspect.getdoc(method) or ""
    assert told
    named = [name for name in inspect.signature(method).parameters if name not in ("self", "cls")]
    # A protocol describes its one or two arguments in a sentence.
    assert protocol or [name for name in named if not re.search(rf"^ +{name}: ", told, re.M)] == []


@pytest.mark.parametrize("package", PUBLIC)
def test_a_public_class_has_a_docstring_of_its_own(package):
    module = import_module(package)
    classes = [found for name in module.__all__ if inspect.isclass(found := getattr(module, name))]
    assert [c.__name__ for c in classes if not c.__doc__ or c.__doc__.startswith(f"{c.__name__}(")] == []


def test_the_module_runs_as_the_command():
    ran = subprocess.run([sys.executable, "-m", "eyechart", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == f"eyechart {eyechart.__version__}"


def modules_with_examples():
    for file in sorted(PACKAGE.rglob("*.py")):
        if ">>> " in file.read_text(encoding="utf-8"):
            parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_the_examples_of_docstrings_run(name, tmp_path, monkeypatch, shared_store):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EYECHART_STORE", str(shared_store))
    result = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0 and result.failed == 0
