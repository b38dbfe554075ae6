"""W, N and G and what follows from them by arithmetic: slots, cache rows, masks, other engines.

Sources: Fu et al. 2024 (arXiv 2402.02057) for the slots per pass; TensorRT-LLM's draft length and
llama.cpp's number of sequences are what those engines must be given for the same W, N, G.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookahead_viz.config import LookaheadConfig


@dataclass(frozen=True, order=True)
class Sizes:
    """Window W >= 1, n-gram N >= 2, candidates G >= 0; ValueError in one sentence otherwise."""

    window_size: int
    ngram_size: int
    max_candidates: int

    def __post_init__(self) -> None:
        self.config()

    def config(self, max_new_tokens: int = 64, seed: int = 0) -> LookaheadConfig:
        """The lookahead settings with these sizes, without recorded alternatives."""
        return LookaheadConfig(
            window_size=self.window_size,
            ngram_size=self.ngram_size,
            max_candidates=self.max_candidates,
            alternatives=0,
            max_new_tokens=max_new_tokens,
            seed=seed,
        )

    @property
    def label(self) -> str:
        return f"W={self.window_size} N={self.ngram_size} G={self.max_candidates}"

    @property
    def window_slots(self) -> int:
        """W (N - 1), the current token among them."""
        return self.window_size * (self.ngram_size - 1)

    @property
    def guess_slots(self) -> int:
        """G (N - 1), when all G candidates were found."""
        return self.max_candidates * (self.ngram_size - 1)

    @property
    def slots(self) -> int:
        """Slots of a full pass: (W + G) (N - 1)."""
        return self.window_slots + self.guess_slots

    @property
    def logit_rows(self) -> int:
        """Slots whose prediction is used: the current one, the last window row, every guess."""
        return self.window_size + self.guess_slots + (1 if self.ngram_size > 2 else 0)

    @property
    def warm_up_steps(self) -> int:
        """N - 2 passes fill the window before anything is verified."""
        return self.ngram_size - 2

    @property
    def most_accepted(self) -> int:
        """Tokens that one pass can give: N, or 1 without candidates."""
        return self.ngram_size if self.max_candidates else 1

    @property
    def reach(self) -> int:
        """Largest position of a slot, counted from the current token."""
        window = self.window_size + self.ngram_size - 3
        return max(window, self.ngram_size - 1) if self.max_candidates else window

    @property
    def tensorrt_draft_length(self) -> int:
        """TensorRT-LLM's ``max_draft_len``: (N - 2) + (W - 1 + G) (N - 1)."""
        guesses = self.ngram_size - 1
        return (self.ngram_size - 2) + (self.window_size - 1 + self.max_candidates) * guesses

    @property
    def llama_cpp_sequences(self) -> int:
        """Sequences that llama.cpp must be started with (n_parallel): W + G + 1."""
        return self.window_size + self.max_candidates + 1

    def cache_rows(self, context: int) -> int:
        """KV rows during a full pass: the ``context`` cached ones and one a slot."""
        return context + self.slots

    def mask_bytes(self, context: int, bits: int) -> int:
        """Bytes of a dense mask [slots, context + slots] with ``bits`` per cell, rows packed."""
        row_bits = self.cache_rows(context) * bits
        return self.slots * -(-row_bits // 8)
