"""Mutation testing of metrics, probes, repair and classifier.

    python scripts/mutate.py                              # the files that differ from the last commit on main
    python scripts/mutate.py --all --sample 300           # a random sample of all mutants
    python scripts/mutate.py src/eyechart/metrics/ranking --minutes 30

A mutant that no test notices is a survivor. Survivors that cannot be noticed, because they compute the same, are listed with a
reason in tests/equivalent_mutants.toml. Results are kept in .mutation/results.json, by the content of the file and its tests, so
that a second run tries only what has changed.
"""

import argparse
import hashlib
import json
import random
import subprocess
import sys
import time
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutation.mutants import Mutant, mutants_of
from mutation.tests_of import SOURCE, tests_of
from mutation.trial import preload, run_trial

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("metrics", "probes", "repair", "classifier")
RESULTS = ROOT / ".mutation" / "results.json"
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.toml"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders (default: what changed since --base)")
    parser.add_argument("--base", default="main", help="the commit that changed files are compared with (default: main)")
    parser.add_argument("--all", action="store_true", help="all files of " + ", ".join(PACKAGES))
    parser.add_argument("--sample", type=int, metavar="N", help="try N mutants at random")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default: 0)")
    parser.add_argument("--minutes", type=float, default=60, help="stop after this time (default: 60)")
    args = parser.parse_args()
    preload()
    mutants = [mutant for path in _files(args) for mutant in mutants_of(path, ROOT)]
    if args.sample is not None:
        mutants = random.Random(args.seed).sample(mutants, min(args.sample, len(mutants)))
        mutants.sort(key=lambda mutant: (mutant.path, mutant.line))
    return _try_all(mutants, time.monotonic() + 60 * args.minutes)


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


def _try_all(mutants: list[Mutant], end: float) -> int:
    known = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    equivalent = (
        {entry["id"] for entry in tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])} if EQUIVALENT.is_file() else set()
    )
    counts = {"killed": 0, "timed out": 0, "survived": 0, "equivalent": 0, "untested": 0}
    tests: dict[str, list[str]] = {}
    baseline: dict[frozenset[str], float | None] = {}  # files of one folder share their tests
    content: dict[str, str] = {}
    for done, mutant in enumerate(mutants):
        if mutant.id in equivalent:
            counts["equivalent"] += 1
            continue
        path = mutant.path
        if path not in tests:
            tests[path] = tests_of(path, ROOT)
            content[path] = _content([path, *tests[path]])
        key = f"{mutant.id}-{content[path]}"
        if key not in known:
            if time.monotonic() > end:
                print(f"stopped: the time is over after {done} of {len(mutants)} mutants")
                break
            of = frozenset(tests[path])
            if of not in baseline:
                outcome, seconds = run_trial(ROOT / path, _module(path), None, tests[path], 1200)
                baseline[of] = seconds if outcome == "survived" else None
            if not of or baseline[of] is None:
                counts["untested"] += 1
                print(f"untested: {path}: {'its tests fail as it is, or take too long' if of else 'no test'}", flush=True)
                continue
            limit = 10 + 5 * (baseline[of] or 0)
            known[key], _ = run_trial(ROOT / path, _module(path), mutant.tree, tests[path], limit)
            RESULTS.parent.mkdir(exist_ok=True)
            RESULTS.write_text(json.dumps(known))
        counts[known[key]] += 1
        if known[key] == "survived":
            print(f"survived: {mutant.id} {mutant}", flush=True)
    tried = counts["killed"] + counts["timed out"] + counts["survived"]
    noticed = counts["killed"] + counts["timed out"]
    print(f"{noticed} of {tried} mutants were noticed ({noticed / max(tried, 1):.1%}); " + json.dumps(counts))
    return 1 if counts["survived"] else 0


def _module(path: str) -> str:
    return ".".join(Path(path).relative_to("src").with_suffix("").parts).removesuffix(".__init__")


def _content(paths: list[str]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update((ROOT / path).read_bytes())
    return digest.hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main())
