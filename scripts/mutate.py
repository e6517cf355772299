"""Mutation testing of metrics, probes, repair and classifier.

    python scripts/mutate.py                              # the files that differ from the last commit on main
    python scripts/mutate.py --all --sample 300           # a random sample of all mutants
    python scripts/mutate.py src/eyechart/metrics/ranking --minutes 30 --jobs 2

Mutants are tried in random order, so that those of a run that is stopped early are a random sample too. A mutant that no test
notices is a survivor. Slow tests are left out. Survivors that cannot be noticed, because they compute the same, are listed with
a reason in tests/equivalent_mutants.toml. Results are kept in .mutation/results.jsonl, by the content of the file and its tests,
so that a second run tries only what has changed.
"""

import argparse
import hashlib
import json
import random
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutation.mutants import Mutant, mutants_of
from mutation.session import Trials, run_session
from mutation.summary import summarize
from mutation.tests_of import SOURCE, module_of, tests_of
from mutation.trial import preload, run_trial

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("metrics", "probes", "repair", "classifier")
RESULTS = ROOT / ".mutation" / "results.jsonl"
LINES = ROOT / ".mutation" / "lines"
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.toml"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders (default: what changed since --base)")
    parser.add_argument("--base", default="main", help="the commit that changed files are compared with (default: main)")
    parser.add_argument("--all", action="store_true", help="all files of " + ", ".join(PACKAGES))
    parser.add_argument("--sample", type=int, metavar="N", help="try N mutants at random")
    parser.add_argument("--seed", type=int, default=0, help="of the sample and the order (default: 0)")
    parser.add_argument("--minutes", type=float, default=60, help="stop after this time (default: 60)")
    parser.add_argument("--jobs", type=int, default=1, help="how many are tried at once (default: 1)")
    parser.add_argument("--quick", action="store_true", help="do not try survivors again in a process of their own")
    args = parser.parse_args()
    preload()
    mutants = [mutant for path in _files(args) for mutant in mutants_of(path, ROOT)]
    mutants = random.Random(args.seed).sample(mutants, min(args.sample or len(mutants), len(mutants)))
    outcomes = _try_all(mutants, args.jobs, time.monotonic() + 60 * args.minutes, quick=args.quick)
    if len(outcomes) < len(mutants):
        print(f"stopped: the time is over after {len(outcomes)} of {len(mutants)} mutants")
    print(summarize(outcomes))
    return 1 if "survived" in outcomes.values() else 0


