"""The lazy registry, and what installed packages add to it through entry points."""

import importlib.metadata
from importlib.metadata import EntryPoint

import pytest

from eyechart.data.published.registry import published_set
from eyechart.errors import PluginError, UsageError
from eyechart.registry import Registry


class _Distribution:
    name = "good-models"


def point(name, value, group="eyechart.things"):
    found = EntryPoint(name, value, group)
    vars(found)["dist"] = _Distribution()
    return found


@pytest.fixture
def installed(monkeypatch):
    points = []
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [p for p in points if p.group == group])
    return points


def test_names_are_sorted_and_imported_on_use():
    found = Registry("number", {"tau": "math:tau", "pi": "math:pi"})
    assert list(found) == ["pi", "tau"]
    assert found.get("pi") == pytest.approx(3.14159, abs=1e-5)
    assert found.package_of("pi") is None


def test_an_unknown_name_is_refused_with_the_nearest_one():
    with pytest.raises(UsageError, match="there is no number called 'tai'; did you mean 'tau'"):
        Registry("number", {"tau": "math:tau", "pi": "math:pi"}).get("tai")


def test_an_installed_package_adds_an_entry(installed):
    installed.append(point("e", "math:e"))
    found = Registry("number", {"pi": "math:pi"}, group="eyechart.things")
    assert list(found) == ["e", "pi"]
    assert "e" in found and found.package_of("e") == "good-models"
    assert found.get("e") == pytest.approx(2.71828, abs=1e-5)


def test_a_broken_entry_point_names_its_package(installed):
    installed.append(point("e", "no_such_module_at_all:e"))
    with pytest.raises(UsageError, match=r"'e' of the package good-models cannot.*ModuleNotFoundError.*uninstall good-models"):
        Registry("number", {}, group="eyechart.things").get("e")


def test_two_entries_of_one_name_are_refused(installed):
    installed.append(point("pi", "math:tau"))
    found = Registry("number", {"pi": "math:pi"}, group="eyechart.things")
    assert found.get("pi") == pytest.approx(3.14159, abs=1e-5)  # ours stays
    loaded, failures = found.load_all(found.get)
    assert list(loaded) == ["pi"] and [f.package for f in failures] == ["good-models"]
    assert failures[0].reason == "the name belongs to math:pi"
    with pytest.raises(UsageError, match="two numbers are called 'pi': math:pi and math:e; rename one"):
        found.add("pi", "math:e")


def test_two_packages_with_one_name_raise_only_where_it_is_named(installed):
    installed += [point("tau", "math:tau"), point("tau", "math:e"), point("e", "math:e")]
    found = Registry("number", {"pi": "math:pi"}, group="eyechart.things")
    loaded, failures = found.load_all(found.get)
    assert list(loaded) == ["e", "pi"] and [f.name for f in failures] == ["tau"]
    with pytest.raises(PluginError, match="math:tau of the package good-models has the same name"):
        found.get("tau")


@pytest.mark.parametrize("text", ["raise SystemExit(3)", "raise ValueError('two\\nlines')", "1 / 0", "import no_such_module"])
def test_whatever_a_package_raises_the_others_are_loaded(installed, tmp_path, monkeypatch, text):
    (tmp_path / "broken_numbers.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    installed += [point("bad", "broken_numbers:bad"), point("e", "math:e")]
    found = Registry("number", {"pi": "math:pi"}, group="eyechart.things")
    loaded, (failure,) = found.load_all(found.get)
    assert list(loaded) == ["e", "pi"]
    assert (failure.kind, failure.name, failure.package) == ("number", "bad", "good-models") and "\n" not in failure.reason


def test_an_error_of_our_own_is_not_hidden():
    with pytest.raises(ModuleNotFoundError):
        found = Registry("number", {"pi": "no_such_module_of_ours:pi"})
        found.load_all(found.get)


def test_a_dataset_entry_point_must_give_a_published_set(monkeypatch):
    from eyechart.data.published import registry as sets

    broken = Registry("published set", {}, group=None)
    broken.add("mine", "math:pi", package="good-models")
    monkeypatch.setattr(sets, "PUBLISHED_SETS", broken)
    with pytest.raises(UsageError, match="good-models cannot be used: its entry point gives no PublishedSet called 'mine'"):
        published_set("mine")
