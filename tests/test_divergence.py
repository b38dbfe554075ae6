"""Where texts part: with runs made up for each precision, and once for real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import lookahead_viz as lv
from lookahead_viz.cli import main
from lookahead_viz.config import Config, GreedyConfig, JacobiConfig, LookaheadConfig
from lookahead_viz.divergence import Divergence, Progress, Setting, comparison, explore
from lookahead_viz.divergence_words import OUTCOME_COLUMNS, answer, outcome_rows
from lookahead_viz.models.progress import LoadingCancelled
from lookahead_viz.records import ERROR, Run, Step
from lookahead_viz.views.race_table import verdict_on_texts
from tests.toy_runs import toy_run

toy = cache(toy_run)  # immutable, and the same for every precision
CONFIGS: tuple[Config, ...] = (JacobiConfig(block_size=8), LookaheadConfig())


def moved(run: Run, by: float) -> Run:
    """The same text, every top-2 gap changed by ``by``."""
    steps = [replace(one, gap=tuple(gap + by for gap in one.gap)) for one in run.steps]
    return replace(run, steps=tuple(steps))


def flipped(run: Run, index: int) -> Run:
    """Another token in step ``index``."""
    step = run.steps[index]
    other = replace(step, accepted=(0, *step.accepted[1:]))
    return replace(run, steps=(*run.steps[:index], other, *run.steps[index + 1 :]))


def tied(run: Run, index: int, gap: float) -> Run:
    step = run.steps[index]
    return replace(
        run,
        steps=(*run.steps[:index], replace(step, gap=(gap,)), *run.steps[index + 1 :]),
    )


def load(dtype: str, attention: str, on_progress: Any) -> tuple[str, str]:
    if (dtype, attention) == ("float16", "eager"):
        raise ValueError("float16 is too small for this model.")
    return dtype, attention


def record(model: Any, prompt: Any, config: Config, on_step: Callable[[Step], bool]) -> Run:
    """float64: no noise. float32: noise 1e-4. bfloat16: noise 0.1, a tie in greedy, a flip."""
    run = toy(config.method)
    for step in run.steps:
        if not on_step(step):
            break
    noise = {"float64": 0.0, "float32": 1e-4, "bfloat16": 0.1, "float16": 0.01}[model[0]]
    if config.method == "greedy":
        return tied(run, 5, 0.0) if model[0] == "bfloat16" else run
    run = moved(run, noise)
    return flipped(run, 5) if (model[0], config.method) == ("bfloat16", "jacobi") else run


def explored(**settings: Any) -> Divergence:
    return explore(load, record, "a prompt", CONFIGS, **settings)


def test_every_setting_is_decoded_by_every_method_greedy_first() -> None:
    found = explored()
    assert [(one.setting.label, one.run.method) for one in found.outcomes[:4]] == [
        ("float64, sdpa", "greedy"),
        ("float64, sdpa", "jacobi"),
        ("float64, sdpa", "lookahead"),
        ("float64, eager", "greedy"),
    ]
    assert len(found.outcomes) == 3 * 2 * 3 and found.whole


def test_gap_and_noise_where_a_text_parts() -> None:
    found = explored(dtypes=["bfloat16"], attentions=["sdpa"])
    greedy, jacobi, lookahead = found.outcomes
    assert greedy.parted is None and greedy.noise == 0
    assert jacobi.parted is not None and jacobi.parted.gap == 0.0  # greedy's tie
    assert jacobi.parted.index == 5 and jacobi.least_gap == 0.0
    assert jacobi.noise == pytest.approx(0.1)
    assert lookahead.parted is None and lookahead.noise > 0.09


def test_the_answer_is_made_of_the_numbers() -> None:
    said = answer(explored(attentions=["sdpa"]))
    assert "In bfloat16, sdpa, Jacobi n=16 parts from greedy at token 5" in said
    assert "there the two best logits were equal, a tie" in said
    assert "changed such gaps by up to 0.1 before it" in said
    assert "In float64 (sdpa) the texts of 2 runs are greedy's own" in said
    assert "so no token could flip" in said and "did not by luck" in said


def test_precision_alone_can_part_greedy_from_itself() -> None:
    def precise(model: Any, prompt: Any, config: Config, on_step: Any) -> Run:
        run = record(model, prompt, config, on_step)
        coarse = model[0] == "bfloat16" and config.method == "greedy"
        return flipped(run, 9) if coarse else run

    found = explore(load, precise, "x", CONFIGS, attentions=["sdpa"])
    assert "parts from its text in float64, sdpa: bfloat16, sdpa at token 9." in answer(found)


def test_what_is_refused_is_said_and_the_rest_goes_on() -> None:
    found = explored(dtypes=["float16", "float64"])
    assert [one.setting.label for one in found.refused] == ["float16, eager"]
    assert "too small" in found.refused[0].reason
    assert len(found.outcomes) == 9


def test_a_failed_run_is_no_outcome() -> None:
    def failing(model: Any, prompt: Any, config: Config, on_step: Any) -> Run:
        run = record(model, prompt, config, on_step)
        failed = config.method == "jacobi"
        return replace(run, finish_reason=f"{ERROR}out of memory") if failed else run

    found = explore(load, failing, "x", CONFIGS, dtypes=["float64"], attentions=["sdpa"])
    assert [one.run.method for one in found.outcomes] == ["greedy", "lookahead"]
    assert "out of memory" in found.refused[0].reason


def test_stopped_keeps_what_was_decoded() -> None:
    seen: list[Progress] = []

    def until_the_third_run(progress: Progress) -> bool:
        seen.append(progress)
        return progress.done < 2

    found = explored(on_progress=until_the_third_run)
    assert not found.whole and len(found.outcomes) == 2
    assert seen[0].runs == 18 and "Loading" in seen[0].sentence


def test_a_loading_tells_how_far_it_is_and_can_be_stopped() -> None:
    seen: list[str] = []

    def slow(dtype: str, attention: str, on_progress: Callable[[str, float], bool]) -> object:
        if not on_progress("Downloading: 1 MB of 4 MB", 0.25) and dtype == "float32":
            raise LoadingCancelled
        return load(dtype, attention, on_progress)

    def until_float32(progress: Progress) -> bool:
        seen.append(progress.sentence)
        return "float32, sdpa: Downloading" not in progress.sentence

    found = explore(slow, record, "x", CONFIGS, on_progress=until_float32)
    assert not found.whole and {one.setting.dtype for one in found.outcomes} == {"float64"}
    assert seen[1] == "Loading the model in float64, sdpa: Downloading: 1 MB of 4 MB (25%)"

    def broken(dtype: str, attention: str, on_progress: object) -> object:
        raise KeyError("a fault of ours")

    with pytest.raises(KeyError):
        explore(broken, record, "x", CONFIGS)


def test_a_setting_can_be_raced() -> None:
    found = explored(attentions=["sdpa"])
    raced = comparison(found, Setting("bfloat16", "sdpa"))
    assert [run.method for run in raced.runs] == ["greedy", "jacobi", "lookahead"]
    assert verdict_on_texts(raced)[0] is False


def test_rows_have_the_numbers_as_text() -> None:
    rows = outcome_rows(explored(dtypes=["bfloat16"], attentions=["sdpa"]))
    lines = [dict(zip(OUTCOME_COLUMNS, row, strict=True)) for row in rows]
    assert [line["text"] for line in lines] == [
        "the baseline",
        "parts at token 5",
        "40 tokens, equal",
    ]
    assert lines[1]["gap there"] == "0" and lines[1]["noise before"] == "0.1"


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"dtypes": ["int8"]}, "dtype is 'int8'"),
        ({"attentions": ["flash"]}, "attention is 'flash'"),
        ({"dtypes": []}, "at least one precision"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        explored(**settings)
    with pytest.raises(ValueError, match="temperature 0.5"):
        explore(load, record, "x", (LookaheadConfig(temperature=0.5),))


def test_the_tiny_model_parts_nowhere_in_float64() -> None:
    configs = (GreedyConfig(max_new_tokens=6), LookaheadConfig(max_new_tokens=6))
    found = lv.diverge("tiny", "The cat sat", configs, dtypes=["float64"], attentions=["sdpa"])
    greedy, lookahead = found.outcomes
    assert greedy.run.model.dtype == "float64" and lookahead.parted is None
    assert lookahead.noise < 1e-6 < (lookahead.least_gap or 0)
    assert "so no token could flip" in answer(found)


def test_the_command_line_answers(capsys: pytest.CaptureFixture[str]) -> None:
    command = "divergence --dtypes float64 --attentions sdpa --methods lookahead"
    words = [*command.split(), "--max-new-tokens", "6", "--prompt", "The cat\x1b[31m sat"]
    assert main(words) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[0].startswith("computed in") and "6 tokens, equal" in said.out
    assert "In float64 (sdpa) the text of one run is greedy's own" in said.out
    assert "\x1b" not in said.out and not said.err


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--methods magic", "--methods has 'magic'; it may have greedy, jacobi"),
        ("--dtypes int8", "dtype is 'int8'"),
        ("--methods speculative-jacobi", "samples"),
        ("--model nowhere/at/all.gguf", "nowhere/at/all.gguf"),
    ],
)
def test_the_command_line_refuses_in_one_line(
    options: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["divergence", "--prompt", "x", *options.split()]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and problem in line
