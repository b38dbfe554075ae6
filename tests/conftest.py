"""Shared by all tests: one thread a process, and what needs the SmolLM2 weights."""

from __future__ import annotations

import os

import pytest

from lookahead_viz.models import smollm2

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# The models of the tests are tiny: a second thread only waits, and on a busy machine very long.
os.environ.setdefault("OMP_NUM_THREADS", "1")

needs_smollm2 = pytest.mark.skipif(
    not smollm2.installed(),
    reason="SmolLM2 is not fetched: python -m lookahead_viz models get smollm2-135m",
)
