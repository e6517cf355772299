import json
import unicodedata

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eyechart.data.open import open_dataset
from eyechart.errors import DataError, UsageError


@pytest.fixture
def put(tmp_path, picture_bytes):
    """Write a table beside three pictures, a.png, b.png and sub/c d.png."""
    (tmp_path / "sub").mkdir()
    for number, name in enumerate(("a.png", "b.png", "sub/c d.png")):
        (tmp_path / name).write_bytes(picture_bytes(number))

    def write(name, content):
        path = tmp_path / name
        if isinstance(content, list):
            pq.write_table(pa.Table.from_pylist(content), path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


ROWS = [
    {"file_name": "a.png", "label": "cat", "caption": "a cat, asleep", "age": 3, "attr.light": "dim", "factor.pose": 1},
    {"file_name": "b.png", "label": "dog", "caption": "a dog", "age": 4, "attr.light": "day", "factor.pose": 0},
    {"file_name": "sub/c d.png", "label": "cat", "caption": "a cat", "age": 5, "attr.light": "day", "factor.pose": 0},
]


def delimited(rows, sign):
    lines = [sign.join(rows[0])] + [sign.join(f'"{v}"' if sign in str(v) else str(v) for v in row.values()) for row in rows]
    return "\n".join(lines) + "\n"


@pytest.fixture(params=["csv", "tsv", "jsonl", "parquet"])
def table(request, put):
    content = {
        "csv": delimited(ROWS, ","),
        "tsv": delimited(ROWS, "\t"),
        "jsonl": "\n".join(json.dumps(row) for row in ROWS),
        "parquet": ROWS,
    }[request.param]
    return put(f"pets.{request.param}", content)


def test_every_kind_of_table_gives_the_same_rows(table, picture_bytes):
    dataset = open_dataset(table)
    assert dataset.table.to_pylist() == [
        {"id": r["file_name"], "label": r["label"], "captions": [r["caption"]], "attr.age": r["age"]}
        | {"attr.light": r["attr.light"], "factor.pose": r["factor.pose"]}
        for r in ROWS
    ]
    assert [dataset.pictures.read(row) for row in range(3)] == [picture_bytes(n) for n in range(3)]
    assert dataset.name == "pets"
    assert dataset.reader["columns"] == {"path": "file_name", "label": "label", "captions": ["caption"]}


def test_taking_rows_keeps_pictures_and_rows_together(table, picture_bytes):
    taken = open_dataset(table).take([2, 0])
    assert taken.ids() == ["sub/c d.png", "a.png"]
    assert [taken.pictures.read(0), taken.pictures.read(1)] == [picture_bytes(2), picture_bytes(0)]


def test_columns_can_be_told(put):
    path = put("x.csv", "no,photo,species,label,said\n7,a.png,cat,1,hello\n8,b.png,dog,2,bye\n")
    dataset = open_dataset(path, columns={"id": "no", "path": "photo", "label": "species", "caption": "said"})
    assert dataset.table.to_pylist()[0] == {"id": "7", "label": "cat", "captions": ["hello"], "attr.label": 1}


def test_a_told_column_that_is_missing_is_named_with_the_nearest(put):
    path = put("x.csv", "path,species\na.png,cat\n")
    with pytest.raises(DataError, match="no column 'specie'; did you mean 'species'"):
        open_dataset(path, columns={"label": "specie"})
    with pytest.raises(UsageError, match="no role 'lable'; did you mean 'label'"):
        open_dataset(path, columns={"lable": "species"})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "contains no rows"),
        ("path,label\n", "contains no rows"),
        ("a.png,cat\nb.png,dog\n", r"no column of pictures among a.png \(string\), cat \(string\); call one path or file"),
        ("path,label\na.png,cat\nb.png\n", "row 3: 1 cells, but the header has 2"),
        ('path,label\na.png,"two\nlines"\nb.png,dog,x\n', "row 4: 3 cells, but the header has 2"),
        ('path,label\na.png,"never closed\nb.png,dog\n', "row 2: not readable as a table .*check the quotes"),
        ("path,path\na.png,cat\n", "row 1: two columns are called 'path'"),
        ("path,label\na.png,cat\n\nb.png,dog\na.png,cat\n", r"row 5: id 'a.png' is already used in .*row 2; add a column 'id'"),
        ("id,path\n1,a.png\n,b.png\n", "row 3: the id is empty"),
        ("path\n/etc/passwd\n", "row 2: '/etc/passwd' leads out of .*give --root the folder that contains all pictures"),
        ("path\na.png\nsub/../../x.png\n", "row 3: 'sub/../../x.png' leads out of"),
        ("path\nhttps://host/a.png\n", "row 2: 'https://host/a.png' is a web address"),
        ("path\nC:\\pictures\\a.png\n", "leads out of"),
    ],
)
def test_a_csv_that_cannot_be_used_names_file_row_and_remedy(put, content, message):
    with pytest.raises(DataError, match=f"x.csv(, |: ).*{message}|x.csv, {message}"):
        open_dataset(put("x.csv", content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("\n\n", "contains no rows"),
        ('{"path": "a.png"}\n{"path": \n', "row 2: not valid JSON"),
        ('{"path": "a.png"}\n[1, 2]\n', "row 2: not a JSON object"),
        ('{"path": "a.png", "age": 1}\n\n{"path": "b.png", "age": "old"}\n', "row 3: 'age' is str, but int in .*row 1"),
        ('{"path": "a.png"}\n{"label": "cat"}\n', "row 2: the id is empty"),
    ],
)
def test_a_jsonl_that_cannot_be_used_names_file_row_and_remedy(put, content, message):
    with pytest.raises(DataError, match=f"x.jsonl.*{message}"):
        open_dataset(put("x.jsonl", content))


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl"])
def test_text_that_is_not_utf8_names_its_row(put, name):
    with pytest.raises(DataError, match=r"row 2: not UTF-8 \(byte 0xe9\); save the file as UTF-8"):
        open_dataset(put(name, "path,label\na.png,caf\xe9\n".encode("latin-1")))


