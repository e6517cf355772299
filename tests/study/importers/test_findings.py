import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.found import table_of

from eyechart.findings.finding import Finding
from eyechart.study.importers.findings import read_findings


@pytest.fixture
def examination(tmp_path):
    """An examination of a model of known origin on two datasets, one of which bears a published name."""

    def write(findings, model="open_clip:ViT-B-32/openai", card=None):
        tables = [
            table_of(mine, model=model, dataset=dataset, probe="zero_shot", protocol="p", version=1)
            for dataset, mine in findings.items()
        ]
        pq.write_table(pa.concat_tables(tables), tmp_path / "findings.parquet")
        about = {"models": {model: {"card": card} if card else {}}, "datasets": {name: {} for name in findings}, "probes": {}}
        (tmp_path / "protocol.json").write_text(json.dumps(about))
        return tmp_path

    return write


def values(imported):
    return {(row["metric"], row["prompts"]): row for row in imported.table.to_pylist()}


def test_accuracy_on_a_dataset_with_a_published_name_is_that_measure(examination):
    folder = examination({"ImageNet_V2": [Finding(metric="top1", value=0.56, n=10_000, slice={"prompts": "openai-80"})]})
    row = values(read_findings(folder))["imagenet-v2", "openai-80"]
    assert (row["value"], row["n"], row["origin"]) == (0.56, 10_000, "findings")
    assert (row["group"], row["source"]) == ("zero-shot CLIP", "WIT-400M")  # read from the name


def test_a_dataset_can_be_said_to_be_a_published_one(examination):
    folder = examination({"photos": [Finding(metric="top1", value=0.6, n=500)]})
    found = read_findings(folder, {"photos": "imagenet"})
    assert ("imagenet", None) in values(found) and found.notices == ()


def test_other_numbers_are_measures_of_their_own(examination):
    folder = examination({"photos": [Finding(metric="ece", value=0.04, n=500, slice={"factor": "pose", "prompts": "one"})]})
    found = read_findings(folder)
    assert ("photos/ece[factor=pose]", "one") in values(found)
    assert "--as photos=imagenet" in str(found.notices[0])


def test_single_classes_and_missing_values_are_no_measures(examination):
    folder = examination(
        {
            "imagenet": [
                Finding(metric="top1", value=None, n=0),
                Finding(metric="class_accuracy", value=0.5, n=10, slice={"class": "cat"}),
            ]
        }
    )
    assert read_findings(folder).table.num_rows == 0


def test_a_number_about_all_models_is_no_measure_of_one(examination):
    """`cause` and `progression` compare the models of an examination, and name none."""
    folder = examination({"photos": [Finding(metric="top1", value=0.5, n=10)]})
    table = pq.read_table(folder / "findings.parquet")
    across = table_of([Finding(metric="slope", value=0.1, n=2)], model="all models", dataset="photos", probe="cause")
    pq.write_table(pa.concat_tables([table, across.cast(table.schema)]), folder / "findings.parquet")
    assert {row["model"] for row in read_findings(folder).table.to_pylist()} == {"open_clip:ViT-B-32/openai"}


def test_the_card_of_the_protocol_goes_before_the_name(examination):
    card = {"architecture": "ResNet", "family": None, "source": "ImageNet-1k", "loss": "cross-entropy"}
    folder = examination({"imagenet": [Finding(metric="top1", value=0.7, n=100)]}, model="onnx:mine", card=card)
    (row,) = values(read_findings(folder)).values()
    assert (row["model"], row["group"], row["architecture"]) == ("onnx:mine", "standard", "ResNet")


def with_datasets(place, **about):
    """The same examination, whose protocol says this of its datasets."""
    path = place / "protocol.json"
    protocol = json.loads(path.read_text())
    path.write_text(json.dumps(protocol | {"datasets": protocol["datasets"] | about}))
    return place


def test_a_set_that_was_read_as_a_published_one_is_known_under_any_name(examination):
    folder = with_datasets(
        examination({"folder": [Finding(metric="top1", value=0.6, n=50_000)]}), folder={"benchmark": "imagenet"}
    )
    assert ("imagenet", None) in values(read_findings(folder))


