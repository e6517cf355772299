"""`zoo:NAME`: small models trained in the embedded world, some healthy, some with a planted defect.

The default one ships in the package. The others are in a folder `zoo`, named by EYECHART_ZOO or next to the package.
"""

import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from eyechart.errors import ModelError, UsageError, did_you_mean
from eyechart.files.hashing import HashMemory
from eyechart.files.records import Table, parse_toml
from eyechart.models.encoder import Model
from eyechart.models.model_json import NAME as MODEL_JSON
from eyechart.models.onnx import open_folder

DEFAULT = "default"
VARIABLE = "EYECHART_ZOO"
_SHIPPED = Path(__file__).parent / "default_model"
_CHECKOUT = Path(__file__).parents[3] / "zoo"


@dataclass(frozen=True)
class ZooModel:
    """One model of the zoo.

    name: Its name in `zoo:NAME`.
    about: How it was trained.
    planted: The defect that was planted; None for a healthy model.
    twin: The model that was trained in the same way but without the defect.
    expected: What a probe should find between the two.
    """

    name: str
    about: str
    planted: str | None = None
    twin: str | None = None
    expected: str | None = None


@cache
def zoo_models() -> dict[str, ZooModel]:
    """Every model of the zoo by name, whether or not its folder is here.

    Example:
        >>> zoo_models()["largest-first-0"].planted
        'caption order'
    """
    content = parse_toml((files("eyechart.world") / "zoo.toml").read_text(encoding="utf-8"), "zoo.toml")
    return {name: Table("zoo.toml", entry, name).into(ZooModel, name=name) for name, entry in content.items()}


def zoo_folder(name: str, near: Path | None = None) -> Path:
    """The folder of a model: in the folder `near`, else in the zoo, else in the package."""
    places = [folder / name for folder in (near, _zoo()) if folder is not None]
    if name == DEFAULT:
        places.append(_SHIPPED)
    for place in places:
        if (place / MODEL_JSON).is_file():
            return place
    known = zoo_models()
    if name not in known:
        hint = did_you_mean(f"zoo:{name}", [f"zoo:{one}" for one in known])
        raise UsageError(f"zoo:{name}: there is no such model (`eyechart world zoo` lists them){hint}")
    raise ModelError(
        f"zoo:{name}: its folder is not here; only {DEFAULT} ships with the package."
        f" Set {VARIABLE} to the folder `zoo` of a checkout of Eyechart"
    )


def present() -> list[str]:
    """The models whose folders are here."""
    found = []
    for name in zoo_models():
        try:
            zoo_folder(name)
        except ModelError:
            continue
        found.append(name)
    return found


def checkpoints() -> list[str]:
    """Checkpoints of the training of a model, by the number of pairs: random-order-1-at-15k."""
    folder = _zoo()
    if folder is None:
        return []
    found = [
        path.parent.name for path in folder.glob(f"*-at-*/{MODEL_JSON}") if path.parent.name.partition("-at-")[0] in zoo_models()
    ]
    return sorted(found, key=lambda name: (name.partition("-at-")[0], len(name), name))


def _zoo() -> Path | None:
    given = os.environ.get(VARIABLE)
    if given:
        if not Path(given).is_dir():
            raise UsageError(f"{VARIABLE} is {given!r}, which is not a folder")
        return Path(given)
    return _CHECKOUT if _CHECKOUT.is_dir() else None


def open_default(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> Model:
    """`demo:`, the model that ships in the package. There is only one, so it has no name."""
    if name:
        raise UsageError(f"demo:{name}: there is one demo model; write demo:, or zoo:{name} for another model of the zoo")
    return open_folder(zoo_folder(DEFAULT), "demo:", hashes, device, precision, threads)


def open(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> Model:
    return open_folder(zoo_folder(name), f"zoo:{name}", hashes, device, precision, threads)
