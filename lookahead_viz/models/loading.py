"""``load_model``: a name, a folder, a ``.gguf`` file or a hub id becomes a ``Model``.

Whatever is wrong with what was asked for is answered by a ``ValueError`` of one sentence. Code
that comes with a model is never run, and pickled weights are read as weights only.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
)

from lookahead_viz import collector
from lookahead_viz.engine.model import Model, wrap_model
from lookahead_viz.models import checks, gguf, hub, registry, smollm2
from lookahead_viz.models.hub import said
from lookahead_viz.models.progress import LoadingCancelled, OnProgress, Report
from lookahead_viz.models.quiet import quiet
from lookahead_viz.models.settings import check_attention, choose_device, choose_dtype

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json")


def load_model(
    source: str | PathLike[str],
    device: str = "auto",
    dtype: str = "auto",
    attention: str = "auto",
    *,
    device_map: str | None = None,
    tp_plan: str | None = None,
    on_progress: OnProgress | None = None,
) -> Model:
    """Load a model, ready to decode.

    ``source``: a name of ``registry.available()``, a transformers folder, a ``.gguf`` file, or an
    id on the Hugging Face hub ("owner/name"; ``HF_HUB_OFFLINE=1`` keeps to the local cache).
    ``device``: "auto" (cuda, else mps, else cpu), "cpu", "cuda", "cuda:1", "mps".
    ``dtype``: "auto" (bfloat16 on cuda, else float32), "float32", "bfloat16", "float16",
    "float64". ``attention``: "auto" (sdpa where the model has it, else eager), "sdpa", "eager",
    "flex_attention" (compiled on first use: a minute on a CPU). ``device_map="auto"`` lays the
    layers over all GPUs (accelerate), ``tp_plan="auto"`` cuts each layer over the processes that
    torchrun started; every process then records the same run. ``on_progress(stage, share)`` is
    called on the way; returning False stops with ``LoadingCancelled``.

    Raises ValueError in one sentence when it cannot be done. Loads one model at a time.
    """
    try:
        str(source).encode()
    except UnicodeEncodeError:  # no run file could hold such a name
        raise ValueError(
            f"the model's name {str(source)!a} is no valid Unicode; rename its folder."
        ) from None
    report = Report(on_progress)
    place = choose_device(device)
    number = choose_dtype(dtype, place)
    check_attention(attention)
    settings: dict[str, Any] = {"dtype": number}
    if attention != "auto":  # left out, transformers picks sdpa where the model has it
        settings["attn_implementation"] = attention
    settings |= checks.spread(device_map, tp_plan)
    with _ONE_AT_A_TIME, collector.paused():  # the first load imports the model's own code
        job = _Load(settings, place, report)
        network, tokenizer, name, revision = _load(str(source), job)
        report("Checking that it can be decoded exactly", 0.95)
        if not job.placed:
            try:
                network = network.to(place)
            except (RuntimeError, NotImplementedError, TypeError) as error:
                raise ValueError(f"{name} does not fit on {place} ({said(error)}).") from error
        return wrap_model(network, tokenizer, name, revision)


_ONE_AT_A_TIME = threading.RLock()


@dataclass
class _Load:
    """One loading: transformers' arguments, where to, and who is told of it."""

    settings: dict[str, Any]
    place: torch.device
    report: Report

    @property
    def placed(self) -> bool:
        """Does transformers put the weights where they belong?"""
        return "device_map" in self.settings or "distributed_config" in self.settings

    def prepare(self, name: str, config: Any, folder: Path | None) -> None:
        """Refuse what cannot work by the settings alone; quantised weights are placed at once."""
        refusals = [
            checks.backend_refusal(config, self.settings.get("attn_implementation")),
            checks.quantisation_refusal(config),
        ]
        if folder is not None and not self.placed:
            number = self.settings["dtype"]
            refusals.append(checks.weights_refusal(folder, config, number, self.place))
        reason = next((one for one in refusals if one is not None), None)
        if reason is not None:
            raise _Refused(f"{name} cannot be loaded: {reason}.")
        if checks.quantisation(config) is not None and not self.placed:
            self.settings["device_map"] = {"": self.place}


Loaded = tuple[PreTrainedModel, Any, str, str]
"""Network, tokenizer or None, name, revision."""


