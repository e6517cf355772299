"""The verdict in the terminal: short enough for a screen, with a reason for every mark that is not good."""

import re
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.found import run_of, table_of

import eyechart
from eyechart.findings import skip
from eyechart.findings.finding import Finding
from eyechart.findings.skip import Skip
from eyechart.models.abilities import LACKING
from eyechart.report.evidence_links import EvidenceLinks
from eyechart.report.html.builder import render
from eyechart.report.sections.exclusions import exclusions_of
from eyechart.report.sections.first_screen import first_screen
from eyechart.report.sections.head import title_block
from eyechart.report.tabs import tabs_of_probes
from eyechart.report.terminal import LEGEND, MARKS, label_check, not_tested_by_any, one_model, several_models
from eyechart.report.view import View, views_of
from eyechart.verdict.not_tested import commands_for
from eyechart.verdict.verdict import verdict_of


def share(metric, value, low, high, n=120, **where):
    return Finding(metric=metric, value=value, n=n, low=low, high=high, slice=where)


@pytest.fixture
def useless():
    """A model that is not above chance, as it was seen on photographs of clothing."""
    classes = [share("class_accuracy", v / 10, 0.0, 0.6, 12, **{"class": f"class {v}"}) for v in range(4)]
    zero_shot = [
        share("top1", 0.142, 0.075, 0.208),
        share("chance", 0.1, None, None),
        share("majority", 0.1, None, None),
        share("mean_per_class", 0.142, 0.091, 0.2),
        *classes,
    ]
    return run_of(
        table_of(zero_shot),
        table_of([share("relative_accuracy", 0.812, 0.596, 1.108, 400)], probe="corruption"),
        table_of([share("ood_fpr95", 0.992, 0.954, 1.0, 240, ood="generated pictures (easy, far OOD)")], probe="ood"),
        table_of([share("confidence_auroc", 0.464, 0.322, 0.613)], probe="calibration"),
        table_of([share("drop_above_chance", 0.065, -0.036, 0.161)], probe="class_count"),
    )


def test_a_useless_model_fits_on_a_screen_with_four_lines_of_notes_and_the_page(useless):
    lines = one_model(useless, verdict_of(useless, "m"))
    assert {"✗ accuracy", "✗ out-of-distribution"} <= {line[:21].strip() for line in lines}
    assert len(lines) <= 21 and max(map(len, lines)) <= 100


def test_lines_that_go_on_and_commands_begin_below_the_text(useless):
    """Mark and area take 22 columns; whatever continues them begins there, so that areas can be read down the margin."""
    lines = one_model(useless, verdict_of(useless, "m"))
    body = lines[lines.index("") + 1 : -1]  # the last line is about the targets
    begun = [line for line in body if line[:2].strip() in MARKS.values()]
    assert len(begun) == 7 and all(line[21] == " " and line[22] != " " for line in begun)
    rest = [line for line in body if line not in begun]
    assert any(line.strip().startswith("eyechart examine") for line in rest) and len(rest) > 3
    assert all(line.startswith(" " * 22) and line[22] != " " for line in rest)


def test_what_several_areas_have_too_few_of_is_said_once():
    """Top-1 accuracy and the drop rest on 12 pictures."""
    run = run_of(
        table_of([share("top1", 1.0, 0.76, 1.0, 12), share("chance", 0.1, None, None), share("majority", 0.1, None, None)]),
        table_of([share("worst_accuracy_drop", 0.0, -0.2, 0.2, 12)], probe="shift"),
    )
    run = replace(run, findings=run.findings.set_column(1, "dataset", pa.array(["v. 2"] * run.findings.num_rows)))
    lines = one_model(run, verdict_of(run, "m"))
    assert lines[2:4] == ["Fewer than 30 pictures decide nothing.", ""]
    text = " ".join(" ".join(lines).split())
    assert text.count("decide nothing") == 1 and text.count("would decide it at 80% power") == 2


def test_what_one_area_has_too_few_of_is_said_beside_it():
    run = run_of(
        table_of([share("top1", 1.0, 0.76, 1.0, 12), share("chance", 0.1, None, None), share("majority", 0.1, None, None)]),
    )
    lines = one_model(run, verdict_of(run, "m"))
    assert lines[2] == "" and "Fewer than 30 pictures decide nothing. n ≈ 30" in " ".join(" ".join(lines).split())


