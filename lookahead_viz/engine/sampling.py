"""From logits to the distribution that is sampled from: transformers' own logits processors."""

from __future__ import annotations

from torch import Tensor
from transformers import (
    LogitsProcessorList,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from lookahead_viz.config import Sampling
from lookahead_viz.engine.interface import Distribution


def processors(sampling: Sampling) -> LogitsProcessorList:
    """Temperature, top-k, top-p, in the order of ``generate``."""
    found = LogitsProcessorList([TemperatureLogitsWarper(sampling.temperature)])
    if sampling.top_k is not None:
        found.append(TopKLogitsWarper(sampling.top_k))
    if sampling.top_p is not None:
        found.append(TopPLogitsWarper(float(sampling.top_p)))
    return found


def distribution(logits: Tensor, warp: LogitsProcessorList) -> Distribution:
    """The float64 probabilities [vocabulary] that ``warp`` leaves of the logits [vocabulary]."""
    row = logits.double().unsqueeze(0)
    warped: Tensor = warp(row.new_zeros((1, 0)).long(), row)
    probabilities: Distribution = warped.softmax(-1)[0].cpu().numpy()
    return probabilities
