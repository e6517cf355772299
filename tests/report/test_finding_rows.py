"""A number on the page names its rows: the predictions that it leads to give the number back."""

import json

import pytest
from PIL import Image

import eyechart
from eyechart.cli.main import main
from eyechart.findings.run import read_run
from eyechart.metrics.ranking.ood_scores import SCORES
from eyechart.report.finding_rows import address, counted_rows
from eyechart.report.galleries import galleries_of
from eyechart.report.missed_queries import missed_queries_of

# Shares of the rows of their slice. Means of shares and differences lead to pictures too, but are no single share.
SHARES = {
    ("zero_shot", "top1"), ("zero_shot", "class_accuracy"), ("zero_shot", "confusion"), ("zero_shot", "worst_class"),
    ("skew", "group_accuracy"), ("skew", "worst_group_accuracy"), ("factors", "factor_accuracy"), ("factors", "overall_accuracy"),
    ("factors", "conjunction_accuracy"), ("corruption", "corrupted_error_rate"), ("shift", "shifted_accuracy"),
    ("class_groups", "rate"), ("class_groups", "harm_rate"),
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory, drawn):
    """Examinations of attributes, factors, people, corrupted pictures in the set and beside it, and a shifted set."""
    folder, store = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("store")
    plans = {
        "factors": {
            "data": "world-factors",
            "probes": ["zero_shot", "factors", "skew"],
            "limit": 480,
            "settings": {"factors": {"least": 5}},
        },
        "people": {"data": "world-people", "probes": ["class_groups"], "limit": 200},
        "within": {"data": "world-shifts", "probes": ["zero_shot", "shift", "corruption"], "limit": 200},
        "made": {"data": str(drawn), "probes": ["zero_shot", "corruption", "ood"], "corruptions": "noise:3, fog:1"},
    }
    return {
        name: read_run(eyechart.examine(model="demo:", prompts=["single", "bare"], out=folder / name, store=store, **plan).folder)
        for name, plan in plans.items()
    }


def rows_of(counted):
    """The rows that the page shows, without the choice of errors alone; read from the table, not by the page's own filter."""
    wanted = [
        (key, counted.filters[name])
        for name, key in (("true", "class"), ("predicted", "predicted_class"))
        if name in counted.filters
    ]
    return [
        row
        for row in counted.gallery.table.to_pylist()
        if set(counted.where) <= set(row["attributes"]) and all(row[key] == value for key, value in wanted)
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("factors", {"class_accuracy", "group_accuracy", "worst_group_accuracy", "factor_accuracy", "conjunction_accuracy"}),
        ("people", {"rate", "harm_rate"}),
        ("within", {"shifted_accuracy", "corrupted_error_rate"}),
        ("made", {"corrupted_error_rate"}),
    ],
)
def test_the_rows_of_every_share_give_the_share(runs, name, expected):
    run = runs[name]
    galleries, seen = galleries_of(run), set()
    for finding in run.findings.to_pylist():
        if (finding["probe"], finding["metric"]) not in SHARES:
            continue
        counted = counted_rows(run, galleries, finding)
        assert counted is not None, finding
        prompts = json.loads(finding["slice"])["prompts"]
        assert counted.gallery.group.prompts == prompts
        assert ("gallery=" in address(run, counted)) or prompts == "single"
        rows = rows_of(counted)
        wrong = sum(row["rank"] is not None and row["rank"] > 1 for row in rows)
        if run.metric(finding["probe"], finding["metric"]).rows != "wrong":
            share = len(rows) / finding["n"]
        else:
            assert len(rows) == finding["n"]
            share = wrong / len(rows) if "error_rate" in finding["metric"] else 1 - wrong / len(rows)
        assert finding["value"] == pytest.approx(share, abs=1e-12), finding
        seen.add((finding["metric"], prompts))
    # `skew` reports the leading prompt set only.
    assert {(m, p) for m in expected for p in ("single", "bare") if p == "single" or "group_accuracy" not in m} <= seen


def test_the_address_of_a_group_names_the_attribute_and_the_errors(runs):
    run = runs["factors"]
    finding = next(f for f in run.findings.to_pylist() if f["metric"] == "group_accuracy" and '"color"' in f["slice"])
    where = json.loads(finding["slice"])
    assert address(run, counted_rows(run, galleries_of(run), finding)) == f"m0/pictures?show=wrong&where=color%3D{where['group']}"


def test_a_factor_and_an_attribute_of_one_name_are_told_apart(runs):
    run = runs["factors"]
    galleries = galleries_of(run)
    factor = next(f for f in run.findings.to_pylist() if f["metric"] == "factor_accuracy" and '"color"' in f["slice"])
    assert counted_rows(run, galleries, factor).where == ("factor.color=true",)


def test_corrupted_copies_and_designs_have_galleries_of_their_own(runs):
    made = runs["made"]
    finding = next(f for f in made.findings.to_pylist() if f["metric"] == "corrupted_error_rate")
    counted = counted_rows(made, galleries_of(made), finding)
    assert counted.gallery.group.role == "shift" and f"gallery={counted.gallery.key}" in address(made, counted)
    people = runs["people"]
    harm = next(f for f in people.findings.to_pylist() if f["metric"] == "harm_rate")
    counted = counted_rows(people, galleries_of(people), harm)
    assert (counted.gallery.group.design, counted.where) == ("world-people", ("harmful=true",))


