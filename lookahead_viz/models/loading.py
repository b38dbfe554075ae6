"""``load_model``: a name, a folder, a ``.gguf`` file or a hub id becomes a ``Model``.

Whatever is wrong with what was asked for is answered by a ``ValueError`` of one sentence. Code
that comes with a model is never run, and pickled weights are read as weights only.
"""

from __future__ import annotations

import re
import threading
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from lookahead_viz import collector
from lookahead_viz.engine.model import Model, wrap_model
from lookahead_viz.models import checks, hub, reading, registry, smollm2, weights
from lookahead_viz.models.hub import said
from lookahead_viz.models.progress import LoadingCancelled, OnProgress, Report
from lookahead_viz.models.settings import check_attention, choose_device, choose_dtype

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


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
    id on the Hugging Face hub ("owner/name": downloaded once, what cannot work is refused before;
    ``HF_HUB_OFFLINE=1`` keeps to the local cache).
    ``device``: "auto" (cuda, else mps, else cpu), "cpu", "cuda", "cuda:1", "mps".
    ``dtype``: "auto" (bfloat16 on cuda, else float32), "float32", "bfloat16", "float16",
    "float64". ``attention``: "auto" (sdpa where the model has it, else eager), "sdpa", "eager",
    "flex_attention" (compiled on first use; on a CPU it runs uncompiled). ``device_map="auto"``
    lays the layers over all GPUs, and what has no room there over main memory and disk
    (accelerate); ``tp_plan="auto"`` cuts each layer over the processes that torchrun started;
    every process then records the same run.
    ``on_progress(stage, share)`` is called on the way; returning False stops with
    ``LoadingCancelled``.

    Raises ValueError in one sentence when it cannot be done. Loads one model at a time, but for
    downloads. A download that was cancelled goes on where it was the next time.
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
    job = reading.Job(settings, place, report, None if dtype == "auto" else number)
    found = _find(str(source), job)
    with report.turn(_ONE_AT_A_TIME), collector.paused():  # first loads import the model's code
        if found.path.suffix.lower() == ".gguf":
            network, tokenizer = reading.read_gguf(found.path, job)
        else:
            network, tokenizer = reading.read_folder(found.path, str(source), job)
        report("Checking that it can be decoded exactly", 0.95)
        if not job.placed:
            try:
                network = network.to(place)
            except (RuntimeError, NotImplementedError, TypeError) as error:
                raise ValueError(
                    f"{str(source)!r} does not fit on {place} ({said(error)})."
                ) from error
        return wrap_model(network, tokenizer, found.name, found.revision)


_ONE_AT_A_TIME = threading.RLock()


class _Found(NamedTuple):
    """A model on this machine."""

    path: Path  # a folder or a .gguf file
    name: str
    revision: str = ""


def _find(source: str, job: reading.Job) -> _Found:
    """Where what was asked for lies; a hub id is downloaded."""
    if source in registry.NAMES:
        return _known(source)
    path = Path(source)
    try:
        path = path.expanduser()
        is_folder, is_file = path.is_dir(), path.is_file()
    except (OSError, RuntimeError):  # too long a name, an unknown ~user
        is_folder = is_file = False
    if path.suffix.lower() == ".gguf":
        return _Found(path, path.stem)
    if is_folder:
        return _Found(path, path.resolve().name)
    if is_file:
        raise ValueError(f"{source!r} is neither a model folder nor a .gguf file.")
    if HUB_ID.fullmatch(source):
        return _downloaded(source, job)
    raise ValueError(
        f"there is no model {source[:100]!r}: it is no folder, no .gguf file, no hub id, and none "
        f"of {', '.join(registry.NAMES)}."
    )


def _known(name: str) -> _Found:
    reason = registry.refusal(name)
    if reason is not None:
        raise ValueError(reason)
    if name == registry.TINY:
        return _Found(registry.TINY_FOLDER, name)
    return _Found(smollm2.folder(), smollm2.NAME, smollm2.REVISION)


def _downloaded(name: str, job: reading.Job) -> _Found:
    """A model of the hub, in its cache; others may load models meanwhile."""
    try:
        snapshot = hub.Snapshot(name, job.report)
        with job.report.turn(_ONE_AT_A_TIME):
            config = reading.read_config(snapshot.folder, name)
            job.prepare(name, config)
        if snapshot.unreached is None:
            reason = snapshot.download(config, lambda size: job.refusal_of(config, size))
            reading.refuse(name, reason)
        else:
            _whole(snapshot, config)
    except (reading.Refused, LoadingCancelled):
        raise
    except Exception as error:  # network, disk, access and content: one sentence for each
        raise ValueError(hub.sentence(name, error)) from error
    return _Found(snapshot.folder, name, snapshot.commit)


def _whole(snapshot: hub.Snapshot, config: Any) -> None:
    """Refuse what lies in the cache only in part while the hub is not there to complete it."""
    try:
        weights.bytes_in(snapshot.folder, config)
    except ValueError as reason:
        raise reading.Refused(
            f"{snapshot.name!r} lies in the local cache only in part ({reason}), and the Hugging "
            "Face hub was not asked or not reached (offline?)."
        ) from snapshot.unreached
