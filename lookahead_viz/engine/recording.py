"""From a model, a prompt and a config to a ``Run``: every pass recorded, none lost."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from random import Random

from lookahead_viz.config import (
    CONFIGS,
    Config,
    DraftJacobiConfig,
    GreedyConfig,
    JacobiConfig,
    LookaheadConfig,
    MultiblockJacobiConfig,
    PromptLookupConfig,
    SpeculativeConfig,
    SpeculativeJacobiConfig,
)
from lookahead_viz.engine import memory
from lookahead_viz.engine.drafting import ModelDrafter, PromptDrafter
from lookahead_viz.engine.drafts import with_draft
from lookahead_viz.engine.greedy import greedy_steps
from lookahead_viz.engine.interface import Runner
from lookahead_viz.engine.jacobi import jacobi_steps
from lookahead_viz.engine.lookahead import lookahead_steps, prompt_pool
from lookahead_viz.engine.model import Model, check_text
from lookahead_viz.engine.multiblock import multiblock_steps
from lookahead_viz.engine.place import device_of
from lookahead_viz.engine.runner import TransformersRunner
from lookahead_viz.engine.speculative import speculative_steps
from lookahead_viz.engine.speculative_jacobi import speculative_jacobi_steps
from lookahead_viz.occurring import occurring_ids
from lookahead_viz.records import (
    ERROR,
    STOPPED,
    PoolChange,
    Run,
    Step,
)
from lookahead_viz.words import count, one_line

Prompt = str | Sequence[int]


def steps(
    model: Model, prompt: Prompt, config: Config, draft: Model | None = None
) -> Iterator[Step]:
    """Decode ``prompt`` and yield one ``Step`` for each pass, as they happen.

    ``draft`` as in ``record``. Stop early by leaving the loop. Raises ValueError in one sentence
    for a bad argument.
    """
    prompt_ids = checked_prompt(model, prompt, config)
    config, drafting = with_draft(model, config, draft)
    return decode(
        _runner(model, config),
        prompt_ids,
        config,
        stop_ids(model, config),
        _draft(drafting, config),
    )


def record(
    model: Model,
    prompt: Prompt,
    config: Config,
    on_step: Callable[[Step], object] | None = None,
    draft: Model | None = None,
) -> Run:
    """Decode ``prompt`` and return the whole ``Run``.

    ``draft`` is the draft model of a method that needs one; without it the config says how many
    of the model's own first layers draft. The run's config and ``draft`` name what was used.
    ``on_step(step)`` is called after each pass; returning False stops the run there. A failure
    while decoding does not raise: the run keeps the steps recorded so far and its
    ``finish_reason`` says "error: ...". A bad argument raises ValueError in one sentence.
    """
    prompt_ids = checked_prompt(model, prompt, config)
    config, drafting = with_draft(model, config, draft)
    stops = stop_ids(model, config)
    recorded: list[Step] = []
    reason = ""
    runner: TransformersRunner | None = None
    try:
        runner = _runner(model, config)
        for step in decode(runner, prompt_ids, config, stops, _draft(drafting, config)):
            recorded.append(step)
            if on_step is not None and on_step(step) is False:
                reason = STOPPED
                break
    except KeyboardInterrupt:
        reason = STOPPED
    except Exception as failure:  # the steps so far are worth more than the traceback
        reason = f"{ERROR}{_failure(failure, recorded, model)}"
    if reason.startswith(ERROR):
        runner = None  # with its cache
        memory.give_back(device_of(model.network))
    if reason in ("", STOPPED):
        reason = _ending(recorded, stops, config.max_new_tokens) or reason
    changes: list[PoolChange] = []
    if isinstance(config, LookaheadConfig):
        _, changes = prompt_pool(prompt_ids, config)
    return Run(
        method=config.method,
        config=config,
        model=model.info,
        prompt_ids=prompt_ids,
        stop_ids=tuple(sorted(stops)),
        prompt_pool_changes=tuple(changes),
        steps=tuple(recorded),
        token_text=model.token_text(occurring_ids(prompt_ids, recorded)),
        finish_reason=reason,
        draft=None if drafting is None else drafting.info,
    )


def _failure(failure: Exception, recorded: Sequence[Step], model: Model) -> str:
    if not memory.ran_out(failure):
        return one_line(failure)
    tokens = sum(len(step.accepted) for step in recorded)
    return (
        f"out of memory on {model.info.device} after {count(tokens, 'token')}; shorten the prompt "
        "or what is fed in one pass."
    )


def _runner(model: Model, config: Config) -> TransformersRunner:
    return model.runner(config.alternatives, getattr(config, "sampling", None))


def _draft(model: Model | None, config: Config) -> TransformersRunner | None:
    return None if model is None else model.runner(0, getattr(config, "sampling", None))


def decode(
    runner: Runner,
    prompt_ids: Sequence[int],
    config: Config,
    stops: frozenset[int],
    draft: Runner | None = None,
) -> Iterator[Step]:
    """The steps of the method that ``config`` belongs to; ``draft`` where it needs one."""
    if isinstance(config, LookaheadConfig):
        return lookahead_steps(runner, prompt_ids, config, stops)
    if isinstance(config, JacobiConfig):
        return jacobi_steps(runner, prompt_ids, config, stops)
    if isinstance(config, MultiblockJacobiConfig):
        return multiblock_steps(runner, prompt_ids, config, stops)
    if isinstance(config, PromptLookupConfig):
        copying = PromptDrafter(config.match_size)
        return speculative_steps(runner, prompt_ids, config, stops, copying)
    if isinstance(config, GreedyConfig):
        return greedy_steps(runner, prompt_ids, config, stops)
    if isinstance(config, SpeculativeJacobiConfig):
        return speculative_jacobi_steps(runner, prompt_ids, config, stops)
    assert draft is not None and isinstance(config, (SpeculativeConfig, DraftJacobiConfig))
    if isinstance(config, DraftJacobiConfig):
        return jacobi_steps(runner, prompt_ids, config, stops, ModelDrafter(draft, stops))
    # numbers of its own: the draft must not be made from those that judge it
    drafter = ModelDrafter(draft, stops, Random(f"draft {config.seed}"))
    return speculative_steps(runner, prompt_ids, config, stops, drafter)


def stop_ids(model: Model, config: Config) -> frozenset[int]:
    """The ids that end this run: the config's, or where it names none the model's own."""
    return frozenset(model.stop_ids if config.stop_ids is None else config.stop_ids)


def checked_prompt(model: Model, prompt: Prompt, config: Config) -> tuple[int, ...]:
    """The prompt as token ids; ValueError in one sentence when it or ``config`` cannot be used."""
    if not isinstance(model, Model):
        raise ValueError(
            f"model is a {type(model).__name__}; make one with load_model or wrap_model."
        )
    if not isinstance(config, tuple(CONFIGS.values())):
        *kinds, last = (kind.__name__ for kind in CONFIGS.values())
        raise ValueError(
            f"config is a {type(config).__name__}; it must be a {', '.join(kinds)} or {last}."
        )
    ids = model.encode(prompt) if isinstance(prompt, str) else _as_ids(prompt)
    if not ids:
        raise ValueError("the prompt is empty; it must hold at least one token.")
    given = {"prompt": ids, "stop_ids": config.stop_ids or ()}
    if isinstance(config, LookaheadConfig):
        given["initial_window"] = config.initial_window or ()
        given["fill_token"] = () if config.fill_token is None else (config.fill_token,)
    for name, tokens in given.items():
        unknown = next((t for t in tokens if not 0 <= t < model.info.vocab_size), None)
        if unknown is not None:
            raise ValueError(
                f"{name} holds token id {unknown}, but {model.name} knows the ids 0 to "
                f"{model.info.vocab_size - 1}."
            )
    limit = model.info.position_limit
    if limit is not None and len(ids) + config.max_new_tokens > limit:
        raise ValueError(
            f"the prompt has {count(len(ids), 'token')} and max_new_tokens is "
            f"{config.max_new_tokens:,}, together {len(ids) + config.max_new_tokens:,}, but "
            f"{model.name} has only {count(limit, 'position')}; shorten one of them."
        )
    too_much = memory.refusal(model.network, len(ids), config)
    if too_much is not None:
        raise ValueError(too_much)
    return ids


def _as_ids(prompt: Sequence[int]) -> tuple[int, ...]:
    if isinstance(prompt, (bytes, bytearray, memoryview)):  # whose items are numbers too
        check_text(prompt)
    try:
        return tuple(operator.index(token) for token in prompt)
    except TypeError:
        kind = type(prompt).__name__
        raise ValueError(
            f"the prompt ({kind}) is no text and no flat list of token ids, as it must be."
        ) from None


def _ending(recorded: Sequence[Step], stops: frozenset[int], max_new_tokens: int) -> str | None:
    """Why a decoding is over by itself; None when it is not ("stop" wins over "length")."""
    if not recorded:
        return None
    if recorded[-1].accepted[-1] in stops:
        return "stop"
    emitted = sum(len(step.accepted) for step in recorded)
    return "length" if emitted >= max_new_tokens else None
