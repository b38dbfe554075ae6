"""Float64, tiny random models of six architectures: no exception allowed."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.exactness import (
    accepts_and_rejects,
    check_case,
    jacobi_settings,
    lookahead_settings,
    settings_of_a_case,
)

EXAMPLES = 220
_tested: list[bool] = []


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(case=settings_of_a_case, lookahead=lookahead_settings, jacobi=jacobi_settings)
def test_every_method_equals_generate(
    case: dict[str, object], lookahead: dict[str, object], jacobi: dict[str, object]
) -> None:
    _tested.append(accepts_and_rejects(check_case(case, lookahead, jacobi)))


def test_enough_of_them_accepted_and_rejected_a_candidate() -> None:
    """Counts what the test above did; a text without both would prove nothing of verification."""
    if not _tested:
        test_every_method_equals_generate()
    assert len(_tested) >= 200
    assert sum(_tested) / len(_tested) >= 0.3


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(case=settings_of_a_case, lookahead=lookahead_settings, data=st.data())
def test_eager_attention_equals_generate(
    case: dict[str, object], lookahead: dict[str, object], data: st.DataObject
) -> None:
    check_case(case, lookahead, data.draw(jacobi_settings), attention="eager")
