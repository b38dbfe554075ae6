"""``record``: decode one prompt with one method and save every pass."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from lookahead_viz.cli_inputs import checked_out, prompt_text
from lookahead_viz.cli_loading import load
from lookahead_viz.cli_text import INTERRUPTED, fail, on_terminal, printable
from lookahead_viz.config import (
    CONFIGS,
    Config,
    DraftJacobiConfig,
    LookaheadConfig,
    SpeculativeConfig,
)
from lookahead_viz.models import registry
from lookahead_viz.presets import changes_of
from lookahead_viz.reach import window_dropped
from lookahead_viz.records import STOPPED, Run, Step
from lookahead_viz.run_io import save_run
from lookahead_viz.words import count

DRAFTED = (SpeculativeConfig, DraftJacobiConfig)

_ALL_CONFIG_FIELDS = {field.name for kind in CONFIGS.values() for field in fields(kind)}
_FLAGS = {"window_size": "-W", "ngram_size": "-N", "max_candidates": "-G"}


def record_command(arguments: Namespace) -> int:
    """Everything that can be refused is refused before the first pass."""
    config = config_from(arguments.method, vars(arguments))
    out = checked_out(arguments.out)
    text = prompt_text(arguments)
    names = [arguments.model]
    if isinstance(config, DRAFTED) and isinstance(config.draft, str):
        names.append(config.draft)
    for name in names:
        if (reason := registry.refusal(name)) is not None:
            raise ValueError(reason)

    how = (arguments.device, arguments.dtype, arguments.attention)
    over = {"device_map": arguments.device_map, "tp_plan": arguments.tp_plan}
    loaded = [load(name, *how, **over) for name in names]
    model, draft = loaded[0], loaded[1] if len(loaded) > 1 else None
    prompt = model.encode_chat(text) if arguments.chat else model.encode(text)
    run = _record_with_bar(model, prompt, config, draft)
    return _save(run, out)


def config_from(method: str, given: Mapping[str, Any]) -> Config:
    """The config of ``method`` with the options that were given; ValueError for a foreign one."""
    kind = CONFIGS[method]
    own = {field.name for field in fields(kind)}
    chosen = {name: value for name, value in given.items() if name in _ALL_CONFIG_FIELDS}
    if "preset" in given:
        if kind is not LookaheadConfig:
            raise ValueError(f"--preset means nothing to --method {method}.")
        chosen = {**changes_of(given["preset"]), **chosen}
    for name in chosen:
        if name not in own:
            flag = _FLAGS.get(name, "--" + name.replace("_", "-"))
            raise ValueError(f"{flag} means nothing to --method {method}.")
    return kind(**chosen)


def _record_with_bar(model: Any, prompt: tuple[int, ...], config: Config, draft: Any) -> Run:
    """A bar at once on a terminal; in a log, a line now and then when it takes long."""
    from tqdm import tqdm

    from lookahead_viz.engine.recording import record
    from lookahead_viz.models.quiet import quiet

    pause = 0.3 if on_terminal() else 30.0
    with (
        quiet(),
        tqdm(total=config.max_new_tokens, unit=" tokens", delay=pause, mininterval=pause) as bar,
    ):

        def show(step: Step) -> None:
            bar.set_postfix(passes=step.index + 1, refresh=False)
            bar.update(len(step.accepted))

        return record(model, prompt, config, on_step=show, draft=draft)


def _save(run: Run, out: Path) -> int:
    reason = printable(run.finish_reason)
    if not run.steps:
        code = INTERRUPTED if run.finish_reason == STOPPED else 2
        return fail(f"nothing was recorded: {run.failure or reason}", code)
    save_run(run, out)
    print(
        f"{printable(str(out))}: {count(len(run.token_ids), 'token')} in "
        f"{count(len(run.steps), 'pass', 'passes')} "
        f"({run.compression:.2f} a pass), finish reason: {reason}"
    )
    if (dropped := window_dropped(run)) is not None:
        print(f"note: {printable(dropped)}")
    if run.failure is not None:
        passes = count(len(run.steps), "pass", "passes")
        return fail(f"decoding failed after {passes}: {run.failure}")
    return INTERRUPTED if run.finish_reason == STOPPED else 0
