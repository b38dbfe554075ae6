"""The tiny Llama and a loss that never holds all logits at once."""

from __future__ import annotations

import ctypes
from typing import Any

import torch
from torch import Tensor, nn
from transformers import LlamaConfig, LlamaForCausalLM

POSITIONS = 1024
CHUNK = 512  # rows of logits at a time: 512 x 4,096 floats are 8 MB and stay in the cache


def keep_freed_memory() -> None:
    """Ask glibc to keep big freed blocks: giving them back costs a page fault per 4 kB later.

    About a fifth of a training step went into those faults.  Other C libraries: no effect.
    """
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return
    trim_threshold, mmap_threshold = -1, -3  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
    mallopt(mmap_threshold, 1 << 30)
    mallopt(trim_threshold, 2**31 - 1)


def config(vocabulary: int, width: int, layers: int) -> LlamaConfig:
    """Few wide layers rather than many narrow ones: one core likes large products, and every
    layer costs a fixed time per decoded token.  Heads of 64 (at least 2), two queries per key."""
    heads = max(2, width // 64)
    return LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        intermediate_size=round(width * 8 / 3 / 32) * 32,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads // 2,
        max_position_embeddings=POSITIONS,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
        initializer_range=0.02,
    )


def new_model(settings: LlamaConfig, seed: int) -> LlamaForCausalLM:
    """Random weights from ``seed``; outputs of residual branches start smaller (GPT-2's way)."""
    torch.manual_seed(seed)
    model = LlamaForCausalLM(settings)
    shrink = (2 * settings.num_hidden_layers) ** -0.5
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                weight.mul_(shrink)
    return model


class _ChunkedLoss(torch.autograd.Function):  # type: ignore[misc]
    """Cross-entropy of ``hidden @ weight.T``; gradients are made in the forward pass."""

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, targets: Tensor) -> Tensor:
        total = hidden.new_zeros(())
        d_hidden, d_weight = torch.empty_like(hidden), torch.zeros_like(weight)
        for start in range(0, len(hidden), CHUNK):
            rows = slice(start, start + CHUNK)
            logits = hidden[rows] @ weight.T  # [CHUNK, vocabulary]
            index = targets[rows, None]
            correct = logits.gather(1, index)
            log_total = logits.logsumexp(1, keepdim=True)
            total += (log_total - correct).sum()
            logits.sub_(log_total).exp_()  # now probabilities
            logits.scatter_add_(1, index, torch.full_like(correct, -1.0))
            d_hidden[rows] = logits @ weight
            d_weight.addmm_(logits.T, hidden[rows])
        ctx.save_for_backward(d_hidden / len(hidden), d_weight / len(hidden))
        return total / len(hidden)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        d_hidden, d_weight = ctx.saved_tensors
        return d_hidden * grads[0], d_weight * grads[0], None


def likelihood_loss(model: LlamaForCausalLM, batch: Tensor) -> Tensor:
    """Mean negative log-likelihood in nats per token; ``batch`` is token ids [B, T + 1]."""
    hidden = hidden_states(model, batch[:, :-1])  # [B, T, width]
    loss: Tensor = _ChunkedLoss.apply(
        hidden.flatten(0, 1), model.lm_head.weight, batch[:, 1:].flatten()
    )
    return loss


def hidden_states(model: LlamaForCausalLM, tokens: Tensor) -> Tensor:
    """Last hidden states [B, T, width] for token ids [B, T]."""
    hidden: Tensor = model.model(input_ids=tokens, use_cache=False).last_hidden_state
    return hidden


def parameter_count(model: nn.Module) -> int:
    """Number of weights, tied ones counted once."""
    return sum(weight.numel() for weight in model.parameters())
