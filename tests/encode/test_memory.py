"""Bounded memory, measured in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import resource, sys
from pathlib import Path
import numpy as np
from eyechart.data.picture import Decoding
from eyechart.encode.engine import work_of
from eyechart.encode.local import LocalEngine
from eyechart.progress import SilentProgress
from eyechart.store import Store
from tests.encode.tiny import TinyEncoder, drawn_dataset, key_of

class Large(TinyEncoder):
    def prepare(self, picture):
        return np.resize(np.asarray(picture, dtype=np.float32), (8, 8, 192))

    def encode_images(self, prepared):
        return prepared[:, 0, 0]

numbers = range(20000)
works = list(work_of(drawn_dataset(numbers), [key_of(number) for number in numbers]))
shelf = Store(Path(sys.argv[1])).shelf("7a" * 32, "image")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
LocalEngine(batch_size=64, workers=2).encode_pictures(Large(), works, shelf, decode=Decoding().decode, progress=SilentProgress())
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is counted in other units elsewhere")
@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_pictures(tmp_path):
    """20,000 prepared pictures are 980 MB and their vectors 15 MB; five batches of 64 are 16 MB."""
    run = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True)
    assert float(run.stdout) < 100
