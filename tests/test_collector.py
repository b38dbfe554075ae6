"""The garbage collector rests while the libraries are imported, and only then."""

from __future__ import annotations

import gc

import pytest

import lookahead_viz as lv
from lookahead_viz import collector


def test_it_rests_inside_and_is_as_before_afterwards() -> None:
    with pytest.raises(ZeroDivisionError), collector.paused():
        assert not gc.isenabled()
        raise ZeroDivisionError
    assert gc.isenabled()


def test_it_stays_off_where_it_was_off() -> None:
    gc.disable()
    try:
        with collector.paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_refused_load_leaves_it_on() -> None:
    with pytest.raises(ValueError):
        lv.load_model("no such model")
    assert gc.isenabled()