def test_a_long_decision_is_wrapped(useless):
    """Six areas that are open, over a dozen pictures."""
    few = pa.array([12] * useless.findings.num_rows, pa.int64())
    run = replace(useless, findings=useless.findings.set_column(useless.findings.schema.get_field_index("n"), "n", few))
    lines = one_model(run, verdict_of(run, "m"))
    assert lines[1].startswith("Inconclusive in 6 of 6") and max(map(len, lines)) <= 100


def test_every_area_that_is_bad_or_inconclusive_says_why(useless):
    text = " ".join(" ".join(one_model(useless, verdict_of(useless, "m"))).split())
    accuracy, rest = text.split("? robustness")
    assert "Top-1 accuracy is not above chance at 95% confidence." in accuracy
    assert "Not judged: accuracy is not above its baselines." in rest.split("✗")[0]
    assert "81.2%" not in text  # it means nothing


def test_a_model_that_is_not_above_chance_is_told_first(useless):
    lines = one_model(useless, verdict_of(useless, "m"))
    assert lines[1] == "Accuracy is not above chance: top-1 14.2% (7.5 to 20.8%), chance 10.0%."
    assert lines[2].startswith("Bad in 4 of 6 tested areas: accuracy, worst classes")
    assert verdict_of(useless, "m").decision == f"{lines[1]} {lines[2]}"


def test_the_page_shows_no_large_number_that_is_not_judged(useless):
    verdict = verdict_of(useless, "m", "d")
    made = render(
        first_screen(
            useless, View("m0", "m", "d", "d", verdict, None), None, [], {}, {}, EvidenceLinks(useless, tabs_of_probes(useless))
        )
    )
    tile = next(part for part in made.split("<article") if ">Robustness<" in part)
    assert "not judged" in tile and "inconclusive" not in tile
    assert "tile-number" not in tile and "Accuracy is not above its baselines." in tile
    assert made.count("<article") == 6


@pytest.mark.parametrize(
    ("targets", "said"),
    [({}, "  Targets are defaults; set"), ({"top1": 0.9}, "  The other targets are defaults; set")],
)
def test_targets_of_the_user_are_not_called_defaults(useless, targets, said):
    assert one_model(useless, verdict_of(useless, "m", targets=targets))[-1].startswith(said)


def test_a_probe_that_was_skipped_is_not_suggested_again(useless):
    tried = replace(useless, skips=skip.to_table([Skip("m", "d", "calibration", "too few pictures")]))
    (untried,), (other,) = (commands_for(run, "m", "d", ["calibration"]) for run in (useless, tried))
    assert untried.endswith("--data d --probes calibration")
    assert "--probes" not in other and "30 labeled pictures or more" in other


@pytest.mark.parametrize("reason", LACKING.values())
def test_no_command_is_shown_where_the_model_is_the_reason(useless, reason):
    lacking, other = (
        replace(useless, skips=skip.to_table([Skip("m", "d", "skew", why)]))
        for why in (reason, "no attribute column (attr.NAME) defines groups of pictures")
    )
    assert commands_for(lacking, "m", "d", ["groups"]) == []
    (ruling,) = [r for r in verdict_of(lacking, "m").not_tested if r.area == "groups"]
    assert ruling.remedy == "" and reason in ruling.sentence
    assert commands_for(other, "m", "d", ["groups"])[0].endswith("# with a group column")


def test_pictures_with_classes_that_were_not_classified_are_to_be_classified(useless):
    """After a retrieval run on labeled pictures no other data are needed."""
    facts = {**useless.protocol, "datasets": {"d": {"role": "exam", "source": "d", "classes": 2}}}
    classified = replace(useless, protocol=facts)
    retrieval = replace(classified, findings=useless.findings.slice(0, 0))
    areas = ["accuracy", "robustness", "out-of-distribution", "calibration"]
    assert commands_for(retrieval, "m", "d", areas) == ["eyechart examine --model m --data d --profile classify"]
    probes = ("zero_shot", "corruption", "shift", "ood", "calibration")
    tried = replace(
        retrieval, skips=skip.to_table([Skip("m", "d", probe, "no readable picture has a label") for probe in probes])
    )
    for run in (tried, classified):
        assert not any("--profile classify" in command for command in commands_for(run, "m", "d", areas))


