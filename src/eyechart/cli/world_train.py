"""`eyechart world train`: train a small model in the embedded world by a recipe. Interrupted runs can continue."""

import argparse
from pathlib import Path

from eyechart.cli.options import add_json, positive
from eyechart.cli.printing import print_json, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recipe", type=Path, metavar="RECIPE.toml", help="see docs/zoo.md; examples are in zoo/recipes")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the model (default: zoo/NAME)")
    parser.add_argument("--work", type=Path, metavar="DIR", help="folder for the state of the run (default: runs/NAME)")
    parser.add_argument(
        "--threads",
        type=positive,
        default=1,
        metavar="N",
        help="two runs with one thread are faster than one with two (default: 1)",
    )
    add_json(parser)
    parser.set_defaults(run=run, if_interrupted="run the same command again to continue from the last saved state")


def run(args: argparse.Namespace) -> int:
    from eyechart.models.torch_device import require
    from eyechart.world.training.llava.recipe import LlavaRecipe
    from eyechart.world.training.recipe import Recipe
    from eyechart.world.training.recipe_file import read_recipe
    from eyechart.world.zoo import zoo_folder

    recipe = read_recipe(args.recipe)
    for package in ("transformers", "open_clip", "onnxscript"):
        require(package, "training", "train")
    report = (lambda line: None) if args.json else say
    out = args.out or Path("zoo") / recipe.name
    work = args.work or Path("runs") / recipe.name
    if isinstance(recipe, Recipe):
        from eyechart.world.training.running import train

        kept = train(recipe, work, out, threads=args.threads, say=report)
    elif isinstance(recipe, LlavaRecipe):
        from eyechart.world.training.llava.folder import train_llava

        tower = zoo_folder(recipe.vision_tower, near=out.parent)
        kept = train_llava(recipe, tower, work, out, threads=args.threads, say=report)
    else:
        from eyechart.world.training.fine_tuning import derive

        kept = derive(recipe, zoo_folder(recipe.parent, near=out.parent), out, threads=args.threads, say=report)
    if args.json:
        print_json(kept)
    else:
        say(f"examine it with: --model onnx:{out}")
    return 0
