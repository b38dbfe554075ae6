"""Decoding in the background: progress, Stop, a new Run, two sessions, failures."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from lookahead_viz.config import Config, GreedyConfig, JacobiConfig, LookaheadConfig
from lookahead_viz.models.progress import LoadingCancelled, OnProgress
from lookahead_viz.presets import preset
from lookahead_viz.records import Run, Step
from lookahead_viz.ui.decoding import Encoder, Job, Progress, Request, Worker
from lookahead_viz.words import one_line
from tests.toy_runs import toy_run

CONFIGS: tuple[Config, ...] = (
    GreedyConfig(max_new_tokens=12),
    JacobiConfig(max_new_tokens=12),
    LookaheadConfig(max_new_tokens=12),
)
PATIENCE = 30  # seconds a test waits for a thread before it gives up


class ToyModel:
    """Says what it was asked; ``chat`` is whether it has a chat template."""

    def __init__(self, name: str = "toy", chat: bool = False) -> None:
        self.name = name
        self.has_chat_template = chat

    def encode_chat(self, text: str) -> Sequence[int]:
        return [len(text)]


class ToyRecorder:
    """Replays toy runs; ``gate(number)`` is called before each pass, from 0 for each run."""

    def __init__(self, gate: Callable[[int], None] = lambda number: None) -> None:
        self.gate = gate
        self.prompts: list[str | Sequence[int]] = []

    def __call__(
        self,
        model: Encoder,
        prompt: str | Sequence[int],
        config: Config,
        on_step: Callable[[Step], bool],
        draft: Encoder | None = None,
    ) -> Run:
        self.prompts.append(prompt)
        run = toy_run(config.method, max_new_tokens=config.max_new_tokens)
        for number, step in enumerate(run.steps):
            self.gate(number)
            if not on_step(step):
                steps = run.steps[: number + 1]
                return replace(run, steps=steps, finish_reason="stopped by user")
        return run


class Gate:
    """Holds the decoder at pass ``at`` until it is opened."""

    def __init__(self, at: int = 3) -> None:
        self.at = at
        self.reached = threading.Event()
        self.open = threading.Event()

    def __call__(self, number: int) -> None:
        if number == self.at:
            self.reached.set()
            assert self.open.wait(PATIENCE)


def load(name: str, on_progress: OnProgress | None = None) -> Encoder:
    return ToyModel(name)


def finished(job: Job) -> Job:
    job.join(PATIENCE)
    assert not job.running
    return job


def request(prompt: str = "hello", **settings: bool) -> Request:
    return Request(prompt, "toy", CONFIGS, **settings)


def test_all_methods_are_decoded_in_order() -> None:
    job = finished(Worker().start(request(), load, ToyRecorder()))
    found = job.comparison()
    assert found is not None and job.error is None
    assert [run.method for run in found.runs] == ["greedy", "jacobi", "lookahead"]
    assert {run.token_ids for run in found.runs} == {found.runs[0].token_ids}
    assert job.progress.fraction == 1.0


def test_progress_counts_passes_and_tokens() -> None:
    gate = Gate(at=3)
    job = Worker().start(request(), load, ToyRecorder(gate))
    assert gate.reached.wait(PATIENCE)
    assert job.progress == Progress("Greedy", 1, 3, steps=3, tokens=3, wanted=12)
    assert job.progress.sentence == "Greedy (1 of 3): pass 3, 3 of 12 tokens"
    assert job.running and job.comparison() is None
    gate.open.set()
    finished(job)


def test_stop_takes_effect_before_the_next_pass_and_keeps_the_steps() -> None:
    gate = Gate(at=3)
    job = Worker().start(request(), load, ToyRecorder(gate))
    assert gate.reached.wait(PATIENCE)
    job.stop()
    gate.open.set()
    found = finished(job).comparison()
    assert found is not None and job.stopping
    assert [len(run.steps) for run in found.runs] == [4], "the pass under way, no later method"
    assert found.runs[0].finish_reason == "stopped by user"


def test_a_new_run_cancels_the_old_one() -> None:
    gate, worker = Gate(at=2), Worker()
    old = worker.start(request("old"), load, ToyRecorder(gate))
    assert gate.reached.wait(PATIENCE)
    recorder = ToyRecorder()
    new = worker.start(request("new"), load, recorder)
    assert worker.job is new and old.stopping
    assert recorder.prompts == [], "the new one waits until the old one has let go"
    gate.open.set()
    found = finished(new).comparison()
    assert found is not None and len(found.runs) == 3
    assert not old.running and set(recorder.prompts) == {"new"}


def test_two_sessions_do_not_disturb_each_other() -> None:
    gate = Gate(at=2)
    held = Worker().start(request(), load, ToyRecorder(gate))
    assert gate.reached.wait(PATIENCE)
    free = finished(Worker().start(request(), load, ToyRecorder()))
    assert held.running and not held.stopping
    gate.open.set()
    assert finished(held).comparison() == free.comparison()


def test_the_end_of_a_session_stops_its_decoding() -> None:
    gate, worker = Gate(at=2), Worker()
    job = worker.start(request(), load, ToyRecorder(gate))
    assert gate.reached.wait(PATIENCE)
    worker.close()
    gate.open.set()
    assert finished(job).stopping


def test_a_failure_keeps_the_runs_before_it() -> None:
    def fail_later(number: int) -> None:
        if len(recorder.prompts) == 2:
            raise RuntimeError("out of memory\n  at some line")

    recorder = ToyRecorder(fail_later)
    job = finished(Worker().start(request(), load, recorder))
    found = job.comparison()
    assert found is not None and [run.method for run in found.runs] == ["greedy"]
    assert job.error == "Jacobi: out of memory at some line"


class Refuser(ToyRecorder):
    """Refuses the settings of some methods, as ``record`` does before it decodes."""

    def __init__(self, **sentences: str) -> None:
        super().__init__()
        self.sentences = sentences

    def __call__(
        self,
        model: Encoder,
        prompt: str | Sequence[int],
        config: Config,
        on_step: Callable[[Step], bool],
        draft: Encoder | None = None,
    ) -> Run:
        if config.method in self.sentences:
            raise ValueError(self.sentences[config.method])
        return super().__call__(model, prompt, config, on_step, draft)


def test_a_refused_lane_is_named_and_the_others_are_decoded() -> None:
    job = finished(Worker().start(request(), load, Refuser(jacobi="fill_token is 9.")))
    found = job.comparison()
    assert found is not None and [run.method for run in found.runs] == ["greedy", "lookahead"]
    assert job.error == "Jacobi: fill_token is 9."


def test_two_settings_of_lookahead_are_told_apart_when_one_is_refused() -> None:
    lanes = (GreedyConfig(), LookaheadConfig(), preset("llama.cpp"))
    recorder = Refuser(lookahead="fill_token is 9.")
    job = finished(Worker().start(Request("hello", "toy", lanes), load, recorder))
    assert job.error == "Lookahead and Lookahead, llama.cpp: fill_token is 9."


def test_what_is_refused_of_all_lanes_is_said_once() -> None:
    said = "the prompt has 9,000 tokens, but toy has only 512 positions."
    recorder = Refuser(greedy=said, jacobi=said, lookahead=said)
    job = finished(Worker().start(request(), load, recorder))
    assert job.error == said and job.comparison() is None


def test_a_model_that_does_not_load_is_one_sentence() -> None:
    def broken(name: str, on_progress: OnProgress) -> Encoder:
        raise OSError(f"there is no model called {name}.")

    job = finished(Worker().start(request(), broken, ToyRecorder()))
    assert job.error == "there is no model called toy." and job.comparison() is None


def test_loading_tells_how_far_it_is_and_can_be_stopped() -> None:
    reached, go_on = threading.Event(), threading.Event()

    def slow(name: str, on_progress: OnProgress) -> Encoder:
        assert on_progress("Reading the weights", 0.4) is True
        reached.set()
        assert go_on.wait(PATIENCE)
        if on_progress("Reading the weights", 0.5) is False:
            raise LoadingCancelled("loading was cancelled.")
        return ToyModel(name)

    job = Worker().start(request(), slow, ToyRecorder())
    assert reached.wait(PATIENCE)
    assert job.progress.sentence == "Loading the model: Reading the weights (40%)"
    job.stop()
    go_on.set()
    assert finished(job).error is None and job.comparison() is None


def test_an_unexpected_failure_names_its_kind() -> None:
    def broken(name: str, on_progress: OnProgress) -> Encoder:
        raise KeyError("layers.0")

    job = finished(Worker().start(request(), broken, ToyRecorder()))
    assert job.error == "Decoding failed (KeyError): 'layers.0'"


def test_the_chat_template_is_used_when_asked_for() -> None:
    recorder = ToyRecorder()
    finished(Worker().start(request(chat=True), lambda name, _: ToyModel(chat=True), recorder))
    assert recorder.prompts == [[len("hello")]] * 3


def test_a_missing_chat_template_is_one_sentence() -> None:
    job = finished(Worker().start(request(chat=True), load, ToyRecorder()))
    assert job.error == "'toy' has no chat template; switch it off."


def test_one_line_is_never_empty_or_long() -> None:
    assert one_line(ValueError()) == "ValueError"
    assert len(one_line(ValueError("x" * 5000))) == 300
