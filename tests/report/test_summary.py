from eyechart.findings.run import read_run
from eyechart.report.summary import headline_rows, summary_rows


def test_what_guessing_reaches_stands_beside_its_accuracy(calm_run):
    rows = headline_rows(read_run(calm_run))
    assert {(r.metric, r.chance_text) for r in rows} == {
        ("top1", "chance: 8.3%"),
        ("mean_per_class", "chance: 8.3%"),
        ("worst_class", ""),
    }


def test_the_headline_is_each_metric_over_all_rows_and_the_single_worst_class(calm_run):
    rows = headline_rows(read_run(calm_run))
    first = [(r.metric, r.prompts, r.where) for r in rows if r.model == "ViT-B-32 · laion2b"]
    assert first == [
        ("top1", "openai-80", ""),
        ("top1", "single", ""),
        ("mean_per_class", "openai-80", ""),
        ("mean_per_class", "single", ""),
        ("worst_class", "openai-80", "class: tabby cat"),
        ("worst_class", "single", "class: tabby cat"),
    ]


def test_terminal_rows_are_text_but_for_n(calm_run):
    model, dataset, probe, metric, value, interval, n = summary_rows(read_run(calm_run))[0]
    assert (model, dataset, probe) == ("ViT-B-32 · laion2b", "garden visitors", "zero_shot")
    assert metric == "top-1 accuracy (prompts: openai-80)"
    assert value.endswith("%") and " to " in interval and n == 600


def test_of_very_many_numbers_the_first_of_each_question_is_told(calm_run):
    run = read_run(calm_run)
    every = summary_rows(run)
    assert summary_rows(run, most=len(every)) == every
    brief = summary_rows(run, most=len(every) - 1)
    assert [(row[0], row[2]) for row in brief] == [(model, "zero_shot") for model in run.models]
    assert all(row[3] == "top-1 accuracy (prompts: openai-80)" for row in brief)