def _files(args: argparse.Namespace) -> list[Path]:
    if args.paths:
        found = [file for path in args.paths for file in (path.rglob("*.py") if path.is_dir() else [path])]
    elif args.all:
        found = [file for package in PACKAGES for file in (ROOT / SOURCE / package).rglob("*.py")]
    else:
        changed = subprocess.run(
            ["git", "diff", "--name-only", args.base, "--", *(str(SOURCE / package) for package in PACKAGES)],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout.split()  # fmt: skip
        found = [ROOT / name for name in changed if name.endswith(".py") and (ROOT / name).is_file()]
    # Records of metrics are declarations; exhibits are looked at, not computed with.
    return sorted({file.resolve() for file in found if file.name not in ("metrics.py", "exhibits.py")})


def _try_all(mutants: list[Mutant], jobs: int, end: float, *, quick: bool) -> dict[Mutant, str]:
    """The outcome of each mutant that was tried before the end, in the order of the list."""
    equivalent = {entry["id"] for entry in tomllib.loads(EQUIVALENT.read_text())["mutant"]}
    known = _known()
    tests = {path: tests_of(path, ROOT) for path in sorted({mutant.path for mutant in mutants})}
    keys = {mutant: f"{mutant.id}-{_content([mutant.path, *tests[mutant.path]])}" for mutant in mutants}
    todo = [mutant for mutant in mutants if mutant.id not in equivalent and keys[mutant] not in known]
    _try_in_one_session([m for m in todo if f"quick-{keys[m]}" not in known], tests, keys, jobs, end)
    known = _known()
    todo = [mutant for mutant in todo if keys[mutant] not in known and f"quick-{keys[mutant]}" in known]
    if quick:
        found = {m: known.get(keys[m], known.get(f"quick-{keys[m]}")) for m in mutants}
        return {m: "equivalent" if m.id in equivalent else o for m, o in found.items() if m.id in equivalent or o is not None}
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        limits = _limits(pool, {path: tests[path] for path in sorted({mutant.path for mutant in todo})}, known)
        trials = {m: pool.submit(_try, m, tests[m.path], limits[m.path], end) for m in todo if m.path in limits}
        for mutant, trial in trials.items():
            if (outcome := trial.result()) is not None:
                _keep(known, keys[mutant], outcome)
                if outcome == "survived":
                    print(f"survived: {mutant}", file=sys.stderr, flush=True)
    outcomes = {}
    for mutant in mutants:
        if mutant.id in equivalent:
            outcomes[mutant] = "equivalent"
        elif keys[mutant] in known:
            outcomes[mutant] = known[keys[mutant]]
        elif mutant not in trials:
            outcomes[mutant] = "untested"
    return outcomes


def _try_in_one_session(
    mutants: list[Mutant], tests: dict[str, list[str]], keys: dict[Mutant, str], jobs: int, end: float
) -> None:
    """Keep what the tests of the packages notice, and under "quick-" and the key what they do not."""
    if not mutants:
        return
    packages = sorted({Path(mutant.path).relative_to(SOURCE).parts[0] for mutant in mutants})
    beside = [file for package in packages for file in sorted((ROOT / "tests" / package).rglob("test_*.py"))]
    files = {*(file for mutant in mutants for file in tests[mutant.path]), *(str(file.relative_to(ROOT)) for file in beside)}
    source = _content(sorted(str(f.relative_to(ROOT)) for p in PACKAGES for f in (ROOT / SOURCE / p).rglob("*.py")))
    contents = {file: _content([file]) for file in files}  # as they are collected, whatever is changed meanwhile

    def lines(file: str, run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        kept = LINES / f"{contents[file]}-{source}-{'-'.join(packages)}.json"
        if not kept.is_file():
            LINES.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(run()))
        return dict(json.loads(kept.read_text()))

    def report(mutant: Mutant, outcome: str) -> None:
        if outcome == "survived":
            print(f"survived: {mutant}", file=sys.stderr, flush=True)
        _keep({}, f"quick-{keys[mutant]}" if outcome == "survived" else keys[mutant], outcome)

    run_session(Trials(ROOT, {mutant: tests[mutant.path] for mutant in mutants}, jobs, end, lines, report), sorted(files))


def _known() -> dict[str, Any]:
    return dict(json.loads(line) for line in RESULTS.read_text().splitlines()) if RESULTS.is_file() else {}


def _limits(pool: ProcessPoolExecutor, tests: dict[str, list[str]], known: dict[str, Any]) -> dict[str, float]:
    """Seconds of processor time for the trials of each source file: five times those of its tests, and ten. Files without tests,
    or with tests that fail as they are, are left out."""
    source = _content([str(file.relative_to(ROOT)) for file in sorted((ROOT / SOURCE).rglob("*.py"))])
    keys = {file: f"{file}-{source}-{_content([file])}" for of_path in tests.values() for file in of_path}
    runs = {key: pool.submit(_run_as_it_is, file) for file, key in keys.items() if key not in known}
    for key, run in runs.items():
        outcome, seconds = run.result()
        _keep(known, key, seconds if outcome == "survived" else None)
    for file in (file for file, key in keys.items() if known[key] is None):
        print(f"{file} fails as it is, or takes more than 20 minutes", file=sys.stderr)
    return {
        path: 10 + 5 * sum(known[keys[file]] for file in of_path)
        for path, of_path in tests.items()
        if of_path and all(known[keys[file]] is not None for file in of_path)
    }


def _run_as_it_is(test: str) -> tuple[str, float]:
    return run_trial(ROOT, "", None, [test], 1200)


def _try(mutant: Mutant, tests: list[str], limit: float, end: float) -> str | None:
    if time.monotonic() > end:
        return None
    return run_trial(ROOT / mutant.path, module_of(mutant.path), mutant.tree(ROOT), tests, limit)[0]


def _keep(known: dict[str, Any], key: str, result: str | float | None) -> None:
    """Append a result, so that runs at the same time keep each other's."""
    known[key] = result
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a") as file:
        file.write(json.dumps([key, result]) + "\n")


def _content(paths: list[str]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update((ROOT / path).read_bytes())
    return digest.hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main())