def test_probes_that_were_left_out_are_asked_for_by_their_profile(useless):
    """`--probes zero_shot` leaves the others out; `--probes calibration` would leave out zero_shot."""
    facts = {**useless.protocol, "datasets": {"d": {"role": "exam", "source": "d", "classes": 2, "labelled": True}}}
    alone = replace(useless, protocol=facts, findings=useless.findings.filter(pc.equal(useless.findings["probe"], "zero_shot")))
    areas = ["robustness", "out-of-distribution", "calibration"]
    assert commands_for(alone, "m", "d", areas) == ["eyechart examine --model m --data d --profile classify"]
    facts["datasets"]["d"]["labelled"] = False
    assert commands_for(alone, "m", "d", areas) == ["eyechart examine --model m --data FOLDER  # one subfolder for each class"]


def test_a_command_opens_the_data_as_they_were_opened(useless):
    """Without its columns and class names, a table could not be read again. Paths are those that the user gave."""
    opened = {"classes": "/home/me/names.txt", "split": None, "root": "my pictures", "limit": 50, "columns": {"label": "my kind"}}
    facts = {"role": "exam", "source": "/home/me/my data/t.csv", "classes": 2, "labelled": True, "opened_with": opened}
    alone = useless.findings.filter(pc.equal(useless.findings["probe"], "zero_shot"))
    run = replace(
        useless,
        protocol={**useless.protocol, "datasets": {"d": facts}, "models": {"m": {"spec": "onnx:my model"}}},
        findings=alone,
    )
    assert commands_for(run, "m", "d", ["calibration"]) == [
        "eyechart examine --model 'onnx:my model' --data '/home/me/my data/t.csv' --classes /home/me/names.txt "
        "--root 'my pictures' --column 'label=my kind' --limit 50 --profile classify"
    ]


def test_one_class_is_not_sent_to_shifted_or_out_of_distribution_pictures(useless):
    facts = {**useless.protocol, "datasets": {"d": {"role": "exam", "source": "d", "classes": 1}}}
    (command,) = commands_for(replace(useless, protocol=facts), "m", "d", ["robustness", "out-of-distribution"])
    assert command.endswith("# two classes or more, 30 labeled pictures or more")
    facts["datasets"]["d"]["classes"] = 2
    (command,) = commands_for(replace(useless, protocol=facts), "m", "d", ["robustness", "out-of-distribution"])
    assert command.endswith("--shift FOLDER --ood FOLDER")
    facts["datasets"]["d"]["reader"] = {"kind": "world"}
    commands = commands_for(replace(useless, protocol=facts), "m", "d", ["robustness", "out-of-distribution"])
    assert [command.split("--data ")[1] for command in commands] == ["world-shifts", "world-ood"]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (
            "the probe needs 10 in-distribution pictures, and there are 3",
            "FOLDER  # two classes or more, 30 labeled pictures or more",
        ),
        ("the probe needs 10 out-of-distribution pictures, and there are 4", "d --ood FOLDER  # 30 pictures or more"),
        ('there are no out-of-distribution pictures; give some with --ood, or in a plan with role = "ood"', "d --ood FOLDER"),
    ],
)
def test_too_few_pictures_for_ood_are_not_sent_to_a_command_that_changes_nothing(useless, reason, expected):
    skips = skip.to_table([Skip("m", "d", "ood", reason)])
    facts = {**useless.protocol, "datasets": {"d": {"role": "exam", "source": "d", "classes": 2, "labelled": True}}}
    (command,) = commands_for(replace(useless, protocol=facts, skips=skips), "m", "d", ["out-of-distribution"])
    assert command == f"eyechart examine --model m --data {expected}"


OF_A_FILE = "it is a file of predictions, and the probe needs more than answers"


