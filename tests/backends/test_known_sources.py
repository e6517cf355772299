"""A model of open_clip or timm that was opened before is opened again without importing torch."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import timm
import torch
from safetensors.torch import save_file
from tests.backends.test_open_clip import tiny

from eyechart.files.hashing import HashMemory
from eyechart.models.open import open_model

_AGAIN = """
import json, sys
from pathlib import Path
from eyechart.files.hashing import HashMemory
from eyechart.models.abilities import abilities
from eyechart.models.open import open_model
model = open_model(sys.argv[2], hashes=HashMemory(Path(sys.argv[1])))
found = [model.fingerprint, str(model.card), abilities(model), getattr(model, "logit_scale", None)]
print(json.dumps([found, "torch" in sys.modules]))
"""


def again(memory: Path, spec: str) -> tuple[list[object], bool]:
    done = subprocess.run([sys.executable, "-c", _AGAIN, str(memory), spec], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found, torch_loaded = json.loads(done.stdout)
    return found, torch_loaded


def opened_twice(memory: Path, spec: str) -> list[object]:
    """What a model says of itself; the same with and without a record, and torch is loaded for the first alone."""
    first, second = again(memory, spec), again(memory, spec)
    assert first[1] and not second[1]
    assert first[0] == second[0]
    return second[0]


def test_a_folder_of_open_clip_is_opened_without_torch_until_a_file_changes(tmp_path: Path) -> None:
    folder, memory = tiny(tmp_path / "model"), tmp_path / "hashes.sqlite"
    before = opened_twice(memory, f"open_clip:{folder}")
    config = folder / "open_clip_config.json"
    config.write_text(config.read_text().replace('"bicubic"', '"bilinear"'))
    after, torch_loaded = again(memory, f"open_clip:{folder}")
    assert torch_loaded and after != before
    weights = folder / "open_clip_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\1")
    changed, torch_loaded = again(memory, f"open_clip:{folder}")
    assert torch_loaded and changed != after


def test_a_checkpoint_of_timm_is_opened_without_torch(tmp_path: Path) -> None:
    network = timm.create_model("test_vit.r160_in1k").eval()
    save_file({k: v.contiguous() for k, v in network.state_dict().items()}, tmp_path / "mine.safetensors")
    opened_twice(tmp_path / "hashes.sqlite", f"timm:test_vit.r160_in1k/{tmp_path / 'mine.safetensors'}")


def test_another_commit_in_the_hubs_cache_is_noticed(hub: Callable[[str], Path], tmp_path: Path) -> None:
    name = "test_vit2.r160_in1k"
    first = hub(f"timm/{name}")
    home, other = first.parents[1], first.parent / ("f" * 40)
    other.mkdir()
    memory = HashMemory(tmp_path / "hashes.sqlite")
    for seed, folder in enumerate((first, other)):
        torch.manual_seed(seed)
        network = timm.create_model(name)
        save_file({k: v.contiguous() for k, v in network.state_dict().items()}, folder / "model.safetensors")
    before = open_model(f"timm:{name}", hashes=memory).fingerprint
    assert open_model(f"timm:{name}", hashes=memory).fingerprint == before
    (home / "refs" / "main").write_text(other.name)
    assert open_model(f"timm:{name}", hashes=memory).fingerprint != before


def test_a_record_that_is_forgotten_is_made_again(tmp_path: Path) -> None:
    folder, memory = tiny(tmp_path / "model"), tmp_path / "hashes.sqlite"
    opened_twice(memory, f"open_clip:{folder}")
    HashMemory(memory, forget=True).close()
    assert again(memory, f"open_clip:{folder}")[1]


_EXAMINE = """
import sys
from eyechart.cli.main import main
assert main(sys.argv[1:]) == 0
print("torch" in sys.modules)
"""


def test_a_finished_examination_is_read_again_without_torch(tmp_path: Path) -> None:
    words = ["--model", f"open_clip:{tiny(tmp_path / 'model')}", "--data", "world-objects", "--limit", "36"]
    words += ["--probes", "zero_shot", "--probes", "calibration", "--prompts", "single", "--quiet"]
    words += ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store")]
    command = [sys.executable, "-c", _EXAMINE, "examine", *words]
    done = [subprocess.run(command, capture_output=True, text=True, timeout=300) for _ in range(2)]
    assert [run.returncode for run in done] == [0, 0], done[-1].stderr
    assert [run.stdout.splitlines()[-1] for run in done] == ["True", "False"]
