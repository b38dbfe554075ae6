"""Which draft model a run uses: the one handed over, or the model's own first layers."""

from __future__ import annotations

from dataclasses import replace

from lookahead_viz.config import Config, DraftJacobiConfig, SpeculativeConfig
from lookahead_viz.engine.layer_skip import layer_skip
from lookahead_viz.engine.model import Model
from lookahead_viz.words import count


def with_draft(model: Model, config: Config, given: Model | None) -> tuple[Config, Model | None]:
    """The config that names the draft, and the draft model; None for a method without one.

    A draft that is ``given`` is used, and the config takes its name.

    ValueError in one sentence when the draft is missing, not wanted, or of another vocabulary.
    """
    if not isinstance(config, (SpeculativeConfig, DraftJacobiConfig)):
        if given is not None:
            raise ValueError(f"a draft model means nothing to the method {config.method!r}.")
        return config, None
    if given is None:
        if isinstance(config.draft, str):
            raise ValueError(
                f"the config names the draft {config.draft!r}, but none was handed over: give "
                f"draft=load_model({config.draft!r}), or a number of layers of {model.name} "
                "itself."
            )
        return config, layer_skip(model, config.draft)
    if not isinstance(given, Model):
        raise ValueError(
            f"draft is a {type(given).__name__}; make one with load_model or wrap_model."
        )
    check_vocabulary(model, given)
    return replace(config, draft=given.name), given


def check_vocabulary(model: Model, draft: Model) -> None:
    """ValueError that names both models unless token ids mean the same to both."""
    own, other = model.info.vocab_size, draft.info.vocab_size
    if own != other:
        raise ValueError(
            f"{draft.name!r} cannot draft for {model.name!r}: it knows {count(other, 'token')} "
            f"and the model {own:,}; both must have one vocabulary."
        )
    if model.tokenizer is None or draft.tokenizer is None or model.tokenizer is draft.tokenizer:
        return
    mine, theirs = model.tokenizer.get_vocab(), draft.tokenizer.get_vocab()
    if mine != theirs:
        token = next(t for t in {**mine, **theirs} if mine.get(t) != theirs.get(t))
        raise ValueError(
            f"{draft.name!r} cannot draft for {model.name!r}: the token {token!r} is "
            f"{mine.get(token, 'no token')} to the model and {theirs.get(token, 'no token')} to "
            "the draft; both must have one vocabulary."
        )
