"""The page of a caption repair: what its first section is called."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.repair.captions.made_scenes import hears_first, scenes

import eyechart
from eyechart.repair.captions.caption_tasks import caption_tasks
from eyechart.repair.captions.repair import choose_way
from eyechart.repair.captions.run import _page
from eyechart.repair.captions.settings import CaptionSettings
from eyechart.store import Store


def test_changes_are_those_of_the_chosen_way_or_of_the_best_other():
    made = scenes(200, hears_first, captions="last")
    repaired = choose_way(made, CaptionSettings())
    assert repaired.chosen != "as is"
    page = _page(repaired, made)
    assert [section.heading for section in page.sections] == ["What changed", "What was done"]
    assert f"{repaired.pictures:,} held-out pictures" in page.lead
    kept = _page(replace(repaired, chosen="as is"), made)
    assert kept.sections[0].heading == "What the best other way would change"


@pytest.mark.parametrize("given", [False, True])
def test_python_needs_no_store_and_takes_other_names_of_columns(tmp_path, monkeypatch, given):
    """Vectors of pictures and of all texts are in a file. Without a store, that of the user is used."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EYECHART_STORE", str(tmp_path / "usual"))
    made = scenes(40, hears_first, captions="last")
    captions = [f"a {row['captions'][0]}".replace(" and ", " and a ") for row in made.dataset.table.to_pylist()]
    said = pa.table({"id": [f"{i}.png" for i in range(40)], "captions": [[caption] for caption in captions]})
    texts = caption_tasks(replace(made.dataset, table=said), CaptionSettings()).texts(CaptionSettings())
    vectors = hears_first([text.replace("a ", "") for text in texts])
    np.savez("all.npz", image_ids=[f"{i}.png" for i in range(40)], image_vectors=made.images, texts=texts, text_vectors=vectors)
    pq.write_table(pa.table({"file": [f"{i}.png" for i in range(40)], "said": [[c] for c in captions]}), "d.parquet")
    own = Store(tmp_path / "own") if given else None
    columns = {"path": "file", "captions": "said"}
    done = eyechart.repair_captions("vectors:all.npz", "d.parquet", out="card.json", columns=columns, store=own)
    assert done.repaired.purposes == ("retrieval",) and done.repaired.pictures == 20
    assert (tmp_path / "usual").exists() is not given
