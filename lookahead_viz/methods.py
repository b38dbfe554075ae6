"""Every decoding method: its config, its kind of steps, how it is named, where it comes from.

The command line, the controls of the app, the race and the gallery read this table.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookahead_viz.config import (
    Config,
    DraftJacobiConfig,
    GreedyConfig,
    JacobiConfig,
    LookaheadConfig,
    MultiblockJacobiConfig,
    PromptLookupConfig,
    SpeculativeConfig,
    SpeculativeJacobiConfig,
)
from lookahead_viz.records import STEPS, DraftStep, LookaheadStep, Step


@dataclass(frozen=True)
class Method:
    """One method. ``label`` starts a line, ``words`` stands inside a sentence."""

    config: type[Config]
    label: str
    words: str
    sentence: str  # what it does
    source: str  # the paper it is described in
    needs_draft: bool = False  # a second model, or the first layers of the same one
    samples: bool = False  # temperature above 0 is possible
    ready: bool = False  # ticked when the app opens

    @property
    def name(self) -> str:
        """What ``--method`` takes and a run file says."""
        return self.config.method

    @property
    def step(self) -> type[Step]:
        return STEPS[self.name]


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            GreedyConfig,
            "Greedy",
            "greedy",
            "One token a pass: the baseline that the others are compared with.",
            "plain autoregressive decoding",
            samples=True,
            ready=True,
        ),
        Method(
            JacobiConfig,
            "Jacobi",
            "Jacobi",
            "Guesses a whole block and corrects all of it in every pass.",
            "Santilli et al. 2023, arXiv 2305.10427",
            ready=True,
        ),
        Method(
            LookaheadConfig,
            "Lookahead",
            "lookahead",
            "Collects n-grams from a window of guesses and verifies those that fit.",
            "Fu et al. 2024, arXiv 2402.02057",
            samples=True,
            ready=True,
        ),
        Method(
            SpeculativeConfig,
            "Draft model",
            "draft-model speculative",
            "A smaller model writes the next tokens, the model verifies them in one pass.",
            "Leviathan et al. 2023, arXiv 2211.17192",
            needs_draft=True,
            samples=True,
        ),
        Method(
            PromptLookupConfig,
            "Prompt lookup",
            "prompt-lookup",
            "Copies what followed the last tokens where they stood before, and verifies it.",
            "Saxena 2023, github.com/apoorvumang/prompt-lookup-decoding",
            samples=True,
        ),
        Method(
            DraftJacobiConfig,
            "Draft-initialised Jacobi",
            "draft-initialised Jacobi",
            "Jacobi passes that start from what a smaller model wrote.",
            "Jacobi decoding (arXiv 2305.10427) with a draft as its first iterate",
            needs_draft=True,
        ),
        Method(
            SpeculativeJacobiConfig,
            "Speculative Jacobi",
            "speculative Jacobi",
            "Jacobi with sampling: each pass tests the tokens that the pass before drew. It comes "
            "from image models.",
            "Teng et al. 2025, arXiv 2410.01699",
            samples=True,
        ),
        Method(
            MultiblockJacobiConfig,
            "Multi-block Jacobi",
            "multi-block Jacobi",
            "Several Jacobi blocks in flight; n-grams that were rejected are tried again.",
            "Hu et al. 2025, arXiv 2512.14681",
        ),
    )
}


def words_of(method: str) -> str:
    """How ``method`` is called inside a sentence."""
    return METHODS[method].words


def methods_of(*kinds: type[Step]) -> tuple[str, ...]:
    """The names of the methods whose steps are of one of ``kinds``."""
    return tuple(method.name for method in METHODS.values() if method.step in kinds)


def with_candidates() -> tuple[str, ...]:
    """The names of the methods that verify candidates: n-grams or a draft."""
    return (*methods_of(LookaheadStep, DraftStep), MultiblockJacobiConfig.method)
