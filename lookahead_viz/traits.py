"""What each method needs and promises, and what its authors measured: the columns of the sources.

A quoted number stands with its baseline, its hardware and where it is written. None of them was
measured here, and none was measured with the models that run here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quote:
    """One published number and all that must be said with it."""

    value: str
    setting: str  # task, model, hardware
    source: str
    baseline: str = "plain autoregressive decoding"

    @property
    def sentence(self) -> str:
        return f"{self.value} over {self.baseline}: {self.setting} ({self.source})"


@dataclass(frozen=True)
class Traits:
    """One line of the table; empty where a method has nothing to say."""

    auxiliary: str  # the second model it needs
    training: str
    memory: str  # beyond weights and cache of plain decoding
    equivalence: str  # of its text to plain decoding
    regime: str  # where it can pay
    quotes: tuple[Quote, ...] = ()


FU = "Fu et al. 2024, arXiv 2402.02057"
SANTILLI = "Santilli et al. 2023, arXiv 2305.10427"
LEVIATHAN = "Leviathan et al. 2023, arXiv 2211.17192"
SAXENA = "Saxena 2023, README of prompt-lookup-decoding"
HU = "Hu et al. 2025, arXiv 2512.14681"
HU_README = "README of JacobiForcing"

_EXACT = "the same text as greedy decoding, rounding ties apart"
_DRAFT_EXACT = f"{_EXACT}; with sampling the same distribution"

TRAITS: dict[str, Traits] = {
    "greedy": Traits(
        "none", "none", "none", "the baseline", "everywhere; one token a pass, so bound by memory"
    ),
    "jacobi": Traits(
        "none",
        "none",
        "cache rows of one block",
        _EXACT,
        "hardly pays without a model trained for it; long blocks only where passes are bound by "
        "memory",
        (
            Quote("up to 1.38×", "machine translation; hardware: see there", SANTILLI),
            Quote("nearly 2×", "the same, scaled on parallel resources", SANTILLI),
        ),
    ),
    "lookahead": Traits(
        "none",
        "none",
        "cache rows of window and candidates during a pass; the pool, a few token ids per n-gram",
        _DRAFT_EXACT,
        "batch 1 on hardware with arithmetic to spare; text that repeats itself",
        (
            Quote("up to 1.8×", "MT-bench chat, one A100 80 GB (7B to 34B)", FU),
            Quote(
                "up to 4×",
                "code completion, strong scaling over several GPUs (8 × A100 40 GB, NVLink); not "
                "one device",
                FU,
            ),
        ),
    ),
    "speculative": Traits(
        "a draft model with the same vocabulary (or the first layers of the model itself)",
        "none for the method; the draft must be trained to agree",
        "weights and cache of the draft; cache rows of the draft's tokens",
        _DRAFT_EXACT,
        "batch 1, a draft that is much cheaper and often right",
        (Quote("2× to 3×", "T5-XXL, batch 1, one TPU v4", LEVIATHAN, "T5X"),),
    ),
    "prompt-lookup": Traits(
        "none",
        "none",
        "cache rows of the copied tokens",
        _DRAFT_EXACT,
        "text that copies from its prompt: summaries, edits, questions about a document",
        (Quote("2× to 4×", "input-grounded tasks, Mistral-7B, one A100 40 GB", SAXENA, "greedy"),),
    ),
    "draft-jacobi": Traits(
        "a draft model with the same vocabulary (or the first layers of the model itself)",
        "none for the method",
        "weights and cache of the draft; cache rows of one block",
        _EXACT,
        "a good draft whose later tokens survive a wrong earlier one",
    ),
    "speculative-jacobi": Traits(
        "none",
        "none",
        "cache rows of one block; a distribution per place of the block",
        "the same distribution as sampling",
        "sampling; it comes from models that write images",
    ),
    "multiblock-jacobi": Traits(
        "none",
        "pays with a model trained on its own Jacobi trajectories; works with any",
        "cache rows of all blocks in flight and of the recycled n-grams",
        _EXACT,
        "checkpoints trained for it, batch 1",
        (
            Quote(
                "nearly 4×",
                "coding and math, 7B models trained for it, no others; hardware: see there",
                HU,
            ),
            Quote("about 330 against 80 tokens/s", "the same models, one B200", HU_README),
        ),
    ),
}
"""By the name of the method, one for every entry of ``methods.METHODS`` (a test compares)."""
