"""Loading a network of transformers from a folder: quietly, without remote code, and with every weight in its place."""

from typing import Any

from eyechart.errors import ModelError
from eyechart.models.hub_folder import HubFolder
from eyechart.models.weights import LOADING_ERRORS, refusal


def load_network(auto_class: Any, folder: HubFolder) -> Any:
    """The network of a folder.

    Args:
        auto_class: The class of transformers that loads it, such as `AutoModel`.
        folder: The folder with its weights.

    Raises:
        ModelError: Where the weights cannot be read, are missing or have another shape.
    """
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        network, info = auto_class.from_pretrained(
            folder.path,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=folder.has_safetensors,
            weights_only=True,
            output_loading_info=True,
        )
    except LOADING_ERRORS as error:
        raise refusal(folder.weights[0], error) from error
    finally:
        if shown:
            logging.enable_progress_bar()
    missing = sorted({*info["missing_keys"], *(key if isinstance(key, str) else key[0] for key in info["mismatched_keys"])})
    if missing:
        raise ModelError(f"{folder.weights[0]}: weights are missing or have another shape, among them {missing[0]!r}")
    return network
