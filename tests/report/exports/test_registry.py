import sys

import pytest

from eyechart.cli.report_command import KINDS
from eyechart.errors import MissingExtra, UsageError
from eyechart.findings.run import read_run
from eyechart.report.exports.registry import EXPORTS, export_run


def test_the_command_offers_all_exports():
    assert list(KINDS) == list(EXPORTS)
    assert all(callable(EXPORTS.get(name)) for name in EXPORTS)


def test_an_unknown_export_gets_a_hint(calm_run, tmp_path):
    with pytest.raises(UsageError, match="did you mean 'fiftyone'"):
        export_run(read_run(calm_run), "fiftyon", tmp_path)


@pytest.mark.parametrize("package", ["mlflow", "wandb"])
def test_without_the_package_the_extra_is_named(calm_run, tmp_path, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'eyechart\[{package}\]'"):
        export_run(read_run(calm_run), package, tmp_path)