def test_the_rows_of_top5_are_those_with_the_true_class_further_down(runs):
    run = runs["factors"]
    finding = next(f for f in run.findings.to_pylist() if f["metric"] == "top5" and '"single"' in f["slice"])
    counted = counted_rows(run, galleries_of(run), finding)
    assert counted.filters == {"show": "below-5"}
    missed = sum(row["rank"] > 5 for row in counted.gallery.table.to_pylist())
    assert finding["value"] == pytest.approx(1 - missed / finding["n"], abs=1e-12) and missed


def test_the_rows_of_fpr95_are_the_pictures_that_its_score_accepts(runs):
    run = runs["made"]
    galleries, kinds, marks = galleries_of(run), set(), set()
    for finding in run.findings.to_pylist():
        if finding["metric"] not in ("ood_fpr95", "fpr95"):
            continue
        where, counted = json.loads(finding["slice"]), counted_rows(run, galleries, finding)
        if where.get("convention") == "openood":
            assert counted is None  # it counts in-distribution pictures
            continue
        if where.get("convention") == "mcm" and counted is None:  # its threshold may lie elsewhere
            continue
        score, prompts = where.get("score", "mcm"), where.get("prompts", "single")
        assert counted.where[0] == f"accepted.{score}=true" and counted.gallery.group.prompts == prompts
        marks.add((score, where.get("prompts")))
        rows = rows_of(counted)
        of_kind = [
            row
            for row in counted.gallery.table.to_pylist()
            if "class" not in where or f"kind={where['class']}" in row["attributes"]
        ]
        assert counted.gallery.group.role == "ood" and finding["value"] == pytest.approx(len(rows) / len(of_kind), abs=1e-12)
        kinds.add(where.get("class"))
    assert len(kinds) > 2  # the headline, and those of single kinds
    assert marks >= {(score, prompts) for score in SCORES for prompts in ("single", "bare")}


@pytest.fixture(scope="module")
def several_sets(tmp_path_factory, drawn):
    """Out-of-distribution pictures of three kinds inside the examined table, and in two folders with the same ids."""
    folder = tmp_path_factory.mktemp("sets")
    for place, color in (("gray", "gray"), ("red", "red")):
        (folder / place).mkdir()
        for number in range(12):
            Image.new("RGB", (32 + number, 32), color).save(folder / place / f"{number}.png")
    exam = eyechart.examine(
        model="demo:",
        data="world-ood",
        ood=[str(folder / "gray"), str(folder / "red")],
        probes=["zero_shot", "ood"],
        prompts=["single"],
        limit=200,
        out=folder / "out",
        store=folder / "store",
    )
    return read_run(exam.folder)


def test_fpr95_over_all_sets_and_over_one_kind_of_the_table_have_rows(several_sets):
    run, seen = several_sets, {}
    galleries = galleries_of(run)
    for finding in run.findings.to_pylist():
        where = json.loads(finding["slice"])
        if finding["metric"] not in ("ood_fpr95", "fpr95"):
            continue
        score = where.get("score", "mcm")
        if finding["metric"] == "fpr95" and where["convention"] != "id-quantile":
            continue
        counted = counted_rows(run, galleries, finding)
        assert counted is not None, where
        accepted = rows_of(counted)
        marks = {f"accepted.{score}=true", f"accepted.{score}=false"}
        of_slice = {text for text in counted.where if not text.startswith("accepted.")}
        among = [
            row
            for row in counted.gallery.table.to_pylist()
            if marks & set(row["attributes"]) and of_slice <= set(row["attributes"])
        ]
        assert finding["value"] == pytest.approx(len(accepted) / len(among), abs=1e-12), where
        if "class" not in where and score in ("mcm", "energy", "mahalanobis"):
            seen.setdefault(score, {})[where.get("ood")] = (counted.gallery.title, len(among))
    rows = run.predictions.to_pylist()
    inside = {
        kind: sum(f"kind={kind}" in row["attributes"] for row in rows)
        for kind in ("held-out shape", "empty", "texture")
        if any(f"kind={kind}" in row["attributes"] for row in rows)
    }
    expected = {
        None: ("all out-of-distribution sets", 24 + sum(inside.values())),
        "gray": ("gray", 12),
        "red": ("red", 12),
        **{kind: ("world-ood", n) for kind, n in inside.items()},
    }
    assert seen == dict.fromkeys(("mcm", "energy", "mahalanobis"), expected)
    assert len(inside) > 1


def test_the_gallery_of_all_sets_keeps_pictures_of_one_id_apart(several_sets):
    gallery = next(g for g in galleries_of(several_sets).values() if g.joins_sets)
    ids = gallery.table["id"].to_pylist()
    assert len(set(ids)) == len(ids) and {"gray/0.png", "red/0.png"} <= set(ids)
    sets = {row["id"]: row["attributes"] for row in gallery.table.to_pylist()}
    assert "ood=gray" in sets["gray/0.png"] and "ood=red" in sets["red/0.png"]


