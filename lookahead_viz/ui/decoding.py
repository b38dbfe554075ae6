"""Decoding in the background: one thread a request, its progress, its cancel flag.

Nothing here knows streamlit: pages start a ``Job`` through the ``Worker`` of their session and ask
it for ``progress`` as often as they like.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from lookahead_viz.comparison import Comparison, config_label
from lookahead_viz.config import Config, DraftJacobiConfig, SpeculativeConfig
from lookahead_viz.models.progress import LoadingCancelled, OnProgress
from lookahead_viz.records import Run, Step
from lookahead_viz.ui.background import InThread
from lookahead_viz.words import count, one_line

logger = logging.getLogger(__name__)


class Encoder(Protocol):
    """What a job needs of a model besides passing it to the recorder."""

    @property
    def has_chat_template(self) -> bool: ...

    def encode_chat(self, text: str) -> Sequence[int]: ...


class Recorder(Protocol):
    """``lookahead_viz.record``."""

    def __call__(
        self,
        model: Encoder,
        prompt: str | Sequence[int],
        config: Config,
        on_step: Callable[[Step], bool],
        draft: Encoder | None = None,
    ) -> Run: ...


Loader = Callable[[str, OnProgress], Encoder]
"""Brings a model by name; told how far it is it may be stopped (``LoadingCancelled``)."""


@dataclass(frozen=True)
class Request:
    """One prompt, one model, and what to decode it with, one lane a config, in order."""

    prompt: str
    model: str
    configs: tuple[Config, ...]
    chat: bool = False


@dataclass(frozen=True)
class Progress:
    """How far a job is. ``lane`` is what is decoded; None while the model is loading."""

    lane: str | None
    number: int  # of the lane, from 1
    lanes: int
    steps: int
    tokens: int
    wanted: int
    loading: str = "Loading the model …"

    @property
    def fraction(self) -> float:
        """Of the whole job, 0 to 1."""
        share = self.tokens / self.wanted if self.wanted else 0.0
        return min((max(self.number - 1, 0) + share) / self.lanes, 1.0)

    @property
    def sentence(self) -> str:
        if self.lane is None:
            return self.loading
        return (
            f"{self.lane} ({self.number} of {self.lanes}): pass {self.steps}, "
            f"{self.tokens:,} of {count(self.wanted, 'token')}"
        )


class Job(InThread):
    """One decoding of a ``Request`` in its own thread; when stopped it keeps the passes so far."""

    def __init__(
        self, request: Request, load: Loader, record: Recorder, after: Job | None = None
    ) -> None:
        self.request = request
        self._runs: tuple[Run, ...] = ()
        self._progress = Progress(None, 0, len(request.configs), 0, 0, 0)
        super().__init__(partial(self._work, load, record, after), "decoding", "Decoding")

    @property
    def progress(self) -> Progress:
        return self._progress

    def comparison(self) -> Comparison | None:
        """The runs so far, as “Your prompt”; None before the first run ended."""
        if not self._runs:
            return None
        note = f"Decoded here by {self._runs[0].model.name}."
        return Comparison(name="Your prompt", runs=self._runs, note=note)

    def _work(self, load: Loader, record: Recorder, after: Job | None) -> None:
        if after is not None:
            after.join()
        try:
            self._decode(load, record)
        except LoadingCancelled:
            logger.info("loading %s was cancelled", self.request.model)

    def _said(self, failure: str) -> str:
        """Which of several lanes it was that went wrong, where one was being decoded."""
        lane = self._progress.lane
        return failure if lane is None else f"{lane}: {failure}"

    def _decode(self, load: Loader, record: Recorder) -> None:
        request = self.request
        model = load(request.model, self._on_loading)
        prompt: str | Sequence[int] = request.prompt
        if request.chat:
            if not model.has_chat_template:
                raise ValueError(f"{request.model!r} has no chat template; switch it off.")
            prompt = model.encode_chat(request.prompt)
        refused: dict[str, list[str]] = {}  # a sentence, and the lanes of which it is said
        for number, config in enumerate(request.configs, start=1):
            if self.stopping:
                break
            lane = config_label(config)
            self._progress = Progress(
                lane, number, len(request.configs), 0, 0, config.max_new_tokens
            )
            try:
                self._runs += (self._record(load, record, model, prompt, config),)
            except ValueError as error:  # of this lane alone: the others may well be possible
                logger.info("%s was refused: %s", lane, error)
                refused.setdefault(one_line(error), []).append(lane)
        if refused:
            self.error = _refusals(refused, len(request.configs))

    def _record(
        self,
        load: Loader,
        record: Recorder,
        model: Encoder,
        prompt: str | Sequence[int],
        config: Config,
    ) -> Run:
        """One method; a draft that is another model is loaded as well."""
        if isinstance(config, (SpeculativeConfig, DraftJacobiConfig)):
            if isinstance(config.draft, str):
                draft = load(config.draft, self._on_loading)
                return record(model, prompt, config, self._on_step, draft=draft)
        return record(model, prompt, config, self._on_step)

    def _on_loading(self, stage: str, share: float) -> bool:
        said = f"Loading the model: {stage} ({share:.0%})"
        self._progress = replace(self._progress, loading=said)
        return not self.stopping

    def _on_step(self, step: Step) -> bool:
        now = self._progress
        self._progress = replace(now, steps=now.steps + 1, tokens=now.tokens + len(step.accepted))
        return not self.stopping


def _refusals(refused: Mapping[str, Sequence[str]], lanes: int) -> str:
    """What was refused, and which of the ``lanes`` it is said of, where it is not all of them."""
    return " ".join(
        said if len(names) == lanes else f"{' and '.join(names)}: {said}"
        for said, names in refused.items()
    )


class Worker:
    """The decodings of one session: at most one goes on, a new one cancels the one before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._job: Job | None = None

    @property
    def job(self) -> Job | None:
        """The latest job, running or over."""
        return self._job

    def start(self, request: Request, load: Loader, record: Recorder) -> Job:
        """Cancel what is running and decode ``request`` as soon as that has let go."""
        with self._lock:
            before = self._job
            if before is not None:
                before.stop()
            self._job = Job(request, load, record, after=before)
            return self._job

    def close(self) -> None:
        """The session is gone: stop whatever runs."""
        if self._job is not None:
            self._job.stop()
