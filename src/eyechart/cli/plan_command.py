"""`eyechart plan`: write a commented plan, or check one."""

import argparse
import os
from pathlib import Path

from eyechart.cli.output_files import output_file
from eyechart.cli.printing import say
from eyechart.errors import UsageError
from eyechart.notice import counted

TEMPLATE = """# A plan for `eyechart run`: every model is examined on every dataset.
# Paths are relative to this file. A second run encodes nothing again.

# prompts = ["openai-80", "single"]   # prompt sets or files; `eyechart prompts` lists them
# profile = "classify"                # a list of probes; leave out for those that suit each dataset, "all" for all
# probes = ["zero_shot"]              # or these probes alone; `eyechart probes` lists profiles and probes
# corruptions = ["noise:3", "fog:3"]  # of copies in memory that labeled pictures are compared with; [] for none
# default_ood = false                 # compare with no generated out-of-distribution pictures
# seed = 0
# exif = "apply"                      # or "ignore", as open_clip's loader does
# alpha = "drop"                      # or "white", "black"

[[models]]
spec = "demo:"                        # `eyechart models` lists all kinds

# [[models]]
# spec = "open_clip:ViT-B-32/laion2b_s34b_b79k"
# name = "ViT-B-32 LAION"             # what the findings call it
# device = "auto"                     # cpu, cuda, mps or auto
# precision = "float32"

[[datasets]]
source = "world-objects"             # `eyechart datasets` lists all kinds

# [[datasets]]
# source = "photos/"
# name = "photos"
# classes = "classes.txt"             # names and synonyms; default: the folder's names
# prompts = ["single"]                # for this dataset only
# limit = 1000                        # a seeded sample, stratified by class
# columns = { label = "category" }    # for tables: which column has which role

# [[datasets]]
# source = "photos-at-night/"
# role = "shift"                      # the same classes under other conditions; "ood": other classes; "gallery": one object each
# of = "photos"                       # the dataset it belongs to; leave out for all

# [settings.zero_shot]
# pairs = 20
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", type=Path, default=Path("plan.toml"), metavar="PLAN.toml")
    parser.add_argument(
        "--init", action="store_true", help="write a commented plan to start from; an existing file is never replaced"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.init:
        if os.path.lexists(args.path):
            raise UsageError(f"{args.path} already exists; choose another file name")
        with output_file(args.path) as unfinished:
            unfinished.write_text(TEMPLATE, encoding="utf-8")
        say(f"wrote {args.path}; edit it, then: eyechart run {args.path}")
        return 0
    from eyechart.exam import check_targets
    from eyechart.inputs import with_whole_world
    from eyechart.plan import read_plan
    from eyechart.session.probe_choice import candidate_probes
    from eyechart.session.probe_tasks import check_plan

    plan = with_whole_world(read_plan(args.path))
    check_plan(plan)
    check_targets(candidate_probes(plan), plan)
    size = f"{counted(len(plan.models), 'model')}, {counted(len(plan.datasets), 'dataset')}"
    asked = (
        f"probes: {', '.join(plan.probes)}" if plan.probes else f"profile: {', '.join(plan.profile or ['by what the data has'])}"
    )
    say(f"{args.path}: {size}, {asked}")
    return 0