@pytest.fixture(scope="module")
def retrieved(tmp_path_factory):
    """A model that confuses scenes: many queries are missed, at 5 too."""
    folder = tmp_path_factory.mktemp("retrieved")
    plan = {"data": "world-retrieval", "probes": ["retrieval"], "limit": 150}
    return read_run(eyechart.examine(model="zoo:pairs-3k", out=folder / "out", store=folder / "store", **plan).folder)


def test_the_rows_of_recall_are_the_queries_that_are_missed(retrieved):
    missed, seen = missed_queries_of(retrieved), set()
    for finding in retrieved.findings.to_pylist():
        if retrieved.metric(finding["probe"], finding["metric"]).rows != "missed" or finding["value"] == 1:
            continue
        counted = counted_rows(retrieved, {}, finding, missed)
        k = int(finding["metric"].rpartition("_r")[2])
        rows = [r for r in counted.gallery.table.to_pylist() if r["rank"] > k and set(counted.where) <= set(r["attributes"])]
        assert finding["value"] == pytest.approx(1 - len(rows) / finding["n"], abs=1e-12), finding
        assert counted.filters == ({"show": f"below-{k}"} if k > 1 else {})
        seen.add((finding["metric"], bool(json.loads(finding["slice"]))))
    assert len(seen) == 2 * 3 * 2  # both directions, three values of k, all queries and parts of the dataset
    first = next(f for f in retrieved.findings.to_pylist() if f["metric"] == "text_to_image_r1" and f["slice"] == "{}")
    assert counted_rows(retrieved, {}, {**first, "n": first["n"] + 1}, missed) is None


@pytest.fixture(scope="module")
def preferred(tmp_path_factory):
    """A model that often prefers a false caption: foils of several kinds, and trials with one object replaced."""
    folder = tmp_path_factory.mktemp("preferred")
    plans = {"world-foils": ["composition"], "world-scenes": ["matching"]}
    made = []
    for data, probes in plans.items():
        exam = eyechart.examine("zoo:pairs-3k", data, probes=probes, limit=120, out=folder / data, store=folder / "store")
        made.append(read_run(exam.folder))
    return made


def test_the_rows_of_caption_accuracies_are_the_trials_with_a_false_caption_preferred(preferred):
    seen = set()
    for run in preferred:
        missed = missed_queries_of(run)
        for finding in run.findings.to_pylist():
            if run.metric(finding["probe"], finding["metric"]).rows != "missed" or finding["value"] == 1:
                continue
            counted = counted_rows(run, {}, finding, missed)
            rows = [r for r in counted.gallery.table.to_pylist() if set(counted.where) <= set(r["attributes"])]
            assert finding["value"] == pytest.approx(1 - len(rows) / finding["n"], abs=1e-12), finding
            assert counted.filters == {} and all(r["caption"] != r["first_caption"] for r in rows)
            seen.add((finding["metric"], *json.loads(finding["slice"])))
    assert {("caption_accuracy",), ("caption_accuracy", "kind"), ("trial_accuracy", "trial")} <= seen
    assert {("scenario_1",), ("scenario_2",)} <= seen


def test_a_number_over_other_pictures_has_no_rows(runs):
    """A held-out half has fewer pictures than the rows that the page would show."""
    run = runs["factors"]
    finding = next(f for f in run.findings.to_pylist() if f["metric"] == "factor_accuracy" and '"bare"' not in f["slice"])
    assert counted_rows(run, galleries_of(run), {**finding, "n": finding["n"] - 1}) is None
    assert counted_rows(run, galleries_of(run), {**finding, "slice": '{"half": "held-out", "prompts": "single"}'}) is None


def test_a_shifted_set_with_fewer_classes_is_shown_as_it_was_compared(tmp_path, drawn, shared_store):
    """`shift` chooses among the shared classes, `zero_shot` among those of the shifted set: the rows are those of `shift`."""
    shifted = tmp_path / "shifted"
    for name in ("cone", "star"):
        (shifted / name).mkdir(parents=True)
        for picture in sorted((drawn / name).iterdir()):
            image = Image.open(picture).convert("L")
            image.save(shifted / name / picture.name)
    (shifted / "teapot").mkdir()
    image.save(shifted / "teapot" / "one.png")
    words = ["examine", "--model", "demo:", "--data", str(drawn), "--shift", str(shifted), "--probes", "zero_shot,shift"]
    out = ["--prompts", "single", "--out", str(tmp_path / "out"), "--store", str(shared_store), "--quiet"]
    assert main([*words, *out]) == 0
    run = read_run(tmp_path / "out")
    finding = next(f for f in run.findings.to_pylist() if f["metric"] == "shifted_accuracy")
    counted = counted_rows(run, galleries_of(run), finding)
    rows = rows_of(counted)
    assert len(rows) == finding["n"] == 10
    assert {name for row in rows for name in row["top5_classes"] if name} == {"cone", "star"}
    assert finding["value"] == pytest.approx(sum(row["rank"] == 1 for row in rows) / 10)
    assert f"gallery={counted.gallery.key}" in address(run, counted)
