"""The Hugging Face hub: an id becomes a folder in its cache, and nothing is downloaded in vain.

The settings come first. What they, or the sizes of the files, forbid is refused before a byte of
the weights is fetched. Everything is of one commit.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from huggingface_hub import (
    HfApi,
    constants,
    errors,
    get_hf_file_metadata,
    hf_hub_download,
    hf_hub_url,
    try_to_load_from_cache,
)
from tqdm import tqdm

from lookahead_viz.models import weights
from lookahead_viz.models.download import Tally, fetch, in_background, partial
from lookahead_viz.models.progress import Report
from lookahead_viz.words import amount_of_bytes

SMALL = (".json", ".txt", ".model", ".jinja")
"""Ends of the names of what else is needed: settings, vocabularies, chat templates."""

UNUSED = ("adapter_", "consolidated", "tf_model", "flax_model")
"""Beginnings of the names of files that are never read here."""

DOWNLOADED = 0.8
"""The part of the way that a download takes; the loading of what it brought takes the rest."""


@dataclass(frozen=True)
class File:
    """One file at the top level of a repository."""

    name: str
    size: int  # bytes
    sha256: str | None  # of what is stored apart because it is large


class Snapshot:
    """One commit of the model ``name``; its config.json is in ``folder`` already."""

    def __init__(self, name: str, report: Report) -> None:
        """Asks the hub, or its cache where it cannot be asked; raises huggingface_hub's errors."""
        self.name = name
        self._report = report
        self.folder = Path(self._waiting(lambda: _settings_file(name))).parent
        self.commit = self.folder.name
        self.unreached: Exception | None = None
        self._files: dict[str, File] = {}
        try:
            self._files = {file.name: file for file in self._waiting(self._listed)}
        except (errors.OfflineModeIsEnabled, OSError, httpx2.HTTPError) as error:
            self.unreached = error  # what the cache holds has to do

    def download(self, config: Any, refusal: Callable[[int], str | None]) -> str | None:
        """Bring all files here that the model needs.

        ``refusal`` is asked with the bytes of the weights. Returns why the model was refused
        before its weights were downloaded, or None when ``folder`` is complete.
        """
        if self.unreached is not None:
            return None
        first = weights.index_of(self._files, config)
        if first is None:
            return self._no_weights()
        names = weights.files_of(first, self._content)
        missing = [name for name in names if name not in self._files]
        if missing:
            return f"{len(missing)} of its files are not on the hub (the first is {missing[0]})"
        reason = refusal(sum(self._files[name].size for name in names))
        if reason is not None:
            return reason
        others = [
            file.name
            for file in self._files.values()
            if file.name.endswith(SMALL) and not file.name.startswith(UNUSED)
        ]
        wanted = [self._files[name] for name in dict.fromkeys((*others, first, *names))]
        reason = self._room_refusal(wanted)
        if reason is None:
            self._bring(wanted)
        return reason

    def _listed(self) -> list[File]:
        found = HfApi().model_info(
            self.name, revision=self.commit, files_metadata=True, timeout=10.0
        )
        return [
            File(one.rfilename, one.size or 0, one.lfs.sha256 if one.lfs else None)
            for one in found.siblings or ()
            if "/" not in one.rfilename
        ]

    def _no_weights(self) -> str:
        packed = any(name.endswith(".gguf") for name in self._files)
        hint = "; download one of its .gguf files and name that" if packed else ""
        return f"it has no weights on the hub ({' or '.join(weights.IN_THIS_ORDER)}){hint}"

    def _content(self, name: str) -> Any:
        path = self._waiting(lambda: _small_file(self.name, name, self.commit))
        return json.loads(Path(path).read_text("utf-8"))

    # --- what is here, and what fits

    def _here(self, file: File) -> bool:
        blob = self._blob(file)
        return (self.folder / file.name).is_file() or (blob is not None and blob.is_file())

    def _blob(self, file: File) -> Path | None:
        """Where the hub's cache keeps the content; None for what ``hf_hub_download`` brings."""
        if file.sha256 is None or file.size > constants.MAX_HTTP_DOWNLOAD_SIZE:
            return None
        return self.folder.parents[1] / "blobs" / file.sha256

    def _arrived(self, file: File) -> int:
        """Bytes of a file that need not come again."""
        blob = self._blob(file)
        if self._here(file):
            return file.size
        if blob is not None and partial(blob).is_file():
            return min(partial(blob).stat().st_size, file.size)
        return 0

    def _room_refusal(self, wanted: Iterable[File]) -> str | None:
        missing = sum(file.size - self._arrived(file) for file in wanted)
        free = shutil.disk_usage(self.folder).free
        if missing <= free:
            return None
        return (
            f"{amount_of_bytes(missing)} are still to be downloaded, but only "
            f"{amount_of_bytes(free)} are free on the disk of the hub's cache; make room there or "
            "set HF_HOME to a folder on another disk"
        )

    # --- the download

    def _bring(self, wanted: list[File]) -> None:
        tally = Tally(sum(file.size for file in wanted))
        news = not all(self._here(file) for file in wanted)

        def told() -> None:
            if news:
                said = f"{amount_of_bytes(tally.done)} of {amount_of_bytes(tally.total)}"
                self._report(f"Downloading: {said}", DOWNLOADED * tally.done / max(tally.total, 1))

        def work(gone: threading.Event) -> None:
            for file in wanted:
                blob = self._blob(file)
                if blob is not None and not self._here(file):
                    where = hf_hub_url(self.name, file.name, revision=self.commit)
                    fetch(where, blob, self._lock(blob), file.size, gone, tally)
                _small_file(self.name, file.name, self.commit)  # a large one has its place now
                tally.next_file(file.size)

        in_background(work, told)
        if news:
            self._report.rest(DOWNLOADED)

    def _lock(self, blob: Path) -> Path:
        """The lock that huggingface_hub itself takes to write this blob."""
        repository = self.folder.parents[1]
        return repository.parent / ".locks" / repository.name / f"{blob.name}.lock"

    def _waiting(self, work: Callable[[], Any]) -> Any:
        return in_background(
            lambda gone: work(), lambda: self._report("Asking the Hugging Face hub", 0.0)
        )