def test_accuracies_under_shift_are_those_over_the_same_classes(examination):
    """ImageNet-R is set against its 200 classes of ImageNet, which the probe `shift` has asked about."""
    shift = {"shift": "imagenet-r", "prompts": "one"}
    folder = examination(
        {
            "imagenet": [
                Finding(metric="source_accuracy", value=0.88, n=10_000, slice=shift),
                Finding(metric="shifted_accuracy", value=0.7, n=30_000, slice=shift),
                Finding(metric="top1", value=0.65, n=50_000, slice={"prompts": "one"}),
            ],
            "imagenet-r": [Finding(metric="top1", value=0.71, n=30_000, slice={"prompts": "one"})],
        }
    )
    found = {name: row["value"] for (name, _), row in values(read_findings(folder)).items()}
    assert found == {"imagenet-r-classes": 0.88, "imagenet": 0.65, "imagenet-r": 0.71}


def test_a_classifiers_accuracies_come_from_shift_alone(examination):
    shift = {"shift": "imagenet-v2", "answers": "own scores"}
    findings = [
        Finding(metric="source_accuracy", value=0.8, n=50_000, slice=shift),
        Finding(metric="shifted_accuracy", value=0.69, n=10_000, slice=shift),
    ]
    found = values(read_findings(examination({"imagenet": findings, "imagenet-v2": []}, model="timm:resnet50.a1_in1k")))
    assert {name: row["value"] for (name, _), row in found.items()} == {"imagenet": 0.8, "imagenet-v2": 0.69}


def test_objectnets_source_counts_otherwise_than_the_published_one(examination):
    findings = [Finding(metric="source_accuracy", value=0.8, n=6_250, slice={"shift": "objectnet"})]
    found = values(read_findings(examination({"imagenet": findings, "objectnet": []})))
    assert list(found) == [("imagenet/source_accuracy[shift=objectnet]", None)]


def test_of_videos_windows_are_told_apart_and_all_frames_are_no_measure(examination):
    shift = {"shift": "films"}
    findings = [
        Finding(metric="shifted_accuracy", value=value, n=1_109, slice=shift | {"k": k})
        for k, value in ((0, 0.6), (10, 0.4), (5, 0.5))
    ]
    folder = examination({"imagenet": findings, "films": [Finding(metric="top1", value=0.55, n=20_000)]})
    with_datasets(folder, films={"benchmark": "imagenet-vid-robust", "reader": {"kind": "imagenet-vid-robust"}})
    found = {name: row["value"] for (name, _), row in values(read_findings(folder)).items()}
    own = {"imagenet/shifted_accuracy[k=5, shift=films]": 0.5, "films/top1": 0.55}
    assert found == {"imagenet-vid-robust": 0.6, "imagenet-vid-robust-pm10": 0.4} | own


def test_factors_of_imagenet_x_and_recalls_have_published_figures_too(examination):
    folder = examination(
        {
            "val": [
                Finding(metric="overall_accuracy", value=0.6, n=46_110),
                Finding(metric="factor_accuracy", value=0.7, n=15_064, slice={"factor": "pose"}),
            ],
            "dataset_coco": [Finding(metric="text_to_image_r1", value=0.3, n=25_000)],
        }
    )
    with_datasets(folder, val={"benchmark": "imagenet", "reader": {"kind": "imagenet-x", "factors": "top"}})
    assert {name for name, _ in values(read_findings(folder))} == {
        "imagenet-x-average", "imagenet-x-pose", "coco-text-to-image-r1",
    }  # fmt: skip


def test_a_folder_that_happens_to_be_called_val_is_not_imagenet(examination):
    assert ("val/top1", None) in values(read_findings(examination({"val": [Finding(metric="top1", value=0.9, n=200)]})))


@pytest.fixture
def several_probes(tmp_path):
    """An examination in which probes report metrics of the same name."""

    def write(findings):
        tables = [
            table_of([finding], model="m", dataset="photos", probe=probe, protocol="p", version=1) for probe, finding in findings
        ]
        pq.write_table(pa.concat_tables(tables), tmp_path / "findings.parquet")
        (tmp_path / "protocol.json").write_text(json.dumps({"models": {"m": {}}, "datasets": {"photos": {}}, "probes": {}}))
        return {row["metric"]: (row["value"], row["n"]) for row in read_findings(tmp_path).table.to_pylist()}

    return write


