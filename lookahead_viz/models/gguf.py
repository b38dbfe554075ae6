"""Reading ``.gguf`` files (llama.cpp's format) into plain transformers models."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from lookahead_viz.models.quiet import quiet


def check_file(path: Path) -> None:
    """ValueError in one sentence unless ``path`` can be a GGUF file and can be read here."""
    if not path.is_file():
        raise ValueError(f"there is no file {path}.")
    with path.open("rb") as stream:
        if stream.read(4) != b"GGUF":
            raise ValueError(f"{str(path)!r} is not a GGUF file: it does not begin with 'GGUF'.")
    missing = [name for name in ("gguf", "accelerate") if find_spec(name) is None]
    if missing:
        raise ValueError(
            "reading a .gguf file needs the packages gguf and accelerate; install them first "
            f"(missing: {', '.join(missing)})."
        )


def load_tokenizer(path: Path) -> Any:
    """The tokenizer that the file describes, with its chat template."""
    with quiet():
        return AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)


def load_network(path: Path, **arguments: Any) -> PreTrainedModel:
    """The model with its weights unpacked (float32 unless ``dtype`` says otherwise).

    transformers marks it as quantised although it no longer is, and then refuses to save or move
    it; so the weights are handed to a model built from the settings without that mark.
    """
    import torch

    arguments = {"dtype": torch.float32} | arguments
    with quiet():
        marked = AutoModelForCausalLM.from_pretrained(
            path.parent, gguf_file=path.name, **arguments
        )
        settings = marked.config.to_dict()
        for extra in ("quantization_config", "_name_or_path", "_model_name_or_path"):
            settings.pop(extra, None)
        config = type(marked.config)(**settings)
        plain = AutoModelForCausalLM.from_config(config, **arguments)
        plain.load_state_dict(marked.state_dict())
    plain.generation_config = marked.generation_config
    return plain
