"""Which object names are used, and what they are called: given ones, classes, objects, or those of COCO."""

import pyarrow as pa
import pytest
from tests.probes.answering import NoPictures, class_list

from eyechart.data.dataset import Dataset
from eyechart.probes.contract import NotApplicable
from eyechart.probes.tasks.name_lists import names_for, read_names


def dataset(classes=None, objects=None):
    columns = {"id": ["a"]} | ({} if objects is None else {"objects": [[{"name": name} for name in objects]]})
    return Dataset("test", pa.table(columns), NoPictures(1), classes and class_list(classes))


def chosen(*args):
    found = names_for(*args)
    return found.title, found.names


def test_names_are_given_or_those_of_the_dataset():
    everything = dataset(["l2", "l1", "l3"], ["c", "a", "b"])
    assert chosen(everything, "pets.txt", ("dog", "cat", "dog", "owl")) == ("pets.txt", ("dog", "cat", "owl"))
    assert chosen(everything, "", ("dog", "cat", "owl")) == ("the given names", ("dog", "cat", "owl"))
    assert chosen(everything, "", ()) == ("the classes of test", ("l1", "l2", "l3"))
    assert chosen(dataset(None, ["c", "a", "b", "a"]), "", ()) == ("the objects of test", ("a", "b", "c"))


def test_without_names_those_of_coco_are_used():
    for bare in (dataset(), dataset(None, [])):
        assert len(names_for(bare, "", ())) == 80 and {"person", "fire hydrant"} <= set(names_for(bare, "", ()).names)


def test_three_names_are_the_fewest():
    assert len(names_for(dataset(["a", "b", "c"]), "", ())) == 3
    with pytest.raises(NotApplicable, match="at least 3 object names, and the classes of test are 2"):
        names_for(dataset(["a", "b"]), "", ())


def test_a_list_in_a_file_has_each_name_once(tmp_path):
    (tmp_path / "names.txt").write_text("dog\ncat\nowl\n")
    assert read_names(str(tmp_path / "names.txt")) == ("dog", "cat", "owl") and read_names("") == ()