def _load(source: str, job: _Load) -> Loaded:
    if source in registry.NAMES:
        return _load_named(source, job)
    path = Path(source)
    try:
        path = path.expanduser()
        is_folder, is_file = path.is_dir(), path.is_file()
    except (OSError, RuntimeError):  # too long a name, an unknown ~user
        is_folder = is_file = False
    if path.suffix.lower() == ".gguf":
        return _load_gguf(path, job)
    if is_folder:
        name = path.resolve().name
        return *_load_folder(path, job, name), name, ""
    if is_file:
        raise ValueError(f"{source} is neither a model folder nor a .gguf file.")
    if HUB_ID.fullmatch(source):
        return _load_from_hub(source, job)
    raise ValueError(
        f"there is no model {source[:100]!r}: it is no folder, no .gguf file, no hub id, and none "
        f"of {', '.join(registry.NAMES)}."
    )


def _load_named(name: str, job: _Load) -> Loaded:
    reason = registry.refusal(name)
    if reason is not None:
        raise ValueError(reason)
    if name == registry.TINY:
        return *_load_folder(registry.TINY_FOLDER, job, name), name, ""
    loaded = _load_folder(smollm2.folder(), job, smollm2.NAME)
    return *loaded, smollm2.NAME, smollm2.REVISION


def _load_gguf(path: Path, job: _Load) -> Loaded:
    gguf.check_file(path)
    job.report("Unpacking the weights", 0.1)
    try:
        return gguf.load_network(path, **job.settings), gguf.load_tokenizer(path), path.stem, ""
    except Exception as error:  # a damaged or unknown file can fail anywhere in transformers
        raise ValueError(f"{path.name} could not be loaded ({said(error)}).") from error


def _load_folder(path: Path, job: _Load, name: str) -> tuple[PreTrainedModel, Any]:
    settings_file = path / "config.json"
    if not settings_file.is_file():
        raise ValueError(f"{name} is no model folder: it has no config.json.")
    try:
        json.loads(settings_file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{name} is damaged: its config.json is not readable JSON.") from error
    with_tokenizer = any((path / file).exists() for file in TOKENIZER_FILES)
    here = {"local_files_only": True}
    try:
        job.report("Reading the settings", 0.0)
        config = _config(str(path), name, here)
        job.prepare(name, config, path)
        network = _network(str(path), name, config, job, here)
        job.report("Reading the tokenizer", 0.9)
        tokenizer = _tokenizer(str(path), here) if with_tokenizer else None
    except (_Refused, LoadingCancelled):
        raise
    except Exception as error:  # a damaged folder can fail anywhere in transformers
        raise ValueError(f"{name} could not be loaded ({said(error)}).") from error
    return network, tokenizer


def _load_from_hub(name: str, job: _Load) -> Loaded:
    try:
        job.report("Asking the Hugging Face hub", 0.0)
        config = _config(name, name, {})
        job.prepare(name, config, None)
        job.report("Downloading what is not here yet", 0.05)
        commit = hub.commit(name)
        same = {"revision": commit} if commit else {}  # all files of one version, whatever happens
        network = _network(name, name, config, job, same)
        job.report("Reading the tokenizer", 0.9)
        return network, _tokenizer(name, same), name, commit
    except (_Refused, LoadingCancelled):
        raise
    except Exception as error:  # network, cache, access and content: one sentence for each
        raise ValueError(hub.sentence(name, error)) from error


class _Refused(ValueError):
    """Already one sentence; not to be wrapped in another."""


def _config(where: str, name: str, options: dict[str, Any]) -> Any:
    with quiet():
        raw, _ = PreTrainedConfig.get_config_dict(where, **options)
        reason = checks.sizes_refusal(raw)  # before anything is laid out by it
        if reason is not None:
            raise _Refused(f"{name} cannot be loaded: {reason}.")
        config = AutoConfig.from_pretrained(where, trust_remote_code=False, **options)
    if type(config) not in AutoModelForCausalLM._model_mapping:
        raise _Refused(
            f"{name} is a {config.model_type} model, which is no decoder-only language model."
        )
    return config


def _network(
    where: str, name: str, config: Any, job: _Load, options: dict[str, Any]
) -> PreTrainedModel:
    """The network, whole or not at all."""
    with quiet(job.report.bar):
        network, report = AutoModelForCausalLM.from_pretrained(
            where,
            config=config,
            trust_remote_code=False,
            output_loading_info=True,
            **job.settings,
            **options,
        )
    missing = sorted(report["missing_keys"])
    if missing:  # transformers would fill them with random numbers
        raise _Refused(
            f"{name} is incomplete: {len(missing)} of its weights are missing "
            f"(the first is {missing[0]})."
        )
    return network


def _tokenizer(where: str, options: dict[str, Any]) -> Any:
    with quiet():
        return AutoTokenizer.from_pretrained(where, trust_remote_code=False, **options)
