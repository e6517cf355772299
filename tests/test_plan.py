import re
import tomllib
from pathlib import Path

import pytest

from eyechart.cli.plan_command import TEMPLATE
from eyechart.errors import UsageError
from eyechart.plan import DataPlan, ModelPlan, model_name, parse_plan, read_plan


def plan(tmp_path, text):
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return read_plan(path)


MODELS = '[[models]]\nspec = "demo:"\n'
DATA = '[[datasets]]\nsource = "world-objects"\n'


def test_the_template_is_a_plan(tmp_path):
    read = plan(tmp_path, TEMPLATE)
    assert read.models == (ModelPlan("demo:"),)
    assert read.datasets == (DataPlan("world-objects"),)


def test_the_template_with_its_comments_taken_off_is_a_plan_too(tmp_path):
    """Every commented setting is a real one: a user who takes the sign away gets no error."""
    lines = [line.removeprefix("# ") if "=" in line or "[" in line else line for line in TEMPLATE.splitlines()]
    read = plan(tmp_path, "\n".join(lines))
    assert [d.role for d in read.datasets] == ["exam", "exam", "shift"]
    assert len(read.models) == 2
    assert read.settings["zero_shot"] == {"pairs": 20}


def test_paths_are_relative_to_the_plan(tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "classes.txt").write_text("a\nb\n")
    (tmp_path / "mine.txt").write_text("a {}\n")
    (tmp_path / "model").mkdir()
    read = plan(
        tmp_path,
        'prompts = ["mine.txt", "single"]\n[[models]]\nspec = "onnx:model"\n'
        '[[datasets]]\nsource = "photos"\nclasses = "classes.txt"\n',
    )
    assert read.datasets[0].source == str(tmp_path / "photos")
    assert read.datasets[0].classes == str(tmp_path / "classes.txt")
    assert read.prompts == (str(tmp_path / "mine.txt"), "single")
    assert read.models[0] == ModelPlan(f"onnx:{tmp_path / 'model'}", name="onnx:model")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"models is missing or empty; add at least one \[\[models\]\] table"),
        (MODELS, r"datasets is missing or empty; add at least one \[\[datasets\]\] table"),
        (MODELS + DATA + "prompt = 3", r"datasets\[0\]\.prompt is not a known key; did you mean 'prompts'\?"),
        ("prompt = 3\n" + MODELS + DATA, "plan.toml: prompt is not a known key; did you mean 'prompts'"),
        ('[[models]]\nname = "x"\n' + DATA, r"models\[0\]\.spec is missing"),
        ('exif = "maybe"\n' + MODELS + DATA, "exif is 'maybe'; it must be one of apply, ignore"),
        ("seed = 1.5\n" + MODELS + DATA, "seed is 1.5; it must be a whole number"),
        ("probes = []\n" + MODELS + DATA, "probes is empty; name at least one"),
        ("[settings]\nzero_shot = 3\n" + MODELS + DATA, "settings.zero_shot is 3; it must be a table"),
        ("seed = = 1", "not valid TOML"),
        (MODELS + DATA + 'limit = "many"', "limit is 'many'; it must be a whole number"),
        (MODELS + DATA + "name = 3", "name is 3; it must be a text"),
        (MODELS + DATA + 'role = "test"', "role is 'test'; it must be one of exam, shift, ood"),
        (MODELS + DATA + "role = 1", "role is 1; it must be one of exam"),
    ],
)
def test_a_wrong_plan_is_named(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        plan(tmp_path, text)


def test_a_missing_plan_says_how_to_make_one(tmp_path):
    with pytest.raises(UsageError, match="eyechart plan --init"):
        read_plan(tmp_path / "none.toml")


def test_the_folder_of_a_published_set_is_seen_from_the_plan(tmp_path):
    (tmp_path / "stimuli").mkdir()
    read = plan(tmp_path, 'datasets = ["cue-conflict:stimuli", "imagenet-x:/elsewhere/val"]\nmodels = ["demo:"]\n')
    assert [d.source for d in read.datasets] == [f"cue-conflict:{tmp_path / 'stimuli'}", "imagenet-x:/elsewhere/val"]


def documented_plans():
    docs = Path(__file__).resolve().parent.parent / "docs"
    block = re.compile(r"^```toml\n(.*?)^```", re.M | re.S)
    blocks = [(page, text) for page in docs.rglob("*.md") for text in block.findall(page.read_text(encoding="utf-8"))]
    return [pytest.param(text, id=page.stem) for page, text in blocks if "[[models]]" in text]


@pytest.mark.parametrize("text", documented_plans())
def test_a_plan_of_the_docs_can_be_read(text, tmp_path):
    content = tomllib.loads(text)
    content.setdefault("datasets", [{"source": "world-objects"}])
    plan = parse_plan(content, where="docs", base=tmp_path)
    assert plan.models and plan.datasets


def test_the_docs_have_plans():
    assert len(documented_plans()) >= 2


def test_options_of_a_multimodal_model_are_no_part_of_its_path_or_name(tmp_path, monkeypatch):
    (tmp_path / "models" / "llava").mkdir(parents=True)
    plan = tmp_path / "plan.toml"
    plan.write_text('models = ["lmm:models/llava,tokens=1024", "lmm:owner/name,tokens=9"]\ndatasets = ["world-objects"]')
    local, hub = read_plan(plan).models
    assert (local.spec, local.name) == (f"lmm:{tmp_path}/models/llava,tokens=1024", "lmm:models/llava")
    assert hub.spec == "lmm:owner/name,tokens=9" and model_name(hub) == "lmm:owner/name"
    monkeypatch.chdir(tmp_path)
    assert model_name(ModelPlan("lmm:models/llava,tokens=1024")) == "lmm:llava"
