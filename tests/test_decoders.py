"""Edges of the decoders: stop ids, lengths, the position limit, the start of the window."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lookahead_viz.config import Config, JacobiConfig, LookaheadConfig
from lookahead_viz.engine.ending import cut
from lookahead_viz.engine.recording import decode
from lookahead_viz.presets import preset
from lookahead_viz.records import JacobiStep, LookaheadStep, Step
from tests.fakes import FakeRunner, Path, greedy_text, hash_model

PROMPT = (3, 1, 4, 1, 5)


def cycle(path: Path) -> int:
    """1, 2, 3, 4, 5, 1, 2, ...: whatever stands before."""
    return path[-1][1] % 5 + 1


def run(
    config: Config, runner: FakeRunner | None = None, stops: tuple[int, ...] = ()
) -> list[Step]:
    return list(
        decode(runner or FakeRunner(cycle, vocab_size=6), PROMPT, config, frozenset(stops))
    )


def tokens(steps: list[Step]) -> list[int]:
    return [token for step in steps for token in step.accepted]


def lookahead(**sizes: int) -> LookaheadConfig:
    w, n, g = sizes.pop("w", 5), sizes.pop("n", 4), sizes.pop("g", 5)
    return LookaheadConfig(window_size=w, ngram_size=n, max_candidates=g, **sizes)  # type: ignore[arg-type]


def test_first_steps_of_w5_n4() -> None:
    """Row 0 = current token + 6 fill tokens, two warm-up passes, then five insertions a pass."""
    steps = run(lookahead(max_new_tokens=8))
    shapes = [(len(step.window), len(step.window[0])) for step in steps[:3]]  # type: ignore[union-attr]
    assert shapes == [(1, 7), (2, 6), (3, 5)]
    first, second, third = steps[:3]
    assert isinstance(first, LookaheadStep) and isinstance(third, LookaheadStep)
    assert first.window[0][0] == PROMPT[-1]
    assert [len(step.pool_changes) for step in steps[:3]] == [0, 0, 5]  # type: ignore[union-attr]
    assert [change.key for change in third.pool_changes] == list(third.window[0])
    assert third.predictions[1:10] == (None,) * 9 and None not in third.predictions[10:]


def test_a_full_match_accepts_n_tokens_and_the_original_one_less() -> None:
    full = run(lookahead(max_new_tokens=60))
    assert max(len(step.accepted) for step in full) == 4
    original = run(replace(lookahead(max_new_tokens=60), accept="original"))
    assert max(len(step.accepted) for step in original) == 3
    assert tokens(full) == tokens(original) == greedy_text(cycle, PROMPT, 60)
    assert len(full) < len(original)


def test_bigrams_by_the_original_accept_one_token_a_step() -> None:
    steps = run(replace(lookahead(n=2, max_new_tokens=12), accept="original"))
    assert [len(step.accepted) for step in steps] == [1] * 12


@pytest.mark.parametrize("w", [1, 2, 5])
@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("g", [0, 1, 4])
def test_length_and_stop_ids_cut_inside_an_ngram(w: int, n: int, g: int) -> None:
    for count in range(1, 20):
        steps = run(lookahead(w=w, n=n, g=g, max_new_tokens=count))
        assert tokens(steps) == greedy_text(cycle, PROMPT, count)
    for stops in ((2,), (4, 5), (9,)):
        steps = run(lookahead(w=w, n=n, g=g, max_new_tokens=30), stops=stops)
        assert tokens(steps) == greedy_text(cycle, PROMPT, 30, stop_ids=stops)


def test_what_is_cut_off_is_discarded_and_not_kept() -> None:
    steps = run(lookahead(max_new_tokens=30), stops=())
    long = next(step for step in steps if len(step.accepted) == 4)
    before = sum(len(step.accepted) for step in steps[: long.index])
    cut_short = run(lookahead(max_new_tokens=before + 2))[-1]
    assert cut_short.accepted == long.accepted[:2]
    assert cut_short.discarded == long.accepted[2:]
    assert cut_short.kept_slots == long.kept_slots[:2]
    assert len(cut_short.gap) == 2


def test_cut() -> None:
    """accepted, discarded, ends, stopped."""
    assert cut([1, 2, 3], room=5, stop_ids=frozenset()) == ((1, 2, 3), (), False, False)
    assert cut([1, 2, 3], room=3, stop_ids=frozenset()) == ((1, 2, 3), (), True, False)
    assert cut([1, 2, 3], room=2, stop_ids=frozenset()) == ((1, 2), (3,), True, False)
    assert cut([1, 2, 3], room=9, stop_ids=frozenset({2})) == ((1, 2), (3,), True, True)
    assert cut([1, 2, 3], room=1, stop_ids=frozenset({2})) == ((1,), (2, 3), True, False)


def test_the_initial_window_is_used_as_given() -> None:
    config = replace(lookahead(w=3, n=3, max_new_tokens=4), initial_window=(2, 0, 1))
    first = run(config)[0]
    assert isinstance(first, LookaheadStep) and first.window == ((5, 2, 0, 1),)


def test_every_fill_and_seed_gives_the_same_text() -> None:
    texts = set()
    for fill in ("prompt", "random", "repeat"):
        for seed in range(3):
            base = lookahead(max_new_tokens=20, seed=seed)
            texts.add(tuple(tokens(run(replace(base, window_fill=fill)))))
    assert texts == {tuple(greedy_text(cycle, PROMPT, 20))}


def test_pool_from_prompt_inserts_prompt_and_generated_ngrams() -> None:
    config = replace(lookahead(w=2, n=3, max_new_tokens=6), pool_from_prompt=True)
    steps = run(config)
    sources = [
        [change.source for change in step.pool_changes]
        for step in steps
        if isinstance(step, LookaheadStep)
    ]
    assert sources[0] == ["generated"]  # warm-up: the window has no n-gram yet
    assert sources[1][:2] == ["window", "window"]
    assert sources[1][2:] == ["generated"] * len(steps[1].accepted)


@pytest.mark.parametrize("limit", range(12, 40))
def test_near_the_position_limit_the_current_token_goes_alone(limit: int) -> None:
    for sizes in ({"w": 5, "n": 4, "g": 5}, {"w": 1, "n": 4, "g": 3}, {"w": 3, "n": 2, "g": 1}):
        runner = FakeRunner(cycle, vocab_size=6, position_limit=limit)
        config = lookahead(max_new_tokens=limit - len(PROMPT), **sizes)
        steps = run(config, runner)
        assert tokens(steps) == greedy_text(cycle, PROMPT, limit - len(PROMPT))
        if sizes["w"] == 5:  # reaches 6 positions ahead, a step accepts 4 at most
            assert steps[-1].layout.slots == 1


@pytest.mark.parametrize("limit", range(12, 40, 3))
@pytest.mark.parametrize("name", ["llama.cpp", "TensorRT-LLM", "ours"])
def test_engines_near_the_position_limit(name: str, limit: int) -> None:
    for sizes in ((5, 4, 5), (1, 4, 3), (3, 2, 1), (2, 3, 0)):
        w, n, g = sizes
        runner = FakeRunner(cycle, vocab_size=6, position_limit=limit)
        settings = {"fill_token": 2} if name == "llama.cpp" else {}
        config = preset(
            name,
            window_size=w,
            ngram_size=n,
            max_candidates=g,
            max_new_tokens=limit - len(PROMPT),
            **settings,
        )
        steps = run(config, runner)
        assert tokens(steps) == greedy_text(cycle, PROMPT, limit - len(PROMPT))


def test_a_one_token_prompt_has_an_empty_prefill() -> None:
    for config in (lookahead(max_new_tokens=9), JacobiConfig(block_size=4, max_new_tokens=9)):
        steps = list(decode(FakeRunner(cycle, vocab_size=6), (2,), config, frozenset()))
        assert tokens(steps) == greedy_text(cycle, (2,), 9)
        assert steps[0].layout.positions[0] == 0


def jacobi(**sizes: int) -> list[JacobiStep]:
    stops = (sizes.pop("stop"),) if "stop" in sizes else ()
    found = run(JacobiConfig(init="repeat", **sizes), stops=stops)  # type: ignore[arg-type]
    return [step for step in found if isinstance(step, JacobiStep)]


def test_jacobi_by_hand() -> None:
    """Prompt ends in 5; the text goes on 1 2 3 4. The first iterate repeats 5 four times.

    Pass 0: 5 5 5 5 -> 1 1 1 1, one final. Each further pass gets one more right, and the one after
    the common prefix is final as well.
    """
    steps = jacobi(block_size=4, max_new_tokens=4)
    assert [step.iterate for step in steps] == [
        (5, 5, 5, 5),
        (1, 1, 1, 1),
        (1, 2, 2, 2),
        (1, 2, 3, 3),
    ]
    assert [step.frozen for step in steps] == [1, 2, 3, 4]
    assert [step.accepted for step in steps] == [(1,), (2,), (3,), (4,)]
    assert [step.kept_slots for step in steps] == [(), (), (), (0, 1, 2, 3)]


def test_a_right_guess_freezes_several_tokens_at_once() -> None:
    model = hash_model(vocab_size=1)
    found = list(
        decode(
            FakeRunner(model, vocab_size=1),
            (0, 0),
            JacobiConfig(block_size=8, max_new_tokens=8),
            frozenset(),
        )
    )
    assert len(found) == 1 and found[0].accepted == (0,) * 8


def test_jacobi_shortens_the_last_block_and_stops_at_a_frozen_stop_id() -> None:
    steps = jacobi(block_size=4, max_new_tokens=6)
    assert [len(step.iterate) for step in steps] == [4, 4, 4, 4, 2]  # 5 is right at once
    stopped = jacobi(block_size=4, max_new_tokens=6, stop=3)
    assert [token for step in stopped for token in step.accepted] == [1, 2, 3]
    assert stopped[-1].kept_slots == ()


def test_the_cache_holds_prompt_and_text_but_the_current_token() -> None:
    runner = FakeRunner(cycle, vocab_size=6)
    emitted = 0
    for step in decode(runner, PROMPT, lookahead(max_new_tokens=25), frozenset()):
        assert step.layout.positions[0] == len(PROMPT) + emitted - 1
        emitted += len(step.accepted)
        assert runner.cached == len(PROMPT) + emitted - 1
