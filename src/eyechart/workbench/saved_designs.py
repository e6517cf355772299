"""Class designs that were saved in the folder `workbench` of a run, to start from again."""

from dataclasses import replace
from pathlib import Path

from eyechart.data.class_design import ClassDesign, read_design
from eyechart.errors import EyechartError
from eyechart.files.text import read_text
from eyechart.workbench.design_desk import DesignDesk
from eyechart.workbench.live_design import LiveDesign, from_class_design, parse_live_design
from eyechart.workbench.own_folder import FOLDER

PROMPTS = ".prompts.txt"


def saved_designs(desk: DesignDesk, run: Path) -> tuple[dict[str, LiveDesign], list[str]]:
    """Saved designs by name, and a sentence for each file that cannot be read.

    Args:
        desk: The model and dataset.
        run: The folder of the run.
    """
    found, notices = {}, []
    for path in sorted((run / FOLDER).glob("*.toml")):
        try:
            found[f"saved: {path.stem}"] = _design(desk, path)
        except EyechartError as error:
            notices.append(f"A saved design cannot be started from. {error}")
    return found, notices


def _design(desk: DesignDesk, path: Path) -> LiveDesign:
    prompts = path.with_name(path.stem + PROMPTS)
    templates = tuple(filter(None, map(str.strip, read_text(prompts).splitlines()))) if prompts.is_file() else desk.templates
    design = read_design(str(path))
    live = from_class_design(design, templates)
    if _of_dataset(desk, design):
        live = replace(live, of_dataset=True)
    return parse_live_design(live.to_json())  # the same limits as for a list that is typed


def _of_dataset(desk: DesignDesk, design: ClassDesign) -> bool:
    """Whether a file is an edited list of the dataset's classes: every group is a label, or an added class by itself."""
    alone = {group for group, names in design.groups.items() if names == (group,)}
    return not design.harmful and not design.attributes and set(design.groups) <= alone | set(desk.label_names)