def test_what_a_shifted_set_lacks_does_not_hide_what_the_model_lacks(useless):
    """A file of predictions cannot be asked for calibration or OOD scores; no command would test them."""
    skips = [
        Skip("m", "d", "ood", OF_A_FILE),
        Skip("m", "d", "calibration", OF_A_FILE),
        Skip("m", "night", "ood", "not examined"),
    ]
    facts = {"d": {"role": "exam", "source": "d", "classes": 2, "labelled": True}, "night": {"role": "shift", "of": "d"}}
    run = replace(useless, protocol={**useless.protocol, "datasets": facts}, skips=skip.to_table(skips))
    assert commands_for(run, "m", None, ["out-of-distribution", "calibration"]) == []


def test_a_file_of_predictions_needs_rows_for_shifted_pictures(useless):
    facts = {
        "datasets": {"d": {"role": "exam", "source": "d", "classes": 2, "labelled": True}},
        "models": {"m": {"spec": "predictions:answers.csv", "card": {"backend": "predictions"}}},
    }
    (command,) = commands_for(replace(useless, protocol={**useless.protocol, **facts}), "m", "d", ["robustness"])
    assert command == (
        "eyechart examine --model predictions:answers.csv --data d --shift FOLDER"
        "  # with rows for its pictures in the file of predictions"
    )


def test_a_note_on_one_flag_comes_after_all_flags(useless):
    """What follows `#` is not read by a shell."""
    skips = skip.to_table([Skip("m", "d", "ood", "the probe needs 10 out-of-distribution pictures, and there are 4")])
    facts = {**useless.protocol, "datasets": {"d": {"role": "exam", "source": "d", "classes": 2, "labelled": True}}}
    run = replace(useless, protocol=facts, skips=skips)
    (command,) = commands_for(run, "m", "d", ["out-of-distribution", "calibration"])
    assert command == "eyechart examine --model m --data d --ood FOLDER --probes calibration  # 30 pictures or more"


def test_pictures_without_labels_need_labels_first(useless):
    """Shifted pictures cannot be judged without labels either."""
    reason = "the dataset has no labels; a table names them with --column label=COLUMN, a folder has one subfolder per class"
    skips = [Skip("m", "d", probe, reason) for probe in ("zero_shot", "corruption", "shift", "calibration")]
    unlabeled = replace(useless, findings=useless.findings.slice(0, 0), skips=skip.to_table(skips))
    areas = ["accuracy", "robustness", "calibration"]
    assert commands_for(unlabeled, "m", "d", areas) == [
        "eyechart examine --model m --data FOLDER  # one subfolder for each class"
    ]


def test_the_label_check_names_datasets_where_there_are_several():
    errors = {name: table_of([share("suspected_label_errors", value, None, None, n)], probe="lint", dataset=name)
              for name, value, n in (("one", 0.1, 40), ("two", 0.25, 20))}  # fmt: skip
    assert label_check(run_of(errors["one"]), "m").endswith(": 4 of 40")
    assert label_check(run_of(*errors.values()), "m").endswith(": 4 of 40 (one), 5 of 20 (two)")


def test_labels_that_were_not_checked_are_not_taken_for_good_ones():
    """A model that does not separate the classes reports names alone."""
    names = {
        name: table_of([Finding(metric="name_issues", value=1.0, n=10)], probe="lint", dataset=name) for name in ("one", "two")
    }
    assert label_check(run_of(names["one"]), "m") == "labels not checked; class names that look wrong: 1 of 10"
    checked = table_of([share("suspected_label_errors", 0.0, 0.0, 0.1, 40)], probe="lint", dataset="one")
    assert label_check(run_of(names["one"], checked), "m") == "class names that look wrong: 1 of 10"
    assert label_check(run_of(*names.values(), checked), "m").startswith("labels not checked (two); ")


def test_the_other_bad_findings_of_an_area_are_named(useless):
    calibration = [share("confidence_auroc", 0.464, 0.322, 0.613), share("overconfidence", 0.484, 0.416, 0.55)]
    run = run_of(
        useless.findings.filter(pc.not_equal(useless.findings["probe"], "calibration")),
        table_of(calibration, probe="calibration"),
    )
    text = " ".join(" ".join(one_model(run, verdict_of(run, "m"))).split())
    assert text.count("Also bad: ") == 1
    shown = text.split("✗ calibration")[1].split("✗")[0]
    assert "46.4%" in shown and "48.4 points" in shown
    own = verdict_of(run, "m", targets={"overconfidence": 0.1, "confidence_auroc": 0.9})
    assert "Also bad" not in " ".join(one_model(run, own)), "both have lines of their own"


