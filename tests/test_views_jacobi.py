"""The Jacobi sheet: what is frozen, what is lucky, what changed, where the blocks lie."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lookahead_viz.records import JacobiStep, Run
from lookahead_viz.views.jacobi import MOST_CELLS, JacobiBlock, JacobiView, jacobi_view
from tests.toy_runs import token, toy_run


@pytest.fixture(scope="module")
def run() -> Run:
    return toy_run("jacobi")  # 40 tokens in blocks of 16, 16 and 8


def states(view: JacobiView, y: int, block: JacobiBlock) -> str:
    cells = {cell.x: cell for cell in view.cells if cell.y == y}
    letters = {"start": "s", "plain": ".", "lucky": "l", "frozen": "F"}
    return "".join(letters[cells[block.x0 + i].state] for i in range(block.size))


def test_blocks_follow_each_other_right_and_down(run: Run) -> None:
    view = jacobi_view(run, 12)
    assert view.blocks == (
        JacobiBlock(0, 0, 16, 0, 9),
        JacobiBlock(1, 16, 16, 10, 20),
        JacobiBlock(2, 32, 8, 21, 26),
    )
    assert (view.cursor, view.total_passes, view.tokens) == (12, 27, 40)
    assert view.saved == "saved 13 of 40 passes"


def test_states_of_the_first_block(run: Run) -> None:
    view = jacobi_view(run, 0)
    block = view.blocks[0]
    assert [states(view, y, block) for y in (-1, 0, 1, 8, 9)] == [
        "ssssssssssssssss",
        "F......l..lll..l",
        "FF.....l..llll.l",
        "FFFFFFFFFFllllll",
        "FFFFFFFFFFFFFFFF",
    ]


def test_frozen_cells_hold_the_final_text(run: Run) -> None:
    view = jacobi_view(run, 0)
    shown = {(cell.x, cell.y): cell for cell in view.cells}
    for x, final in enumerate(run.token_ids):
        for cell in view.cells:
            if cell.x == x and cell.state in ("frozen", "lucky"):
                step = run.steps[cell.y]
                assert isinstance(step, JacobiStep)
                block = view.blocks[step.block]
                assert step.next_iterate[x - block.x0] == final
    assert len(shown) == len(view.cells)  # no two cells on one place


def test_the_frontier_grows_every_pass(run: Run) -> None:
    passes = jacobi_view(run, 0).passes
    assert [one.frontier for one in passes[:10]] == [1, 2, 3, 4, 5, 6, 7, 9, 10, 16]
    assert passes[-1].frontier == 40
    for one in passes:
        assert one.iteration + 1 <= one.frozen <= (one.correct or 0) <= one.size


def test_changed_and_flipped_compare_with_one_pass_ago(run: Run) -> None:
    view = jacobi_view(run, 0)
    for cell in view.cells:
        if cell.state == "start":
            continue
        step = run.steps[cell.y]
        assert isinstance(step, JacobiStep)
        i = cell.x - view.blocks[step.block].x0
        before, after, final = step.iterate[i], step.next_iterate[i], run.token_ids[cell.x]
        assert cell.changed == (before != after)
        assert cell.flipped == (before == final != after)
    assert view.flips == sum(cell.flipped for cell in view.cells)


def test_the_current_block_alone(run: Run) -> None:
    view = jacobi_view(run, 12, blocks="current")
    assert [block.number for block in view.blocks] == [1]
    assert {cell.x for cell in view.cells} == set(range(16, 32))
    assert {one.block for one in view.passes} == {1}
    assert view.note == ""


def test_a_long_run_shows_the_current_block_and_says_so() -> None:
    run = toy_run("jacobi", block_size=64, max_new_tokens=512)
    assert sum(step.layout.slots for step in run.steps) > MOST_CELLS
    view = jacobi_view(run, 70)
    assert view.note.startswith("Block 7 of 8: the whole run has more than")
    assert len(view.blocks) == 1


def test_nothing_is_lucky_in_a_stopped_run() -> None:
    run = toy_run("jacobi", stop_after=5)
    view = jacobi_view(run, 4)
    assert not view.finished and {cell.state for cell in view.cells} == {
        "start",
        "plain",
        "frozen",
    }
    assert all(one.correct is None for one in view.passes)


def test_nothing_is_lucky_after_an_error() -> None:
    failed = replace(toy_run("jacobi", stop_after=5), finish_reason="error: out of memory")
    view = jacobi_view(failed, 4)
    assert not view.finished and "lucky" not in {cell.state for cell in view.cells}


def test_a_stop_id_inside_a_block() -> None:
    whole = toy_run("jacobi")
    stop = token(whole, "return")
    run = toy_run("jacobi", stop_ids=(stop,))
    view = jacobi_view(run, -1)
    assert run.finish_reason == "stop" and view.finished
    assert view.passes[-1].frontier == len(run.token_ids) < view.blocks[0].size


def test_the_smallest_block() -> None:
    view = jacobi_view(toy_run("jacobi", block_size=1, max_new_tokens=3), 0)
    assert [block.size for block in view.blocks] == [1, 1, 1]
    assert view.saved == "saved 0 of 3 passes"


def test_what_has_no_sheet_says_so() -> None:
    assert jacobi_view(toy_run("greedy"), 0).sentence == "A greedy run has no Jacobi sheet."
    empty = toy_run("jacobi", stop_after=0)
    assert jacobi_view(empty, 0) == JacobiView("This run has no passes yet.")
