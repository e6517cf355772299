"""A study of all published models: the trend, the group offsets of the questions, a model's place.

    python benchmarks/study.py FOLDER

FOLDER holds the published tables as their projects ship them: open_clip/, timm/, imagenet-testbed/ and, if there, model-soups/
and imagenet-x/. They are imported once, which is timed apart; each study then begins with the file on disk. The bound is 2 s for
the trend of all models, with 1,000 resamples of families, bands and the exhibit. Seconds are the processor's.
"""

import sys
import tempfile
import time
from pathlib import Path

from eyechart.study.baselines import find_baseline
from eyechart.study.comparing import compare
from eyechart.study.exhibits import trend_exhibit
from eyechart.study.importers.registry import TABLES
from eyechart.study.placing import place
from eyechart.study.population import pair
from eyechart.study.questions import QUESTIONS
from eyechart.study.sources import open_tables
from eyechart.study.study_file import merge, read_study, write_study
from eyechart.study.table import empty
from eyechart.study.trending import Settings, study_trend

BOUND_SECONDS = 2.0
FOLDERS = {
    "open_clip": "open_clip",
    "timm": "timm",
    "testbed": "imagenet-testbed",
    "model_soups": "model-soups",
    "imagenet_x": "imagenet-x",
}


def imported(folder: Path, path: Path) -> None:
    study = empty()
    for kind, name in FOLDERS.items():
        if (folder / name).is_dir():
            study = merge(study, TABLES.get(kind)(open_tables([str(folder / name)])).table)
    write_study(study, path)


def trend(path: Path) -> str:
    study = study_trend(pair(read_study(path), None, "imagenet-v2"), find_baseline("standard"), Settings())
    trend_exhibit(study)
    return f"{len(study.population):,} models, R² {study.trend.r2:.3f}"


def offsets(path: Path) -> str:
    population, everybody = pair(read_study(path), None, "imagenet-sketch"), find_baseline("all")
    asked = [name for name in QUESTIONS if name != "prompts"]
    found = [compare(population, QUESTIONS.get(name), everybody, Settings()) for name in asked]
    return f"{len(found)} questions, 5,000 permutations each"


def placed(path: Path) -> str:
    found = place(read_study(path), "open_clip:ViT-B-32/openai", find_baseline("standard"), Settings())
    return f"{len(found.standings)} measures"


def main(folder: str) -> None:
    with tempfile.TemporaryDirectory() as made:
        path, seconds = Path(made) / "study.parquet", {}
        start = time.process_time()
        imported(Path(folder), path)
        print(f"import: {time.process_time() - start:.1f} s")
        for run in (trend, offsets, placed):
            start = time.process_time()
            said = run(path)
            seconds[run] = time.process_time() - start
            print(f"{run.__name__}: {seconds[run]:.2f} s ({said})", flush=True)
    if seconds[trend] > BOUND_SECONDS:
        raise SystemExit("beyond the bound")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