def test_several_models_say_what_is_not_judged(useless):
    _, rows = several_models(useless, [verdict_of(useless, "m")])
    cells = dict(rows)
    assert cells["robustness"] == "not judged" and cells["accuracy"] == "✗ 14.2%"
    assert all(f"{mark} {outcome}" in LEGEND for outcome, mark in MARKS.items()) and "not judged: " in LEGEND


def test_several_models_say_how_to_test_what_was_tested_for_none(useless):
    """Both lack groups. Only one lacks calibration, so that its column says enough."""
    other = table_of([share("top1", 0.9, 0.85, 0.93), share("chance", 0.1, None, None)], model="n")
    run = run_of(useless.findings, other)
    lines = not_tested_by_any(run, [verdict_of(run, "m"), verdict_of(run, "n")])
    assert lines == ["– not tested          groups", f"{'':22}eyechart examine --model m --data TABLE.csv  # with a group column"]
    # The first model cannot be tested, the second can.
    lacking = replace(run, skips=skip.to_table([Skip("m", "d", "skew", "it has no text encoder")]))
    assert "--model n --data TABLE.csv" in not_tested_by_any(lacking, [verdict_of(lacking, "m"), verdict_of(lacking, "n")])[1]


def test_the_prompt_set_that_is_judged_is_named_where_there_are_several():
    one = [share("top1", 0.5, 0.4, 0.6, prompts="bare")]
    two = [*one, share("top1", 0.7, 0.6, 0.8, prompts="openai-7")]
    titles = [str(one_model(run, verdict_of(run, "m"))[0]) for run in (run_of(table_of(one)), run_of(table_of(two)))]
    assert "prompt" not in titles[0]
    assert titles[1].endswith(", with prompt set bare (1 of 2; --verbose shows all), 1 probe")


def test_probes_are_counted_as_on_the_page(useless):
    """Five have findings, two were skipped; a skip of another model does not count."""
    skips = [Skip("m", "d", "retrieval", "no captions"), Skip("m", "d", "skew", "no groups"), Skip("other", "d", "shift", "none")]
    run = replace(useless, skips=skip.to_table(skips), protocol={**useless.protocol, "models": {"m": {}, "other": {}}})
    assert one_model(run, verdict_of(run, "m", "d"))[0].endswith(", 5 probes (2 skipped)")
    view = next(v for v in views_of(run) if v.model == "m")
    head = re.sub("<[^>]*>", "", str(title_block(run, view, exclusions_of(run))))
    assert "5 probes · 2 probes skipped" in head
    assert one_model(useless, verdict_of(useless, "m"))[0].endswith(", 5 probes")


def test_pictures_that_could_not_be_read_are_counted(photos, tmp_path, store):
    (photos / next(photos.iterdir()).name / "broken.png").write_bytes(b"not a picture")
    exam = eyechart.examine("demo:", photos, probes=["zero_shot"], prompts="single", out=tmp_path / "out", store=store)
    total = sum(1 for path in photos.rglob("*") if path.is_file())
    counted, classes = f"{total - 1} of {total} pictures", len(list(photos.iterdir()))
    assert str(exam).splitlines()[0] == f"demo on photos: {counted} of {classes} classes (the others were set aside), 1 probe"
    assert f"n = {counted}" in (tmp_path / "out" / "report" / "index.html").read_text(encoding="utf-8")


def test_every_target_of_the_user_has_a_line(useless):
    targets = {"mean_per_class": 0.1, "top1": 0.6}
    lines = one_model(useless, verdict_of(useless, "m", targets=targets))
    place = next(i for i, line in enumerate(lines) if line.startswith("✗ accuracy"))
    (second,) = [line for line in lines if "mean per-class accuracy 14.2%" in line]
    assert lines.index(second) > place
    assert second.startswith("?" + " " * 21 + "mean per-class accuracy 14.2% (9.1 to 20.0%)")
    assert not any("mean per-class accuracy" in line for line in one_model(useless, verdict_of(useless, "m")))
