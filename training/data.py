"""Token streams: documents end to end, cut into rows whose order depends on the seed alone."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from training.corpus import Document

Ids = NDArray[np.int32]
STORY_COPIES = 3  # stories are short of the whole; each is read this often per pass


def encode(tokenizer: PreTrainedTokenizerFast, documents: Iterable[Document], seed: int) -> Ids:
    """Token ids [N] of all documents in a seeded order, each followed by the end-of-text id."""
    texts = [
        document.text
        for document in documents
        for _ in range(STORY_COPIES if document.kind == "stories" and seed else 1)
    ]
    if seed:
        order = np.random.default_rng(seed).permutation(len(texts))
        texts = [texts[index] for index in order]
    end = tokenizer.eos_token_id
    rows = tokenizer(texts, verbose=False)["input_ids"]
    return np.concatenate([np.array([*row, end], dtype=np.int32) for row in rows])


class Batches:
    """Batch number ``step`` as a pure function of the seed: resuming needs nothing but a number.

    Each pass over the text starts at another offset and visits its rows in another order.
    """

    def __init__(self, ids: Ids, rows: int, length: int, seed: int) -> None:
        self.ids, self.rows, self.length, self.seed = ids, rows, length, seed
        self.per_pass = (len(ids) - length - 1) // length // rows
        if self.per_pass < 1:
            raise ValueError(f"{len(ids)} tokens are too few for {rows} rows of {length}")
        self._pass = -1
        self._starts: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def __call__(self, step: int) -> Tensor:
        """Token ids [rows, length + 1]; the last column is only a target."""
        number, index = divmod(step, self.per_pass)
        if number != self._pass:
            rng = np.random.default_rng((self.seed, number))
            offset = rng.integers(self.length)
            slots = rng.permutation(self.per_pass * self.rows)
            self._pass, self._starts = number, slots * self.length + offset
        starts = self._starts[index * self.rows : (index + 1) * self.rows]
        cells = starts[:, None] + np.arange(self.length + 1)  # [rows, length + 1]
        return torch.from_numpy(self.ids[cells].astype(np.int64))


class Prompts:
    """Openings for the model's own continuations: from the start of a line, 4 to 40 tokens."""

    def __init__(self, ids: Ids, tokenizer: PreTrainedTokenizerFast, rows: int, seed: int) -> None:
        line_ends = [i for i in range(len(tokenizer)) if tokenizer.decode([i]).endswith("\n")]
        ends = np.isin(ids[:-64], [*line_ends, tokenizer.eos_token_id])
        self.ids, self.rows, self.seed = ids, rows, seed
        self.starts = np.flatnonzero(ends) + 1

    def __call__(self, step: int) -> Tensor:
        """Token ids [rows, L]; one length L for all rows, so no padding is needed."""
        rng = np.random.default_rng((self.seed, 7, step))
        starts = rng.choice(self.starts, self.rows)
        cells = starts[:, None] + np.arange(rng.integers(4, 41))
        return torch.from_numpy(self.ids[cells].astype(np.int64))
