"""``load_model``: a name, a folder, a ``.gguf`` file or a hub id becomes a ``Model``.

Whatever is wrong with what was asked for is answered by a ``ValueError`` of one sentence. Code
that comes with a model is never run, and pickled weights are read as weights only.
"""

from __future__ import annotations

import json
import re
from os import PathLike
from pathlib import Path
from typing import Any

from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from lookahead_viz import collector
from lookahead_viz.engine.model import Model, wrap_model
from lookahead_viz.models import gguf, registry, smollm2
from lookahead_viz.models.quiet import quiet
from lookahead_viz.models.settings import check_attention, choose_device, choose_dtype

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json")


def load_model(
    source: str | PathLike[str],
    device: str = "auto",
    dtype: str = "auto",
    attention: str = "auto",
) -> Model:
    """Load a model, ready to decode.

    ``source``: a name of ``registry.available()``, a transformers folder, a ``.gguf`` file, or an
    id on the Hugging Face hub ("owner/name"; ``HF_HUB_OFFLINE=1`` keeps to the local cache).
    ``device``: "auto" (cuda, else mps, else cpu), "cpu", "cuda", "cuda:1", "mps".
    ``dtype``: "auto" (bfloat16 on cuda, else float32), "float32", "bfloat16", "float16",
    "float64". ``attention``: "auto" (sdpa where the model has it, else eager), "sdpa", "eager".

    Raises ValueError in one sentence when it cannot be done.
    """
    place = choose_device(device)
    number = choose_dtype(dtype, place)
    check_attention(attention)
    settings: dict[str, Any] = {"dtype": number}
    if attention != "auto":  # left out, transformers picks sdpa where the model has it
        settings["attn_implementation"] = attention
    with collector.paused():  # the first load imports the model's own code
        network, tokenizer, name, revision = _load(str(source), settings)
    try:
        network = network.to(place)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        raise ValueError(f"{name} does not fit on {place} ({one_line(error)}).") from error
    return wrap_model(network, tokenizer, name, revision)


Loaded = tuple[PreTrainedModel, Any, str, str]
"""Network, tokenizer or None, name, revision."""


def _load(source: str, settings: dict[str, Any]) -> Loaded:
    if source in registry.NAMES:
        return _load_named(source, settings)
    path = Path(source)
    try:
        path = path.expanduser()
        is_folder, is_file = path.is_dir(), path.is_file()
    except (OSError, RuntimeError):  # too long a name, an unknown ~user
        is_folder = is_file = False
    if path.suffix.lower() == ".gguf":
        return _load_gguf(path, settings)
    if is_folder:
        name = path.resolve().name
        return *_load_folder(path, settings, name), name, ""
    if is_file:
        raise ValueError(f"{source} is neither a model folder nor a .gguf file.")
    if HUB_ID.fullmatch(source):
        return _load_from_hub(source, settings)
    raise ValueError(
        f"there is no model {source[:100]!r}: it is no folder, no .gguf file, no hub id, and none "
        f"of {', '.join(registry.NAMES)}."
    )


def _load_named(name: str, settings: dict[str, Any]) -> Loaded:
    reason = registry.refusal(name)
    if reason is not None:
        raise ValueError(reason)
    if name == registry.TINY:
        return *_load_folder(registry.TINY_FOLDER, settings, name), name, ""
    loaded = _load_folder(smollm2.folder(), settings, smollm2.NAME)
    return *loaded, smollm2.NAME, smollm2.REVISION


def _load_gguf(path: Path, settings: dict[str, Any]) -> Loaded:
    gguf.check_file(path)
    try:
        return gguf.load_network(path, **settings), gguf.load_tokenizer(path), path.stem, ""
    except Exception as error:  # a damaged or unknown file can fail anywhere in transformers
        raise ValueError(f"{path.name} could not be loaded ({one_line(error)}).") from error


def _load_folder(path: Path, settings: dict[str, Any], name: str) -> tuple[PreTrainedModel, Any]:
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
        config = _config(str(path), name, here)
        network = _network(str(path), name, config, settings, here)
        tokenizer = _tokenizer(str(path), here) if with_tokenizer else None
    except _Refused:
        raise
    except Exception as error:  # a damaged folder can fail anywhere in transformers
        raise ValueError(f"{name} could not be loaded ({one_line(error)}).") from error
    return network, tokenizer


def _load_from_hub(name: str, settings: dict[str, Any]) -> Loaded:
    try:
        config = _config(name, name, {})
        commit = _commit(name)
        same = {"revision": commit} if commit else {}  # all files of one version, whatever happens
        network = _network(name, name, config, settings, same)
        return network, _tokenizer(name, same), name, commit
    except _Refused:
        raise
    except Exception as error:  # network, cache, access and content: one sentence for each
        raise ValueError(_hub_sentence(name, error)) from error


def _commit(name: str) -> str:
    """The version that lies in the hub's cache after the config was read; empty if unknown."""
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(name, "config.json")
    return Path(path).parent.name if isinstance(path, str) else ""


class _Refused(ValueError):
    """Already one sentence; not to be wrapped in another."""


def _config(where: str, name: str, options: dict[str, Any]) -> Any:
    with quiet():
        config = AutoConfig.from_pretrained(where, trust_remote_code=False, **options)
    if type(config) not in AutoModelForCausalLM._model_mapping:
        raise _Refused(
            f"{name} is a {config.model_type} model, which is no decoder-only language model."
        )
    return config


def _network(
    where: str, name: str, config: Any, settings: dict[str, Any], options: dict[str, Any]
) -> PreTrainedModel:
    """The network, whole or not at all."""
    check_backend(name, config, settings.get("attn_implementation"))
    with quiet():
        network, report = AutoModelForCausalLM.from_pretrained(
            where,
            config=config,
            trust_remote_code=False,
            output_loading_info=True,
            **settings,
            **options,
        )
    missing = sorted(report["missing_keys"])
    if missing:  # transformers would fill them with random numbers
        raise _Refused(
            f"{name} is incomplete: {len(missing)} of its weights are missing "
            f"(the first is {missing[0]})."
        )
    return network


def check_backend(name: str, config: Any, attention: str | None) -> None:
    """Refuse an attention backend that the architecture lacks, with those it has."""
    kind = AutoModelForCausalLM._model_mapping[type(config)]
    has = {
        "sdpa": getattr(kind, "_supports_sdpa", False),
        "flex_attention": getattr(kind, "_supports_flex_attn", False),
        "eager": True,
    }
    if not has.get(attention or "eager", True):
        others = " or ".join(backend for backend, supported in has.items() if supported)
        raise _Refused(f"{name} ({kind.__name__}) has no {attention}; load it with {others}.")


def _tokenizer(where: str, options: dict[str, Any]) -> Any:
    with quiet():
        return AutoTokenizer.from_pretrained(where, trust_remote_code=False, **options)


def _hub_sentence(name: str, error: Exception) -> str:
    from huggingface_hub import errors

    kinds = {type(cause) for cause in _causes(error)}
    if kinds & {errors.GatedRepoError}:
        return f"{name} needs an accepted licence or a login on the Hugging Face hub."
    if kinds & {errors.RepositoryNotFoundError}:
        return f"there is no model {name!r} here or on the Hugging Face hub."
    if kinds & {errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled}:
        return (
            f"there is no folder {name!r}, and the Hugging Face hub was not asked or not reached "
            "(offline?) while the local cache does not hold the model."
        )
    return f"{name} could not be loaded ({one_line(error)})."


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def one_line(error: BaseException) -> str:
    """What an exception says, in at most 200 characters of one line."""
    text = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return text if len(text) <= 200 else text[:199] + "…"
