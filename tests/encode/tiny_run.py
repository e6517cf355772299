"""Encode numbered pictures and texts in a process of its own: STORE LOG PICTURES SECONDS_PER_PICTURE [TEXTS]."""

import sys
from pathlib import Path

import numpy as np
from tests.encode.tiny import TinyEncoder, drawn_dataset

from eyechart.data.picture import Decoding
from eyechart.encode.engine import work_of
from eyechart.encode.gather import gather
from eyechart.encode.keys import picture_keys, text_key
from eyechart.encode.local import LocalEngine
from eyechart.progress import SilentProgress
from eyechart.store import Store


def main(store_path: str, log: str, pictures: str, delay: str, texts: str = "0") -> None:
    store = Store(Path(store_path))
    encoder = TinyEncoder(Path(log), float(delay))
    dataset = drawn_dataset(range(int(pictures)))
    quiet = SilentProgress()
    keys = picture_keys(dataset, store.hashes, quiet).keys
    engine = LocalEngine(batch_size=8)
    shelf = store.shelf(encoder.fingerprint, "image")
    print("ready", flush=True)
    report = engine.encode_pictures(encoder, work_of(dataset, keys), shelf, decode=Decoding().decode, progress=quiet)
    words = [f"word {i}" for i in range(int(texts))]
    spoken = engine.encode_texts(encoder, words, store.shelf(encoder.fingerprint, "text"), progress=quiet)
    vectors = gather(shelf, [key for key in keys if key is not None])
    gather(store.shelf(encoder.fingerprint, "text"), [text_key(word) for word in words])
    print(len(vectors), report.encoded, spoken.encoded, bool(np.isfinite(vectors).all()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