class _Silent(tqdm):  # type: ignore[type-arg]
    """A progress bar that is never seen."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{**options, "disable": True})


def _settings_file(name: str) -> str:
    """The path of the model's config.json, its newest where the hub can be asked.

    Raises at once where it is not here and the hub is not reached: left alone, ``hf_hub_download``
    tries again for half a minute.
    """
    if not constants.HF_HUB_OFFLINE and try_to_load_from_cache(name, "config.json") is None:
        try:
            get_hf_file_metadata(hf_hub_url(name, "config.json"), timeout=10.0)
        except httpx2.TransportError as error:
            raise errors.LocalEntryNotFoundError("the hub was not reached") from error
    return _small_file(name, "config.json")


def _small_file(name: str, file: str, commit: str | None = None) -> str:
    """The path of the file in the hub's cache; downloaded if it is not there."""
    return str(hf_hub_download(name, file, revision=commit, tqdm_class=_Silent))


def sentence(name: str, error: Exception) -> str:
    """What went wrong with the hub, in one sentence."""
    kinds = {type(cause) for cause in _causes(error)}
    if kinds & {errors.GatedRepoError}:
        return f"{name!r} needs an accepted licence or a login on the Hugging Face hub."
    if kinds & {errors.RepositoryNotFoundError}:
        return f"there is no model {name!r} here or on the Hugging Face hub."
    if kinds & {errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled}:
        return (
            f"there is no folder {name!r}, and the Hugging Face hub was not asked or not reached "
            "(offline?) while the local cache does not hold the model."
        )
    if kinds & {errors.RemoteEntryNotFoundError}:
        return (
            f"{name!r} is no transformers model: it has no config.json on the Hugging Face hub; "
            "of a repository of .gguf files download one and name that."
        )
    return f"{name!r} could not be loaded ({said(error)})."


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
