"""Image models of timm: `timm:NAME`, or `timm:ARCHITECTURE/PATH` for a local checkpoint."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from PIL import Image

from eyechart.arrays import Floats
from eyechart.files.hashing import HashMemory
from eyechart.models.card import ModelCard, derive_card
from eyechart.models.known_sources import known_source
from eyechart.models.timm_source import TimmSource, find_source
from eyechart.models.torch_device import TorchDevice, running, to_floats
from eyechart.models.torch_pictures import Collect, PicturePasses
from eyechart.models.weights import LOADING_ERRORS, fingerprint, refusal

ENCODING_VERSION = 1  # increases whenever the same files would give different vectors


class TimmModel:
    """An image model. Its vectors are the pooled features before the classifier. It has `class_scores` where the head is a
    classifier, and `patches` (the last block's output before the final norm) where timm gives them."""

    def __init__(self, source: TimmSource, hashes: HashMemory, device: TorchDevice) -> None:
        self.spec = f"timm:{source.name}"
        self.source = source
        self.device = device
        card = derive_card("timm", source.architecture, source.settings)
        notes = source.settings.get("notes") or ()
        self.card: ModelCard = replace(card, notes=(*card.notes, *((notes,) if isinstance(notes, str) else notes)))
        self.fingerprint = fingerprint(
            {
                "encoding": f"timm/{ENCODING_VERSION}",
                "architecture": source.architecture,
                "weights": hashes.file(source.weights),
                "classes": source.classes,
                "preprocessing": source.preprocessing.describe(),
                "precision": device.numerics,
            }
        )
        if source.gives_patches:
            self.patches = self._patches
        # The head of a model that was trained on captions only is its projection, not a classifier.
        if source.classes and not (card.loss in ("InfoNCE", "sigmoid") and card.fine_tuning is None):
            self.class_scores = self._class_scores

    @cached_property
    def network(self) -> Any:
        import timm

        source = self.source
        try:
            network = timm.create_model(
                source.architecture,
                pretrained=True,
                num_classes=source.classes,
                pretrained_cfg_overlay={
                    "file": str(source.weights),
                    "custom_load": False,
                    "num_classes": source.classes,
                    "label_offset": 0 if "/" in source.name else source.settings.get("label_offset") or 0,
                },
            )
        except (*LOADING_ERRORS, AssertionError) as error:
            raise refusal(source.weights, error) from error
        return self.device.install(network)

    def prepare(self, picture: Image.Image) -> Floats:
        return self.source.preprocessing(picture)

    def window(self, width: int, height: int) -> tuple[float, float, float, float]:
        return self.source.preprocessing.window(width, height)

    @cached_property
    def passes(self) -> PicturePasses:
        return PicturePasses(self.spec, self.device, self._pooled)

    @property
    def in_flight(self) -> int:
        """How many pictures should be started before the first ones are collected."""
        return self.passes.in_flight

    def start_images(self, prepared: Floats) -> Collect:
        return self.passes.start(prepared)

    def encode_images(self, prepared: Floats) -> Floats:
        return self.start_images(prepared)()

    def _pooled(self, pictures: Any) -> Any:
        return self.network.forward_head(self.network.forward_features(pictures), pre_logits=True)

    def _class_scores(self, prepared: Floats) -> Floats:
        with running(self.spec, prepared, device=self.device):
            return to_floats(self.network(self.device.pictures(prepared)))

    def _patches(self, prepared: Floats) -> Floats:
        with running(self.spec, prepared, device=self.device):
            (last,) = self.network.forward_intermediates(
                self.device.pictures(prepared), indices=1, norm=False, output_fmt="NCHW", intermediates_only=True
            )
            return to_floats(last.permute(0, 2, 3, 1))


def open(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> TimmModel:
    source = known_source(
        f"timm:{name}",
        "timm",
        hashes,
        find=lambda: find_source(name),
        files=lambda found: [found.weights],
        to_json=TimmSource.to_json,
        from_json=TimmSource.from_json,
    )
    return TimmModel(source, hashes, TorchDevice(device, precision, threads))
