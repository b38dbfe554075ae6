"""The exactness test again, on a CUDA device."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings

from tests.architectures import CONFIGURATIONS, NO_SDPA
from tests.exactness import cases, check_case, jacobi_settings, lookahead_settings

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device on this machine"),
]


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("architecture", sorted(set(CONFIGURATIONS) - NO_SDPA))
@settings(max_examples=2, deadline=None, derandomize=True, database=None)
@given(case=cases, lookahead=lookahead_settings, jacobi=jacobi_settings)
def test_every_method_equals_generate_on_cuda(
    architecture: str,
    attention: str,
    case: dict[str, object],
    lookahead: dict[str, object],
    jacobi: dict[str, object],
) -> None:
    check_case(architecture, case, lookahead, jacobi, attention=attention, device="cuda")
