"""The window view: which token stands where, how old it is, what it became."""

from __future__ import annotations

import pytest

from lookahead_viz.records import LookaheadStep, Run
from lookahead_viz.views.window import WindowView, window_view
from tests.toy_runs import toy_run


@pytest.fixture(scope="module")
def run() -> Run:
    return toy_run("lookahead")  # W=5, N=4


def rows(view: WindowView) -> list[list[str]]:
    cells = view.cells + view.entering
    return [[c.text for c in cells if c.row == r] for r in range(len(view.row_labels))]


def lookahead(run: Run, index: int) -> LookaheadStep:
    step = run.steps[index]
    assert isinstance(step, LookaheadStep)
    return step


def test_the_start_is_the_current_token_and_six_fill_tokens(run: Run) -> None:
    view = window_view(run, 0)
    assert (view.phase, view.rows, view.cols) == ("warm-up", 1, 7)
    assert [cell.current for cell in view.cells] == [True] + [False] * 6
    assert [cell.fill for cell in view.cells] == [False] + [True] * 6
    assert view.row_labels == (("row 0", "start fill"), ("predictions", "enter now"))
    assert view.ngrams == ()


def test_two_warm_ups_then_five_insertions_with_the_keys_of_row_0(run: Run) -> None:
    assert [window_view(run, i).phase for i in (0, 1, 2)] == ["warm-up", "warm-up", "full"]
    assert [len(lookahead(run, i).pool_changes) for i in (0, 1, 2)] == [0, 0, 5]
    view = window_view(run, 2)
    row_0 = [cell.token for cell in view.cells if cell.row == 0]
    assert [change.key for change in lookahead(run, 2).pool_changes] == row_0
    assert [ngram.key for ngram in view.ngrams] == rows(view)[0]


def test_a_full_window_is_staggered(run: Run) -> None:
    view = window_view(run, 13)
    assert rows(view) == [
        ["·", "return", "·fib", "(", "n"],
        ["return", "·fib", "(", "n", "·-"],
        ["·fib", "(", "1", "·-", "·"],
        ["(", "n", ")", "·", "1"],
    ]
    assert [[c.x for c in view.cells if c.row == r] for r in range(3)] == [
        [0, 1, 2, 3, 4],
        [1, 2, 3, 4, 5],
        [2, 3, 4, 5, 6],
    ]
    assert [cell.offset for cell in view.entering] == [3, 4, 5, 6, 7]
    assert view.row_labels == (
        ("row 0", "guessed 3 passes ago"),
        ("row 1", "guessed 2 passes ago"),
        ("row 2 (newest)", "guessed 1 pass ago"),
        ("predictions", "enter now"),
    )
    assert view.tick_labels[:2] == (("current", "24"), ("+1", "25"))


def test_an_ngram_runs_diagonally_or_upright_when_straightened(run: Run) -> None:
    ngram = window_view(run, 13).ngrams[1]
    assert (ngram.text, ngram.xs, ngram.rows) == ("return·fib(n", (1, 2, 3, 4), (0, 1, 2, 3))
    straight = window_view(run, 13, straighten=True)
    assert straight.ngrams[1].xs == (1, 1, 1, 1)
    assert straight.ticks == (0, 1, 2, 3, 4)


def test_a_cell_names_its_ngram_where_one_enters(run: Run) -> None:
    view = window_view(run, 13)
    cell = next(cell for cell in view.cells if (cell.row, cell.col) == (2, 1))
    assert view.hover(cell) == f"{cell.hover}\nn-gram of column 1: ‘return·fib(n’, key ‘return’"
    warm_up = window_view(run, 0)
    assert all(warm_up.hover(cell) == cell.hover for cell in warm_up.cells)


def test_ages_count_the_steps_since_the_prediction(run: Run) -> None:
    view = window_view(run, 13)
    for cell in view.cells[1:]:
        made = lookahead(run, cell.made_at)
        assert cell.age == 13 - cell.made_at == 3 - cell.row
        assert made.predictions[10 + cell.col] == cell.token  # row 2 is the last one


@pytest.mark.parametrize("shift", ["reanchor", "slide"])
def test_every_predicted_cell_knows_its_probability(shift: str) -> None:
    run = toy_run("lookahead", shift=shift)
    for index in range(len(run.steps)):
        view = window_view(run, index, colour="probability")
        for cell in view.cells + view.entering:
            known = cell.current or cell.fill
            assert (cell.probability is None) == known
            maker = lookahead(run, cell.made_at) if not known else None
            if maker:
                top = [(entry.ids[0], entry.probabilities[0]) for entry in maker.top_k]
                assert (cell.token, cell.probability) in top


def test_sliding_refills_the_right_columns() -> None:
    run = toy_run("lookahead", shift="slide")
    index = next(i for i, step in enumerate(run.steps) if len(step.accepted) == 4)
    view = window_view(run, index + 1)
    fill = [[c.fill for c in view.cells if c.row == r] for r in range(3)]
    assert fill[2] == [False, False, True, True, True]  # 4 accepted: 3 columns slid


def test_changed_compares_the_same_row_and_absolute_position(run: Run) -> None:
    for index in range(1, len(run.steps)):
        before = {(c.row, c.position): c for c in window_view(run, index - 1).cells}
        for cell in window_view(run, index).cells[1:]:
            old = before.get((cell.row, cell.position))
            known = old is not None and not old.current
            assert cell.changed == (known and old is not None and old.token != cell.token)


def test_final_is_unknown_beyond_the_text(run: Run) -> None:
    text = run.prompt_ids + run.token_ids
    for index in (5, len(run.steps) - 1):
        for cell in window_view(run, index, colour="final").cells:
            if cell.position < len(text):
                assert cell.final == (cell.token == text[cell.position])
            else:
                assert cell.final is None


def test_equal_tokens_stay_three_cells() -> None:
    run = toy_run("lookahead", text="story")
    views = [window_view(run, i) for i in range(len(run.steps))]
    row = next(r for view in views for r in rows(view) if r.count("·the") >= 2)
    view = next(view for view in views if row in rows(view))
    same = [cell for cell in view.cells + view.entering if cell.text == "·the"]
    assert len(same) >= 3
    assert len({(cell.x, cell.row) for cell in same}) == len(same)


def test_the_smallest_window() -> None:
    run = toy_run("lookahead", window_size=1, ngram_size=2, max_candidates=0)
    view = window_view(run, 3)
    assert (view.rows, view.cols, len(view.cells), len(view.entering)) == (1, 1, 1, 1)
    assert len(view.ngrams) == 1


def test_near_the_position_limit_the_window_is_dropped() -> None:
    run = toy_run("lookahead", position_limit=30, max_new_tokens=24)
    view = window_view(run, -1)
    assert (view.phase, len(view.cells), view.entering) == ("alone", 1, ())


def test_what_has_no_window_says_so() -> None:
    assert window_view(toy_run("greedy"), 0).sentence == "A greedy run has no window."
    empty = toy_run("lookahead", stop_after=0)
    assert window_view(empty, 0) == WindowView("This run has no passes yet.")
    with pytest.raises(ValueError, match="colour is 'hue'"):
        window_view(toy_run("lookahead"), 0, colour="hue")  # type: ignore[arg-type]
