# ruff: noqa: E501 - commands and figures, one a line
"""Commands of which one run takes long, for crash points and faults of the disk with `--slow`. Most need large packages: tried
where these are installed."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from torture.crashes import Command, examination_of, files_in

_NEEDS: dict[str, tuple[str, ...]] = {
    "demo": (),
    "repair captions": (),
    "export": ("torch", "transformers", "onnxscript"),
    "world train": ("torch", "transformers", "open_clip", "onnxscript"),
    "report --export mlflow": ("mlflow", "sqlalchemy"),
    "report --export wandb": ("wandb",),
}
_LOADS = {
    "export": ("eyechart.models.export", "transformers.models.clip.modeling_clip", "onnxscript"),
    "world train": ("eyechart.world.training.running", "eyechart.world.training.trainer", "open_clip"),
}
_RECIPE = {"samples": 96, "batch": 16, "width": 32, "layers": 1, "text_width": 32, "text_layers": 1, "embedding": 16, "patch": 16}
_TIMES = {"seconds"}  # of recipe.json: how long the training took


def untried(slow: bool) -> list[str]:
    """The commands that are not tried, each with the reason: its packages are not installed, or `--slow` was not given."""
    missing = {name: [one for one in packages if not find_spec(one)] for name, packages in _NEEDS.items()}
    if not slow:
        return [f"{name}: takes long, give --slow" for name in missing]
    return [f"{name}: not installed: {', '.join(packages)}" for name, packages in missing.items() if packages]


def slow_commands(work: Path) -> list[Command]:
    """Those commands whose packages are installed. `work` holds what `examine_once` made."""
    import eyechart.world

    model, out, recipe = Path(eyechart.world.__file__).parent / "default_model", work / "out", work / "tiny.toml"
    recipe.write_text("".join(f"{name} = {value}\n" for name, value in _RECIPE.items()))
    commands = [
        Command("demo", ("demo", "--out", "out", "--workers", "1", "--quiet"), examination_of, most=3),
        Command("repair captions", ("repair", "captions", "--model", "demo:", "--data", "world-scenes", "--limit", "60", "--most", "2",
                "--out", "c.json", "--quiet"), files_in("c.json", "c-page"), most=20),
        Command("export", ("export", f"hf:{model}", "exported"), files_in("exported"), again=("--overwrite",)),
        Command("world train", ("world", "train", "tiny.toml", "--out", "zoo/tiny", "--work", "runs/tiny"), _trained, prepare=(recipe,), most=12),
        Command("report --export mlflow", ("report", "out", "--export", "mlflow", "--to", "to"), _mlflow_runs, prepare=(out,), most=40),
        Command("report --export wandb", ("report", "out", "--export", "wandb", "--to", "to"), _wandb_runs, prepare=(out,), most=12),
    ]  # fmt: skip
    installed = [command for command in commands if all(map(find_spec, _NEEDS[command.name]))]
    return [replace(command, loads=_LOADS.get(command.name, _NEEDS[command.name])) for command in installed]


def _trained(place: Path) -> Any:
    """The files of the model; of its recipe, all but the time that it took."""
    recipe = json.loads((place / "zoo" / "tiny" / "recipe.json").read_text())
    found = files_in("zoo")(place)
    return {name: found[name] for name in found if not name.endswith("recipe.json")}, {
        key: recipe[key] for key in recipe.keys() - _TIMES
    }


def _mlflow_runs(place: Path) -> Any:
    """All runs of the database: status, settings, metrics and how often each was logged, and the names of the files."""
    with closing(sqlite3.connect(next((place / "to").rglob("mlflow.db")))) as known:
        number = [row[0] for row in known.execute("select run_uuid from runs where lifecycle_stage = 'active'")]
        rows = [
            (
                known.execute("select name, status from runs where run_uuid = ?", (one,)).fetchall(),
                sorted(known.execute("select key, value from params where run_uuid = ?", (one,))),
                sorted(known.execute("select key, value, step from metrics where run_uuid = ?", (one,))),
            )
            for one in number
        ]
    files = sorted(path.name for path in (place / "to").rglob("artifacts/*/artifacts/*"))
    return rows, files, files_in("to/mlflow/tables")(place)


def _wandb_runs(place: Path) -> Any:
    """The files of the offline runs, without those that hold times: names alone of what W&B writes, the content of ours."""
    runs = sorted((place / "to").rglob("offline-run-*"))
    ours = {path.name: path.read_bytes() for run in runs for path in sorted((run / "files").iterdir())}
    return [run.name.rsplit("-", 1)[1] for run in runs], ours
