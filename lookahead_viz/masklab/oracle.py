"""The oracle: every packed token must say what plain causal text says after its path.

The packed tokens are fed to a small model with the mask under test, and the logits of each are
compared with those of an ordinary causal run over the committed text and the token's path. Where
they agree for random tokens, the mask and the positions are right, whatever rules made them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lookahead_viz.masklab.kinds import check_number
from lookahead_viz.masklab.layouts import PackedLayout
from lookahead_viz.masklab.normalise import ReadMask, UnreadableMask, normalise
from lookahead_viz.masklab.positions import read_positions, shift_of
from lookahead_viz.records import Role, StepLayout

if TYPE_CHECKING:
    from lookahead_viz.engine.model import Model

PROMPT_LENGTH = 12
MOST_TOKENS = 600
MOST_PROMPT = 4000
_POSITIONS = 4096
_TOLERANCE = {"float64": 1e-9, "float32": 1e-3, "float16": 0.2, "bfloat16": 0.5}
_EAGER_TOLERANCE = 1e-5  # transformers' eager attention computes its softmax in float32


@dataclass(frozen=True)
class Oracle:
    """The greatest difference of any logit, for each packed token [T]."""

    layout: PackedLayout
    errors: tuple[float, ...]
    tolerance: float

    def __bool__(self) -> bool:
        return self.ok

    @property
    def ok(self) -> bool:
        return self.errors[self.worst] <= self.tolerance

    @property
    def worst(self) -> int:
        """Packed index of the token that is furthest off; a NaN is furthest."""
        return int(np.argmax(np.nan_to_num(np.array(self.errors), nan=np.inf)))

    @property
    def wrong(self) -> tuple[int, ...]:
        """Packed indexes of all tokens that are off."""
        return tuple(i for i, error in enumerate(self.errors) if not error <= self.tolerance)

    def __str__(self) -> str:
        worst = f"{self.layout.names[self.worst]} (packed index {self.worst})"
        error = self.errors[self.worst]
        if self.ok:
            return (
                f"Right: the logits of all {len(self.errors):,} tokens equal those of plain "
                f"causal text (worst {worst}, off by {error:.1e})."
            )
        return (
            f"Wrong: {len(self.wrong)} of {len(self.errors)} tokens say something else than plain "
            f"causal text; worst {worst}, a logit off by {error:.3g}."
        )


def oracle(
    mask: Any,
    layout: PackedLayout,
    positions: Any = None,
    *,
    model: Model | None = None,
    prompt_length: int = PROMPT_LENGTH,
    seed: int = 0,
) -> Oracle:
    """Feed random tokens packed as ``layout`` with ``mask`` and ``positions`` [T] to ``model``.

    ``mask`` is what ``check`` takes; its committed columns, where it has some, say how much text
    stands in front, else ``prompt_length``. ``model`` defaults to a tiny random one in float64.
    Raises ``ValueError`` with one sentence.
    """
    check_number("prompt_length", prompt_length, 1, MOST_PROMPT)
    read = normalise(mask)
    if read.size != layout.size:
        raise UnreadableMask(
            f"the mask has {read.size} packed tokens, {layout.title} with {layout.settings} has "
            f"{layout.size}."
        )
    if read.size > MOST_TOKENS:
        raise UnreadableMask(f"the oracle takes at most {MOST_TOKENS} packed tokens.")
    committed = read.committed or prompt_length
    places = layout.positions
    if positions is not None:
        given = read_positions(positions, read.size)
        current = layout.names.index("I")
        shift = shift_of(given[current], read.committed, layout.refed)
        places = tuple(place - given[current] + shift for place in given)
    model = model or random_model()
    limit = model.info.position_limit
    reach = committed + layout.refed + max(*places, *layout.positions) + 1
    if limit is not None and reach > limit:
        raise ValueError(f"{reach} positions are needed, {model.name} has {limit}.")
    rng = random.Random(seed)
    tokens = [rng.randrange(model.info.vocab_size) for _ in range(committed + layout.size)]
    prompt, packed = tokens[:committed], tokens[committed:]
    start = committed + layout.refed
    absolute = [min(max(start + place, 0), (limit or _POSITIONS) - 1) for place in places]
    found = _packed_logits(model, prompt, packed, absolute, read)
    wanted = _causal_logits(model, prompt, packed, layout.parents)
    errors = np.abs(found - wanted).max(axis=1)
    return Oracle(layout, tuple(float(error) for error in errors), _tolerance(model))


def _tolerance(model: Model) -> float:
    tolerance = _TOLERANCE.get(model.info.dtype, 0.5)
    return max(tolerance, _EAGER_TOLERANCE) if model.info.attention == "eager" else tolerance


def _packed_logits(
    model: Model, prompt: list[int], packed: list[int], positions: list[int], read: ReadMask
) -> np.ndarray:
    """[T, vocabulary] float64, under the mask."""
    runner = model.runner(0)
    runner.prefill(prompt)
    size = len(packed)
    step = StepLayout(
        token_ids=tuple(packed),
        positions=tuple(positions),
        roles=(Role.WINDOW,) * size,  # the runner does not look at these
        rows=(0,) * size,
        cols=tuple(range(size)),
    )
    mask = read.mask ^ read.inverted
    if read.committed:
        mask = np.hstack([read.prefix ^ read.inverted, mask])
    return _array(runner.logits(step, mask, range(size)))


def _causal_logits(
    model: Model, prompt: list[int], packed: list[int], parents: Sequence[int]
) -> np.ndarray:
    """[T, vocabulary] float64: plain causal runs over the prompt and each token's path."""
    import torch

    found: list[Any] = [None] * len(packed)
    leaves = set(range(len(packed))) - set(parents)
    with torch.inference_mode():
        for leaf in sorted(leaves):
            path = [leaf]
            while parents[path[0]] >= 0:
                path.insert(0, parents[path[0]])
            ids = torch.tensor([prompt + [packed[slot] for slot in path]])
            logits = model.network(input_ids=ids.to(model.network.device), use_cache=False).logits
            for place, slot in enumerate(path):
                found[slot] = _array(logits[0, len(prompt) + place])
    return np.stack(found)


def _array(logits: Any) -> np.ndarray:
    array: np.ndarray = logits.double().cpu().numpy()
    return array


@lru_cache(maxsize=1)
def random_model() -> Model:
    """A tiny random Llama in float64: its logits depend on every token it sees."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from lookahead_viz.engine.model import wrap_model

    config = LlamaConfig(
        vocab_size=61,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=_POSITIONS,
        initializer_range=0.4,
        bos_token_id=None,
        eos_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = LlamaForCausalLM._from_config(
            config, attn_implementation="sdpa", dtype=torch.float64
        )
    return wrap_model(network, name="random Llama")
