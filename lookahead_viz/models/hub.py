"""The Hugging Face hub: which version lies in its cache, and what went wrong, in one sentence."""

from __future__ import annotations

from pathlib import Path


def commit(name: str) -> str:
    """The version that lies in the hub's cache after the config was read; empty if unknown."""
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(name, "config.json")
    return Path(path).parent.name if isinstance(path, str) else ""


def sentence(name: str, error: Exception) -> str:
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
    return f"{name} could not be loaded ({said(error)})."


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def said(error: BaseException) -> str:
    """What an exception says, in at most 200 characters of one line."""
    text = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return text if len(text) <= 200 else text[:199] + "…"