def test_a_value_of_the_held_out_half_is_another_measure(several_probes):
    half = {"half": "held-out"}
    found = several_probes(
        [
            ("calibration", Finding(metric="ece", value=0.04, n=1000)),
            ("calibration", Finding(metric="ece", value=0.06, n=466, slice=half)),
        ]
    )
    assert found == {"photos/ece": (0.04, 1000), "photos/ece[half=held-out]": (0.06, 466)}


def test_of_two_values_of_one_name_both_are_kept(several_probes):
    """As in examinations of version 0.1, whose `calibration` reported a part of the pictures only."""
    found = several_probes(
        [
            ("calibration", Finding(metric="ece", value=0.06, n=466)),
            ("prompts", Finding(metric="ece", value=0.04, n=1000)),
        ]
    )
    assert found == {"photos/ece[probe=calibration]": (0.06, 466), "photos/ece[probe=prompts]": (0.04, 1000)}


def test_one_value_of_two_probes_is_kept_once(several_probes):
    found = several_probes(
        [
            ("calibration", Finding(metric="ece", value=0.0524396188, n=90)),
            ("prompts", Finding(metric="ece", value=0.0524396178, n=90)),
        ]
    )
    assert list(found) == ["photos/ece"]


def test_differences_against_several_baselines_are_told_apart(several_probes):
    found = several_probes(
        [
            ("margin", Finding(metric="rank_gain", value=value, n=18, slice={"labels": "true"}, baseline=baseline))
            for value, baseline in ((0.1, "entropy"), (0.2, "confidence"))
        ]
    )
    assert {name: value for name, (value, _) in found.items()} == {
        "photos/rank_gain[labels=true, against=entropy]": 0.1,
        "photos/rank_gain[labels=true, against=confidence]": 0.2,
    }


def test_a_classifier_and_a_clip_model_share_the_name_of_a_measure(examination, tmp_path):
    found = {}
    for kind, where in (("clip", {"prompts": "one"}), ("classifier", {"answers": "class scores"})):
        findings = [Finding(metric=name, value=0.1, n=500, slice=where) for name in ("ece", "ood_auroc", "ood_fpr95")]
        found[kind] = {name for name, _ in values(read_findings(examination({"photos": findings}, model=kind)))}
    assert found["clip"] == found["classifier"] == {"photos/ece", "photos/ood_auroc", "photos/ood_fpr95"}


def test_two_ways_of_predicting_of_one_model_are_both_kept(several_probes):
    found = several_probes(
        [
            ("answers", Finding(metric="top1", value=0.6, n=500)),
            ("answers", Finding(metric="top1", value=0.5, n=500, slice={"answers": "class scores"})),
        ]
    )
    assert found == {"photos/top1": (0.6, 500), "photos/top1[answers=class scores]": (0.5, 500)}


def with_settings(place, probe, **settings):
    """The same examination, all of it by one probe with these settings."""
    table = pq.read_table(place / "findings.parquet")
    column = table.schema.get_field_index("probe")
    field = table.schema.field(column)
    table = table.set_column(column, field, pa.array([probe] * table.num_rows, pa.string()).cast(field.type))
    pq.write_table(table, place / "findings.parquet")
    path = place / "protocol.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"protocols": {"p": {"probe": probe, "settings": settings}}}))
    return place


@pytest.mark.parametrize(("shared", "measure"), [("own", "coco-text-to-image-r1"), ("any", "dataset_coco/text_to_image_r1")])
def test_recall_is_a_published_measure_only_where_captions_belong_to_their_own_picture(examination, shared, measure):
    folder = examination({"dataset_coco": [Finding(metric="text_to_image_r1", value=0.3, n=25_000)]})
    found = read_findings(with_settings(folder, "retrieval", shared=shared))
    assert [name for name, _ in values(found)] == [measure]
    assert any("--set retrieval.shared=own" in str(notice) for notice in found.notices) == (shared == "any")


@pytest.mark.parametrize(("counts", "published"), [("label", True), ("metaclass", False), ("real", False)])
def test_factors_are_published_measures_only_where_the_label_counts(examination, counts, published):
    folder = examination({"val": [Finding(metric="factor_accuracy", value=0.7, n=15_064, slice={"factor": "pose"})]})
    with_datasets(folder, val={"benchmark": "imagenet", "reader": {"kind": "imagenet-x", "factors": "top"}})
    found = read_findings(with_settings(folder, "factors", counts=counts))
    assert (("imagenet-x-pose", None) in values(found)) == published
    assert any("factors ran with counts" in str(notice) for notice in found.notices) != published
