import pytest

from eyechart.errors import DataError, UsageError
from eyechart.prompts.library import load_prompts, prompt_sets


@pytest.fixture
def put(tmp_path):
    def write(name, content):
        (tmp_path / name).write_text(content, encoding="utf-8")
        return tmp_path / name

    return write


def test_the_sets_have_their_published_sizes():
    sizes = {prompts.name: len(prompts) for prompts in prompt_sets()}
    of_papers = {"openai-80": 80, "openai-7": 7, "mcm-5": 5, "single": 1, "bare": 1, "eyechart-30": 30, "pool-164": 164}
    of_sets = {
        "cifar10": 18, "cifar100": 18, "caltech101": 34, "food101": 1, "dtd": 8, "pets": 1, "eurosat": 3, "sun397": 2,
        "flowers102": 1, "cars": 8, "aircraft": 2, "ucf101": 48,
    }  # fmt: skip
    assert sizes == of_papers | of_sets


@pytest.mark.parametrize("prompts", prompt_sets(), ids=lambda prompts: prompts.name)
def test_every_template_holds_one_place_for_the_name_and_no_set_repeats(prompts):
    assert all(template.count("{}") == 1 for template in prompts.templates)
    assert len(set(prompts.templates)) == len(prompts)
    assert "license" in prompts.source


def test_the_smaller_sets_are_what_their_papers_say():
    eighty = set(load_prompts("openai-80").templates)
    assert set(load_prompts("openai-7").templates) < eighty
    assert set(load_prompts("eyechart-30").templates) < eighty
    assert set(load_prompts("mcm-5").templates) < eighty
    pool = set(load_prompts("pool-164").templates)
    assert eighty < pool
    assert all(set(load_prompts(name).templates) <= pool for name in ("cifar10", "caltech101", "ucf101", "pets", "aircraft"))
    assert load_prompts("single").templates == ("a photo of a {}",)
    assert load_prompts("bare").fill("cat") == ["cat"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.txt", "\ufeffa photo of a {}.\r\n\r\n  the {} \n"), ("a.json", '["a photo of a {}.", "the {}"]')],
)
def test_templates_of_a_file(put, name, content):
    prompts = load_prompts(str(put(name, content)))
    assert (prompts.name, prompts.templates, prompts.source) == (name, ("a photo of a {}.", "the {}"), f"file {name}")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "", "a.txt: it contains no templates"),
        ("a.txt", "a {}\n\na photo\n", r"a.txt, row 3: no \{\} in 'a photo'"),
        ("a.txt", "a {} and a {}\n", r"a.txt, row 1: 2 times \{\} in"),
        ("a.txt", "a {}\nthe {}\na {}\n", "a.txt, row 3: 'a {}' is already in row 1"),
        ("a.json", '["a {}", "photo"]', r"a.json, template 2: no \{\}"),
        ("a.json", "[1]", "a.json: not a list of templates"),
        ("a.json", "[", "a.json, row 1: not valid JSON"),
    ],
)
def test_files_that_cannot_be_used_name_the_line(put, name, content, message):
    with pytest.raises(DataError, match=message):
        load_prompts(put(name, content))


def test_a_file_that_is_not_utf8_names_its_row(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"a {}\nun caf\xe9 {}\n")
    with pytest.raises(DataError, match=r"a.txt, row 2: not UTF-8 \(byte 0xe9\)"):
        load_prompts(tmp_path / "a.txt")


def test_a_set_that_is_nowhere_names_the_nearest():
    with pytest.raises(
        UsageError, match=r"'openai80': neither a prompt set \(.*\) nor a file of templates; did you mean 'openai-80'"
    ):
        load_prompts("openai80")
