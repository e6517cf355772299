"""A whole examination of a torch model, beside what open_clip's own loop finds on the same files."""

from pathlib import Path

import numpy as np
import open_clip
import pytest
import torch
from PIL import Image
from tests.backends.test_open_clip import tiny

import eyechart
from eyechart.exam import run
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.prompts.library import load_prompts
from eyechart.store import Store

CLASSES = ["cat", "dog", "great white shark", "owl", "tractor", "violin", "teapot"]


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photos")
    rng = np.random.default_rng(5)
    for name in CLASSES:
        (folder / name).mkdir()
        for number in range(6):
            pixels = rng.integers(0, 256, (5, 7, 3), dtype=np.uint8)
            Image.fromarray(pixels).resize((120, 90), Image.Resampling.BICUBIC).save(folder / name / f"{number}.jpg", quality=90)
    return folder


@torch.inference_mode()
def answers_of_open_clip(model_folder: Path, photos: Path, templates: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Ranks of the true class and the answers, by the library's own builder, transform and network."""
    network, transform = open_clip.create_model_from_pretrained(f"local-dir:{model_folder}")
    network.eval()
    tokenizer = open_clip.get_tokenizer(f"local-dir:{model_folder}")
    classes = sorted(CLASSES)
    makers = [lambda name, template=template: template.replace("{}", name) for template in templates]
    head = open_clip.build_zero_shot_classifier(network, tokenizer, classes, makers, num_classes_per_batch=3)
    ranks, answers = [], []
    for true, name in enumerate(classes):
        for path in sorted((photos / name).iterdir()):
            vector = network.encode_image(transform(Image.open(path)).unsqueeze(0), normalize=True)
            scores = (vector @ head)[0].numpy()
            ranks.append(int((scores > scores[true]).sum()))
            answers.append(int(scores.argmax()))
    return np.array(ranks), np.array(answers)


def test_an_examination_finds_what_open_clips_own_loop_finds(photos: Path, tmp_path: Path) -> None:
    folder = tiny(tmp_path / "model")
    ranks, answers = answers_of_open_clip(folder, photos, list(load_prompts("openai-7").templates))
    store = Store(tmp_path / "store")
    asked = {"prompts": "openai-7", "probes": ["zero_shot"], "store": store}
    exam = eyechart.examine(f"open_clip:{folder}", photos, out=tmp_path / "out", **asked)
    found = exam.findings.to_pandas().set_index("metric").value
    assert found.top1 == pytest.approx((ranks == 0).mean())
    assert found.top5 == pytest.approx((ranks < 5).mean())
    truth = np.repeat(np.arange(len(CLASSES)), 6)
    assert found.mean_per_class == pytest.approx(np.mean([(answers[truth == c] == c).mean() for c in range(len(CLASSES))]))
    store.close()


def test_several_kinds_of_model_are_examined_by_one_plan(photos: Path, tmp_path: Path) -> None:
    """A dual encoder, its ONNX export and an image tower that has no words: the first two agree, the third is skipped."""
    from eyechart.models.export import export_model

    folder = tiny(tmp_path / "model")
    export_model(f"open_clip:{folder}", tmp_path / "exported")
    timm = pytest.importorskip("timm")
    from safetensors.torch import save_file

    save_file(timm.create_model("vit_tiny_patch16_224", num_classes=10).state_dict(), tmp_path / "vit.safetensors")
    plan = Plan(
        models=(
            ModelPlan(f"open_clip:{folder}", name="torch"),
            ModelPlan(f"onnx:{tmp_path / 'exported'}", name="onnx"),
            ModelPlan(f"timm:vit_tiny_patch16_224/{tmp_path / 'vit.safetensors'}", name="tower"),
        ),
        datasets=(DataPlan(str(photos)),),
        prompts=("single",),
        probes=("zero_shot",),
    )
    store = Store(tmp_path / "store")
    exam = run(plan, out=tmp_path / "out", store=store)
    top1 = exam.findings.to_pandas().query("metric == 'top1'").set_index("model").value
    assert exam.failures == {}
    assert top1["torch"] == pytest.approx(top1["onnx"])
    skipped = [(s["model"], s["reason"]) for s in exam.skips.to_pylist() if s["probe"] == "zero_shot"]
    assert skipped == [("tower", "the model can neither encode the class names nor score the 1,000 classes of ImageNet")]
    store.close()
