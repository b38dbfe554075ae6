"""A model folder or ``.gguf`` file becomes a network and its tokenizer; refusals come first."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
)

from lookahead_viz.engine import quantised
from lookahead_viz.models import checks, gguf, weights
from lookahead_viz.models.hub import said
from lookahead_viz.models.progress import LoadingCancelled, Report
from lookahead_viz.models.quiet import quiet, say_once, silent

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json")


class Refused(ValueError):
    """Already one sentence; not to be wrapped in another."""


@dataclass
class Job:
    """One loading: transformers' arguments, where to, and who is told of it."""

    settings: dict[str, Any]
    place: torch.device
    report: Report
    asked: torch.dtype | None = None  # the number format, where it was asked for by name

    @property
    def placed(self) -> bool:
        """Does transformers put the weights where they belong?"""
        return "device_map" in self.settings or "distributed_config" in self.settings

    def prepare(self, name: str, config: Any) -> None:
        """Refuse what cannot work by the settings alone; quantised weights are placed at once."""
        refuse(name, checks.backend_refusal(config, self.settings.get("attn_implementation")))
        refuse(name, checks.quantisation_refusal(config))

    def refusal_of(self, config: Any, stored_bytes: int) -> str | None:
        """Why weights of that size cannot be held in memory; None if they can."""
        if self.placed:
            return None
        return checks.weights_refusal(stored_bytes, config, self.settings["dtype"], self.place)


def refuse(name: str, reason: str | None) -> None:
    if reason is not None:
        raise Refused(f"{name!r} cannot be loaded: {reason}.")


def read_folder(path: Path, name: str, job: Job) -> tuple[PreTrainedModel, Any]:
    """Network and tokenizer (None without its files).

    ValueError in one sentence that says ``name``, which is what the model was asked for by.
    """
    with_tokenizer = any((path / file).exists() for file in TOKENIZER_FILES)
    try:
        job.report("Reading the settings", 0.0)
        config = read_config(path, name)
        job.prepare(name, config)
        refuse(name, job.refusal_of(config, _bytes_in(path, name, config)))
        kind = quantised.kind(config)
        if kind is not None and not job.placed:
            job.settings["device_map"] = {"": job.place}
        network = _network(path, name, config, job)
        if kind is not None and job.asked not in (None, network.dtype):
            raise Refused(
                f"{name!r} cannot be loaded as {_short(job.asked)}: its {kind} weights come with "
                f"{_short(network.dtype)} and keep to it; leave dtype at auto."
            )
        job.report("Reading the tokenizer", 0.9)
        tokenizer = _tokenizer(path) if with_tokenizer else None
    except (Refused, LoadingCancelled):
        raise
    except Exception as error:  # a damaged folder can fail anywhere in transformers
        raise ValueError(f"{name!r} could not be loaded ({said(error)}).") from error
    return network, tokenizer


def read_gguf(path: Path, job: Job) -> tuple[PreTrainedModel, Any]:
    """Network and tokenizer of a ``.gguf`` file; ValueError in one sentence."""
    gguf.check_file(path)
    job.report("Unpacking the weights", 0.1)
    try:
        return gguf.load_network(path, **job.settings), gguf.load_tokenizer(path)
    except Exception as error:  # a damaged or unknown file can fail anywhere in transformers
        raise ValueError(f"{str(path)!r} could not be loaded ({said(error)}).") from error


def read_config(folder: Path, name: str) -> Any:
    """The settings of the model in ``folder``; ``Refused`` when nothing can be made of them."""
    file = folder / "config.json"
    if not file.is_file():
        raise Refused(f"{name!r} is no model folder: it has no config.json.")
    try:
        json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{name!r} is damaged: its config.json is not readable JSON.") from error
    with quiet():
        raw, _ = PreTrainedConfig.get_config_dict(folder, local_files_only=True)
        refuse(name, checks.sizes_refusal(raw))  # before anything is laid out by it
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    if type(config) not in AutoModelForCausalLM._model_mapping:
        raise Refused(
            f"{name!r} is a {config.model_type} model, which is no decoder-only language model."
        )
    return config


def _bytes_in(folder: Path, name: str, config: Any) -> int:
    try:
        return weights.bytes_in(folder, config)
    except ValueError as reason:
        raise Refused(f"{name!r} is incomplete: {reason}.") from None


def _network(folder: Path, name: str, config: Any, job: Job) -> PreTrainedModel:
    """The network, whole or not at all."""
    kind = quantised.kind(config)
    if kind == "bitsandbytes":
        say_once("bitsandbytes.autograd._functions")
    with quiet(job.report.bar), silent() if kind is not None else nullcontext():
        network, report = AutoModelForCausalLM.from_pretrained(
            folder,
            config=config,
            trust_remote_code=False,
            output_loading_info=True,
            local_files_only=True,
            **job.settings,
        )
    missing = sorted(report["missing_keys"])
    if missing and kind is not None:
        raise Refused(
            f"{name!r} cannot be loaded: {len(missing)} of the weights that its {kind} format "
            f"needs are missing (the first is {missing[0]}); it is damaged, or transformers "
            f"{transformers.__version__} does not read this format."
        )
    if missing:  # transformers would fill them with random numbers
        raise Refused(
            f"{name!r} is incomplete: {len(missing)} of its weights are missing "
            f"(the first is {missing[0]})."
        )
    return network


def _short(dtype: torch.dtype | None) -> str:
    return str(dtype).removeprefix("torch.")


def _tokenizer(folder: Path) -> Any:
    with quiet():
        return AutoTokenizer.from_pretrained(
            folder, trust_remote_code=False, local_files_only=True
        )
