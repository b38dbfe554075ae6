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


def split_line_ends(ids: Ids, tokenizer: PreTrainedTokenizerFast, share: float, seed: int) -> Ids:
    """Cut a share of the tokens "line end and indent" in two: line end, then indent.

    The tokenizer joins a line end with the indent after it, so a line end alone would always mean
    "no indent follows".  But a prompt such as "def f(x):" with a line end stops just there.
    """
    indents = np.full(len(tokenizer), -1, dtype=np.int32)
    heads = np.zeros(len(tokenizer), dtype=np.int32)
    for token in range(1, len(tokenizer)):
        text = tokenizer.decode([token])
        head, indent = text.rstrip(" "), text[len(text.rstrip(" ")) :]
        pieces = tokenizer(head)["input_ids"], tokenizer(indent)["input_ids"]
        if indent and head and not head.strip("\n") and [len(part) for part in pieces] == [1, 1]:
            heads[token], indents[token] = pieces[0][0], pieces[1][0]
    cut = (indents[ids] >= 0) & (np.random.default_rng((seed, 5)).random(len(ids)) < share)
    places = np.flatnonzero(cut)
    return np.insert(np.where(cut, heads[ids], ids), places + 1, indents[ids[places]])


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