def test_utf16_is_recognized(put):
    with pytest.raises(DataError, match="looks like UTF-16"):
        open_dataset(put("x.csv", "path,label\na.png,cat\n".encode("utf-16")))


def test_a_byte_order_mark_and_windows_line_endings_change_nothing(put):
    dataset = open_dataset(put("x.csv", b"\xef\xbb\xbfpath,label\r\na.png,cat\r\nb.png,dog\r\n"))
    assert dataset.table.to_pylist() == [{"id": "a.png", "label": "cat"}, {"id": "b.png", "label": "dog"}]


def test_quoted_line_breaks_stay_in_their_cell(put):
    dataset = open_dataset(put("x.csv", 'path,caption\na.png,"two\nlines"\nb.png,"say ""hi"""\n'))
    assert dataset.table.column("captions").to_pylist() == [["two\nlines"], ['say "hi"']]


def test_one_column_of_paths_is_enough(put):
    assert open_dataset(put("x.csv", "path\na.png\nb.png\n")).ids() == ["a.png", "b.png"]


def test_rows_without_a_label_are_kept_and_counted(put):
    dataset = open_dataset(put("x.csv", "path,label\na.png,cat\nb.png,\nsub/c d.png, dog \n"))
    assert dataset.table.column("label").to_pylist() == ["cat", None, "dog"]
    assert dataset.label_indices().tolist() == [0, -1, 1]
    assert any("1 of 3 rows have no label" in str(n) for n in dataset.notices)


def test_label_numbers_that_pandas_made_floats_are_whole_again(put):
    dataset = open_dataset(put("x.csv", "path,label\na.png,3.0\nb.png,\nsub/c d.png,10.0\n"))
    assert [c.label for c in dataset.classes] == ["3", "10"]
    rows = [{"path": "a.png", "label": 3.0}, {"path": "b.png", "label": None}]
    assert open_dataset(put("x.parquet", rows)).table.column("label").to_pylist() == ["3", None]


def test_numbers_are_numbers_but_codes_stay_text(put):
    table = open_dataset(put("x.csv", "path,size,weight,code,mixed\na.png,1,2.5,007,3\nb.png,,1e3,12,x\n")).table
    assert table.column("attr.size").to_pylist() == [1, None]
    assert table.column("attr.weight").to_pylist() == [2.5, 1000.0]
    assert table.column("attr.code").to_pylist() == ["007", "12"]
    assert table.column("attr.mixed").to_pylist() == ["3", "x"]


