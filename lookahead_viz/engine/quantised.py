"""Networks with quantised weights: is packed decoding exact in their arithmetic too?

Weights alone may be quantised, then a pass is the same linear algebra as ever. Where the numbers
between the layers are quantised as well, a token's may depend on what else is in the pass.
"""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedModel

from lookahead_viz.engine.self_check import TOLERANCE, Inexact, brief_error

HALF = 0.08
"""Largest relative logit error: that of half precision, where near ties may turn around."""


def kind(config: Any) -> str | None:
    """The kind of quantised weights that the settings announce, as transformers names it."""
    settings = _settings(config)
    if settings is None:
        return None
    named = settings.get("quant_method")
    if named is None and (settings.get("load_in_8bit") or settings.get("load_in_4bit")):
        return "bitsandbytes"  # of its first years
    return str(getattr(named, "value", named))


def refusal(config: Any) -> str | None:
    """Why these quantised layers rule exact decoding out, by their settings; None if not."""
    settings = _settings(config) or {}
    if kind(config) == "bitsandbytes" and settings.get("load_in_8bit"):
        if float(settings.get("llm_int8_threshold", 6.0)) > 0:  # bitsandbytes' own default
            return (
                "its 8-bit layers (bitsandbytes' LLM.int8()) work out a token otherwise beside "
                "tokens with large activations, so that guesses would change the text; set "
                "llm_int8_threshold to 0.0 in the quantization_config of its config.json, or take "
                "it in 4 bits"
            )
    return None


def check(network: PreTrainedModel) -> str:
    """How well packed and sequential logits agree, as a sentence; raises ``Inexact``."""
    error = brief_error(network)
    if not error <= HALF:
        raise Inexact(
            "its quantised layers work out a token otherwise when others are in the same pass "
            f"(relative error of the logits {error:.2g}), so that guesses would change the text"
        )
    said = f"Its weights are quantised ({kind(network.config)}): packed and sequential logits"
    if error > TOLERANCE.get(network.dtype, HALF):
        return f"{said} differ by {error:.1g} of the largest, so near ties may turn around."
    return f"{said} agree (relative error {error:.1g})."


def _settings(config: Any) -> dict[str, Any] | None:
    found = getattr(config, "quantization_config", None)
    return found if found is None or isinstance(found, dict) else dict(found.to_dict())
