"""Loops in generated text: find them, write them, and unlearn them.

Greedy text of a tiny model soon repeats itself for ever.  Two losses against it live here, both
unlikelihood (Welleck et al. 2019, "Neural text generation with unlikelihood training"), that is
``-log(1 - p(token))`` for tokens the model should not have said:

* on the model's own greedy continuations (sequence level), for the tokens that start the third
  copy of something and go on with it.  A second copy is left alone: code repeats itself for good
  reasons, and lookahead decoding lives on that;
* with ``ngram`` set, for every token that completes an n-gram seen earlier in the continuation,
  which is the original rule.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import DynamicCache, LlamaForCausalLM

from training.model import hidden_states

LONGEST_PERIOD = 48  # tokens; a third copy of a longer phrase does not fit into a continuation


def ends_in_loop(tokens: list[int], window: int = 48, longest_period: int = 16) -> bool:
    """True if the last ``window`` tokens repeat with some period up to ``longest_period``."""
    tail = tokens[-window:]
    if len(tail) < window:
        return False
    return any(tail[p:] == tail[:-p] for p in range(1, longest_period + 1))


def looping(tokens: Tensor, longest_period: int = LONGEST_PERIOD) -> Tensor:
    """Mask [B, T]: True where a token continues at least two full copies of the same phrase.

    For period p a run counts how long ``tokens[t] == tokens[t - p]`` has held; once the run is
    longer than p (and than 8, so that three equal words are no crime) the third copy has begun.
    """
    mask = torch.zeros_like(tokens, dtype=torch.bool)
    length = tokens.shape[1]
    for period in range(1, min(longest_period, length - 1) + 1):
        same = torch.zeros_like(tokens)
        same[:, period:] = (tokens[:, period:] == tokens[:, :-period]).long()
        steps = torch.arange(length)
        last_miss = torch.where(same == 0, steps, -1).cummax(dim=1).values
        run = steps - last_miss  # [B, T] matches in a row up to and with this token
        mask |= run > max(period, 8)
    return mask


def repeated_ngrams(tokens: Tensor, n: int) -> Tensor:
    """Mask [B, T]: True where the n-gram ending at this token occurred earlier in the row."""
    mask = torch.zeros_like(tokens, dtype=torch.bool)
    for row, ids in enumerate(tokens.tolist()):
        seen: set[tuple[int, ...]] = set()
        for end in range(n, len(ids) + 1):
            gram = tuple(ids[end - n : end])
            mask[row, end - 1] = gram in seen
            seen.add(gram)
    return mask


def greedy(model: LlamaForCausalLM, prompts: Tensor, new_tokens: int) -> Tensor:
    """Greedy continuations [B, new_tokens] of equally long prompts [B, T]."""
    cache = DynamicCache()
    tokens, out = prompts, []
    with torch.no_grad():
        for _ in range(new_tokens):
            logits = model(input_ids=tokens, cache=cache, use_cache=True, logits_to_keep=1).logits
            tokens = logits.argmax(-1)  # [B, 1] from [B, 1, vocabulary]
            out.append(tokens)
    return torch.cat(out, dim=1)


def own_loops(
    model: LlamaForCausalLM, prompts: Tensor, new_tokens: int, ngram: int = 0
) -> tuple[Tensor, Tensor, float]:
    """Greedy rows that hold bad tokens [S, T], these tokens marked [S, T], and the share of all
    rows that still loop at their end.  Prompts are [B, L]; what follows an end of text is no text.
    """
    new = greedy(model, prompts, new_tokens)
    looped = looping(new)
    ended = (new == model.config.eos_token_id).cumsum(1) > 0
    bad = (repeated_ngrams(new, ngram) if ngram else looped) & ~ended
    share = float((looped[:, -1] & ~ended[:, -1]).float().mean())
    bad = torch.cat([torch.zeros_like(prompts, dtype=torch.bool), bad], dim=1)
    chosen = bad.any(1)
    return torch.cat([prompts, new], dim=1)[chosen], bad[chosen], share


def made_loops(batch: Tensor, rows: int, seed: int, length: int = 160) -> tuple[Tensor, Tensor]:
    """Loops made of text [rows, length] and their bad tokens: some text, then one phrase of it
    over and over, as greedy decoding would (after Xu et al. 2022, "Learning to break the loop").
    """
    rng = np.random.default_rng((seed, 11))
    made = []
    for _ in range(rows):
        row = batch[int(rng.integers(len(batch)))]
        before, period = int(rng.integers(4, 33)), int(rng.integers(1, 33))
        start = int(rng.integers(max(1, len(row) - before - period)))
        head, phrase = row[start : start + before], row[start + before :][:period]
        made.append(torch.cat([head, phrase.repeat(length // len(phrase) + 1)])[:length])
    tokens = torch.stack(made)
    return tokens, looping(tokens)


def unlikelihood_loss(model: LlamaForCausalLM, rows: Tensor, bad: Tensor) -> Tensor:
    """Mean of ``-log(1 - p)`` over the tokens marked in ``bad`` [B, T] of ``rows`` [B, T].

    ``log(1 - p)`` is taken as "log-sum-exp of the others minus that of all", which stays exact
    when p is nearly one, as it is inside a loop.
    """
    hidden = hidden_states(model, rows[:, :-1])[bad[:, 1:]]  # [S, width], S marked tokens
    tokens = rows[:, 1:][bad[:, 1:]]  # [S]
    logits = F.linear(hidden, model.lm_head.weight)  # [S, vocabulary]
    others = logits.scatter(1, tokens[:, None], float("-inf"))
    return (logits.logsumexp(1) - others.logsumexp(1)).mean()