def test_several_caption_columns_become_one_list(put):
    content = "path,caption_2,caption_10,caption_1\na.png,two,ten,one\nb.png,,,only\n"
    assert open_dataset(put("x.csv", content)).table.column("captions").to_pylist() == [["one", "two", "ten"], ["only"]]


def test_lists_of_captions_are_kept(put):
    rows = '{"path": "a.png", "captions": ["one", "two"]}\n{"path": "b.png"}\n'
    assert open_dataset(put("x.jsonl", rows)).table.column("captions").to_pylist() == [["one", "two"], []]
    assert open_dataset(put("x.csv", 'path,captions\na.png,"[""one"", ""two""]"\nb.png,\n')).table.column(
        "captions"
    ).to_pylist() == [
        ["one", "two"],
        [],
    ]


def test_a_root_moves_relative_paths_and_fences_absolute_ones(put, tmp_path, picture_bytes):
    inside = put("x.csv", f"path\n{tmp_path}/a.png\nb.png\n")
    assert open_dataset(inside, root=tmp_path).pictures.read(1) == picture_bytes(1)
    below = put("lists.csv", "path\n../a.png\n")
    with pytest.raises(DataError, match=r"leads out of .*; choose another root"):
        open_dataset(below, root=tmp_path / "sub")
    moved = put("moved.csv", "path\nc d.png\n")
    assert open_dataset(moved, root=tmp_path / "sub").pictures.read(0) == picture_bytes(2)


def test_a_link_out_of_the_root_is_found_when_it_is_read(put, tmp_path, tmp_path_factory, picture_bytes):
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.png"
    secret.write_bytes(picture_bytes(7))
    (tmp_path / "link.png").symlink_to(secret)
    dataset = open_dataset(put("x.csv", "path\na.png\nlink.png\n"))
    with pytest.raises(PermissionError, match="leads out of"):
        dataset.pictures.read(1)


def test_missing_files_are_found_when_they_are_read(put):
    dataset = open_dataset(put("x.csv", "path\na.png\nnowhere.png\n"))
    assert dataset.pictures.identity(1) is None
    with pytest.raises(FileNotFoundError):
        dataset.pictures.read(1)


def test_an_unknown_label_names_row_and_nearest_class(put):
    names = put("names.txt", "tabby cat\nbeagle\n")
    with pytest.raises(
        DataError, match=r"labels.csv, row 3: label 'tabby' is not among the 2 class names; did you mean 'tabby cat'\?"
    ):
        open_dataset(put("labels.csv", "path,label\na.png,beagle\nb.png,tabby\n"), classes=names)


def test_label_numbers_count_a_class_list_from_zero(put):
    names = put("names.txt", "cat\ndog\n")
    dataset = open_dataset(put("x.csv", "path,label\na.png,1\nb.png,0\n"), classes=names)
    assert dataset.table.column("label").to_pylist() == ["dog", "cat"]
    with pytest.raises(DataError, match="label '2' is not among the 2 class names; numbers count the list from 0"):
        open_dataset(put("y.csv", "path,label\na.png,1\nb.png,2\n"), classes=names)


def test_numbers_that_are_labels_of_the_list_are_not_counted(put):
    names = put("names.tsv", "label\tname\n1\tcat\n2\tdog\n")
    dataset = open_dataset(put("x.csv", "path,label\na.png,1\nb.png,2\n"), classes=names)
    assert [dataset.classes[i].name for i in dataset.label_indices()] == ["cat", "dog"]
    with pytest.raises(DataError, match="label '0' is not among"):
        open_dataset(put("y.csv", "path,label\na.png,1\nb.png,0\n"), classes=names)


def test_labels_match_names_and_synonyms_but_not_a_name_of_two_classes(put):
    names = put("names.tsv", "n1\tsunglasses\nn2\tsunglasses\n")
    with pytest.raises(DataError, match="label 'sunglasses' is not among"):
        open_dataset(put("x.csv", "path,label\na.png,sunglasses\n"), classes=names)
    names = put("other.txt", "n3\tcab\ttaxi\nn4\tmaine coon\n")
    dataset = open_dataset(put("y.csv", "path,label\na.png,taxi\nb.png,maine_coon\n"), classes=names)
    assert dataset.table.column("label").to_pylist() == ["n3", "n4"]


