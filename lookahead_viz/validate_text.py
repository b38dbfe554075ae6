"""Texts of a run file: every token that occurs has one, and none is absurdly long.

Every ``ValueError`` is one sentence that names the token or the field.
"""

from __future__ import annotations

from collections.abc import Iterator

from lookahead_viz.occurring import occurring_ids
from lookahead_viz.records import ModelInfo, Run

MOST_NAME = 1_000
"""Characters of a name or a sentence: a model's, a version's, the finish reason."""
MOST_TOKEN_TEXT = 10_000
"""Characters (or bytes) of one token; the longest of real vocabularies have some hundred."""


def check_texts(run: Run) -> None:
    """Raise ValueError when a text of ``run`` is missing or longer than any real one."""
    for what, text in _names(run):
        if len(text) > MOST_NAME:
            raise ValueError(_too_long(what, len(text), MOST_NAME))
    for token, piece in run.token_text.items():
        if len(piece) > MOST_TOKEN_TEXT:
            raise ValueError(_too_long(f"the text of token {token}", len(piece), MOST_TOKEN_TEXT))
    missing = occurring_ids(run.prompt_ids, run.steps) - run.token_text.keys()
    if missing:
        raise ValueError(
            f"this run file is incomplete: token {min(missing)} occurs in it, but its text is "
            "neither in token_text nor in token_bytes."
        )


def _names(run: Run) -> Iterator[tuple[str, str]]:
    """Every text but the tokens', and what it is."""
    yield "finish_reason", run.finish_reason
    draft = getattr(run.config, "draft", None)
    if isinstance(draft, str):
        yield "the config's draft", draft
    yield from _names_of(run.model, "the model's")
    if run.draft is not None:
        yield from _names_of(run.draft, "the draft model's")


def _names_of(model: ModelInfo, whose: str) -> Iterator[tuple[str, str]]:
    for field in ("name", "revision", "architecture", "dtype", "device", "hardware", "attention"):
        yield f"{whose} {field}", getattr(model, field)
    for package, number in model.versions.items():
        yield f"{whose} versions", package + number


def _too_long(what: str, found: int, most: int) -> str:
    return (
        f"this run file is not readable: {what} has {found:,} characters, and at most {most:,} "
        "are read."
    )
