"""The exactness test again, on a CUDA device."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings

from tests.exactness import check_case, jacobi_settings, lookahead_settings, settings_of_a_case

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device on this machine"),
]


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(case=settings_of_a_case, lookahead=lookahead_settings, jacobi=jacobi_settings)
def test_every_method_equals_generate_on_cuda(
    attention: str,
    case: dict[str, object],
    lookahead: dict[str, object],
    jacobi: dict[str, object],
) -> None:
    check_case(case, lookahead, jacobi, attention=attention, device="cuda")