def test_classes_without_pictures_stay_and_one_class_is_noticed(put):
    names = put("names.txt", "cat\ndog\nzebra\n")
    dataset = open_dataset(put("x.csv", "path,label\na.png,cat\nb.png,dog\n"), classes=names)
    assert len(dataset.classes) == 3
    assert any("1 of 3 classes have no picture: zebra" in str(n) for n in dataset.notices)
    lonely = open_dataset(put("y.csv", "path,label\na.png,cat\nb.png,cat\n"))
    assert any("only one class, 'cat'" in str(n) for n in lonely.notices)


def test_classes_may_be_given_where_the_data_has_no_labels(put):
    dataset = open_dataset(put("x.csv", "path\na.png\n"), classes=put("names.txt", "cat\ndog\n"))
    assert (len(dataset.classes), dataset.label_indices().tolist()) == (2, [-1])


def test_accents_of_labels_are_of_one_spelling(put):
    content = "path,label\na.png," + unicodedata.normalize("NFD", "thé") + "\n"
    dataset = open_dataset(put("x.csv", content), classes=put("names.txt", "thé\ncafé\n"))
    assert dataset.label_indices().tolist() == [0]


def test_two_columns_that_would_be_one_attribute_are_refused(put):
    with pytest.raises(DataError, match=r"'light' and 'attr.light' would both be called 'attr.light'"):
        open_dataset(put("x.csv", "path,light,attr.light\na.png,1,2\n"))


def test_a_file_name_with_a_zero_byte_is_found_when_it_is_read(put):
    dataset = open_dataset(put("x.jsonl", '{"path": "a\\u0000.png"}\n'))
    assert dataset.pictures.identity(0) is None
    with pytest.raises(OSError, match="holds a zero byte"):
        dataset.pictures.read(0)


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_a_csv_may_be_separated_otherwise_if_its_header_is(put, sign):
    dataset = open_dataset(put("x.csv", f'path{sign}label\na.png{sign}"cat, small"\nb.png{sign}dog\n'))
    assert dataset.table.column("label").to_pylist() == ["cat, small", "dog"]
    assert dataset.reader["separator"] == sign


def test_empty_captions_are_left_out_of_lists(put):
    captions = [["x", None, " "], None, ["y", "z"]]
    rows = "\n".join(json.dumps({"path": f"{n}.png", "captions": c}) for n, c in enumerate(captions))
    assert open_dataset(put("x.jsonl", rows)).table.column("captions").to_pylist() == [["x"], [], ["y", "z"]]


def test_labels_that_are_not_numbers_are_none(put):
    rows = [{"path": "a.png", "label": float("nan")}, {"path": "b.png", "label": 2.0}]
    assert open_dataset(put("x.parquet", rows)).table.column("label").to_pylist() == [None, "2"]


def test_text_of_a_parquet_that_is_not_utf8_names_its_row(put, tmp_path):
    raw = pa.array([b"a.png", b"\xff.png"])
    pq.write_table(pa.table({"path": pa.Array.from_buffers(pa.string(), 2, raw.buffers())}), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"x.parquet, row 2: column 'path' is damaged .*UTF8"):
        open_dataset(tmp_path / "x.parquet")


def test_a_parquet_with_two_columns_of_one_name_is_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array(["a.png"]), pa.array(["x"]), pa.array(["y"])], names=["path", "label", "label"])
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(DataError, match="two columns are called 'label'"):
        open_dataset(tmp_path / "x.parquet")


def test_an_empty_label_column_is_noticed(put):
    dataset = open_dataset(put("x.csv", "path,label\na.png,\nb.png,\n"))
    assert dataset.classes is None
    assert any("the column of labels is empty" in str(n) for n in dataset.notices)


@pytest.mark.parametrize("row", ['{"path": "a.png", "caption": "\\ud800"}', '{"path": "a.png", "k\\ud800": 1}'])
def test_half_characters_are_refused(tmp_path, row):
    (tmp_path / "t.jsonl").write_text(row)
    with pytest.raises(DataError, match=r"t\.jsonl, row 1: not valid JSON .*lone surrogate"):
        open_dataset(tmp_path / "t.jsonl")
